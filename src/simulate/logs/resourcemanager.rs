//! ResourceManager of 3.3.6.

use super::super::record::Notice;
use super::{Lines, View};

const BASE: &str = "org.apache.hadoop.yarn.server.resourcemanager";

pub(super) fn text(view: &View<'_>) -> String {
    let run = view.run;
    let mut out = Lines::new(run, None);
    let manager = format!("{BASE}.ResourceManager");
    let host = format!("{}/10.88.1.10", run.master());
    out.start(0, &manager, "ResourceManager", &host, "3.3.6");
    let nodes = format!("{BASE}.rmnode.RMNodeImpl");
    for node in run.nodes.iter() {
        out.info(3_000_000, &nodes, format_args!("{}:45454 Node Transitioned from NEW to RUNNING", node.name));
    }
    for job in run.jobs.iter() {
        let app = run.application_id(job.number);
        let apps = format!("{BASE}.rmapp.RMAppImpl");
        let change = |out: &mut Lines<'_>, at, from: &str, to: &str, event: &str| {
            out.info(at, &apps, format_args!("{app} State change from {from} to {to} on event = {event}"));
        };
        out.info(
            job.submitted,
            &format!("{BASE}.ClientRMService"),
            format_args!("Application with id {} submitted by user hadoop", job.number),
        );
        change(&mut out, job.submitted, "NEW_SAVING", "SUBMITTED", "APP_NEW_SAVED");
        change(&mut out, job.submitted + 1000, "SUBMITTED", "ACCEPTED", "APP_ACCEPTED");
        change(&mut out, job.launched, "ACCEPTED", "RUNNING", "ATTEMPT_REGISTERED");
        if let Some(at) = job.finished {
            // The application's master says that its job is over, however it ended (`RMAppImpl`).
            change(&mut out, at + 800_000, "RUNNING", "FINAL_SAVING", "ATTEMPT_UNREGISTERED");
            change(&mut out, at + 810_000, "FINAL_SAVING", "FINISHING", "APP_UPDATE_SAVED");
            change(&mut out, at + 900_000, "FINISHING", "FINISHED", "ATTEMPT_FINISHED");
        }
    }
    let containers = format!("{BASE}.rmcontainer.RMContainerImpl");
    for row in run.attempts.iter() {
        let id = run.container_id(run.jobs[run.tasks[row.task].job].number, row.container);
        let change = |out: &mut Lines<'_>, at, from: &str, to: &str| {
            out.info(at, &containers, format_args!("{id} Container Transitioned from {from} to {to}"))
        };
        change(&mut out, row.assigned, "NEW", "ALLOCATED");
        change(&mut out, row.assigned + 10_000, "ALLOCATED", "ACQUIRED");
        if let Some(at) = row.spawned {
            change(&mut out, at + 60_000, "ACQUIRED", "RUNNING");
            if let Some(at) = row.finished {
                change(&mut out, at + 500_000, "RUNNING", "COMPLETED");
            }
        }
    }
    for (at, node, notice) in &run.notices {
        let name = &run.nodes[*node].name;
        match notice {
            Notice::Lost => {
                out.info(*at, &nodes, format_args!("Deactivating Node {name}:45454 as it is now LOST"));
                out.info(*at, &nodes, format_args!("{name}:45454 Node Transitioned from RUNNING to LOST"));
            }
            Notice::Unhealthy => {
                out.info(*at, &nodes, format_args!("Node {name}:45454 reported UNHEALTHY with details: 1/1 local-dirs usable space is below configured utilization percentage/no more usable space [ /hadoop/nm-local : used space above threshold of 90.0% ] "));
                out.info(*at, &nodes, format_args!("{name}:45454 Node Transitioned from RUNNING to UNHEALTHY"));
            }
            Notice::Blacklisted(_) | Notice::FetchFailed(..) => {}
        }
    }
    out.stop(&manager, "ResourceManager", &host);
    out.text()
}
