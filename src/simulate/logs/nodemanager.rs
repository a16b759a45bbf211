//! NodeManager of 3.3.6.

use super::super::record::{End, Error};
use super::{Lines, View};

const BASE: &str = "org.apache.hadoop.yarn.server.nodemanager";

pub(super) fn text(view: &View<'_>, node: usize) -> String {
    let run = view.run;
    let mut out = Lines::new(run, run.silent_from(node));
    let host = format!("{}/{}", run.nodes[node].name, run.ip(node));
    let manager = format!("{BASE}.NodeManager");
    out.start(1_000_000, &manager, "NodeManager", &host, "3.3.6");
    for attempt in View::of(&view.attempts, node) {
        container(view, *attempt, &mut out);
    }
    for fetch in View::of(&view.served, node) {
        if let Some(at) = fetch.ended.filter(|_| fetch.good) {
            let reduce = &run.tasks[run.attempts[fetch.reduce].task];
            let job = run.job_id(run.jobs[reduce.job].number);
            out.say(
                at,
                format!(
                    "DEBUG org.apache.hadoop.mapred.ShuffleHandler.audit: shuffle for {job} reducer {} length {}",
                    reduce.index, fetch.bytes as u64
                ),
            );
        }
    }
    out.stop(&manager, "NodeManager", &host);
    out.text()
}

fn container(view: &View<'_>, attempt: usize, out: &mut Lines<'_>) {
    let run = view.run;
    let row = &run.attempts[attempt];
    let number = run.jobs[run.tasks[row.task].job].number;
    let (id, app) = (run.container_id(number, row.container), run.application_id(number));
    let impl_ = format!("{BASE}.containermanager.container.ContainerImpl");
    let at = row.launched;
    let user = format!("{}_000001", app.replacen("application", "appattempt", 1));
    out.info(
        at,
        &format!("{BASE}.containermanager.ContainerManagerImpl"),
        format_args!("Start request for {id} by user {user} with resource <memory:1024, vCores:1>"),
    );
    out.info(
        at + 1000,
        &format!("{BASE}.containermanager.application.ApplicationImpl"),
        format_args!("Adding {id} to application {app}"),
    );
    let changes = |out: &mut Lines<'_>, at, from: &str, to: &str| {
        out.info(at, &impl_, format_args!("Container {id} transitioned from {from} to {to}"))
    };
    changes(out, at + 1000, "NEW", "LOCALIZING");
    if row.error == Some(Error::NoSpaceAtStart) {
        let at = row.finished.unwrap_or(at) + 2000;
        out.say(
            at,
            format!("INFO {BASE}.containermanager.localizer.ResourceLocalizationService: Localizer failed for {id}\norg.apache.hadoop.util.DiskChecker$DiskErrorException: No space available in any of the local directories.\n\tat org.apache.hadoop.fs.LocalDirAllocator$AllocatorPerContext.getLocalPathForWrite(LocalDirAllocator.java:416)"),
        );
        changes(out, at + 1000, "LOCALIZING", "LOCALIZATION_FAILED");
        return changes(out, at + 2000, "LOCALIZATION_FAILED", "DONE");
    }
    let Some(spawned) = row.spawned else { return };
    changes(out, spawned, "LOCALIZING", "SCHEDULED");
    out.info(
        spawned,
        &format!("{BASE}.containermanager.scheduler.ContainerScheduler"),
        format_args!("Starting container [{id}]"),
    );
    changes(out, spawned + 50_000, "SCHEDULED", "RUNNING");
    let Some(at) = row.finished else { return };
    let at = at + 120_000;
    match row.end {
        // Its process says why it failed, and ends as if it had not.
        Some(End::Success | End::Failed) if row.error != Some(Error::TimedOut) => {
            out.info(
                at,
                &format!("{BASE}.containermanager.launcher.ContainerLaunch"),
                format_args!("Container {id} succeeded "),
            );
            changes(out, at, "RUNNING", "EXITED_WITH_SUCCESS");
            changes(out, at + 1000, "EXITED_WITH_SUCCESS", "DONE");
        }
        _ => {
            changes(out, at, "RUNNING", "KILLING");
            out.say(
                at + 10_000,
                format!("WARN {BASE}.DefaultContainerExecutor: Exit code from container {id} is : 143"),
            );
            changes(out, at + 11_000, "KILLING", "CONTAINER_CLEANEDUP_AFTER_KILL");
            changes(out, at + 12_000, "CONTAINER_CLEANEDUP_AFTER_KILL", "DONE");
        }
    }
}
