//! Keys of racks, hosts and configurations.

use super::{Case, Report, attempts, content, digest};
use oddnode::model::{Event, JobConf};
use serde_json::Value;
use std::collections::BTreeSet;

/// `.topology.json`: Rumen's tree of the racks and hosts in a history. A host that some
/// records name without its rack stands there a second time, without one.
pub fn topology(case: &Case, report: &mut Report) {
    let digest = digest(&case.file);
    let mut ours: BTreeSet<String> =
        attempts(&digest).into_values().filter_map(|a| Some(format!("/{}", a.host?))).collect();
    ours.extend(crate::reading::events(&digest).into_iter().filter_map(|row| match row.event {
        Event::Rack { host, rack } => Some(format!("{rack}/{host}")),
        _ => None,
    }));
    let mut key = BTreeSet::new();
    for tree in super::values(&content(&case.key)) {
        leaves(&tree, "", &mut key);
    }
    for host in &key {
        report.same(host, true, ours.contains(host));
    }
    for host in ours.difference(&key).filter(|host| host.matches('/').count() > 1) {
        report.compared += 1;
        report.differs(format!("{host}: not in the key"));
    }
}

fn leaves(tree: &Value, path: &str, into: &mut BTreeSet<String>) {
    for child in tree["children"].as_array().into_iter().flatten() {
        let name = child["name"].as_str().unwrap().replace('\\', "");
        let path = match name.trim_start_matches('/') {
            "" => path.to_owned(),
            name => format!("{path}/{name}"),
        };
        if child["children"].is_array() {
            leaves(child, &path, into);
        } else {
            into.insert(path);
        }
    }
}

/// `labels.json`: what its authors wrote of each job, beside its configuration.
pub fn labels(case: &Case, report: &mut Report) {
    let labels = case.key();
    for path in crate::listed(&case.file) {
        let Some(job) = path.file_name().and_then(|n| n.to_str()?.strip_suffix("_conf.xml")) else { continue };
        let label = &labels[job];
        let conf = crate::reading::events(&digest(&path)).into_iter().find_map(|row| match row.event {
            Event::JobConf { conf, job: id } => {
                assert_eq!(id.to_string(), job);
                Some(*conf)
            }
            _ => None,
        });
        let conf: JobConf = conf.unwrap_or_default();
        let text = |name: &str| label[name].as_str().map(str::to_owned);
        report.same(&format!("{job} map speculation"), text("mapSpec"), conf.map_speculation.map(|b| b.to_string()));
        report.same(
            &format!("{job} reduce speculation"),
            text("redSpec"),
            conf.reduce_speculation.map(|b| b.to_string()),
        );
        report.same(&format!("{job} timeout"), text("timeout"), conf.task_timeout_ms.map(|n| n.to_string()));
        report.same(&format!("{job} reduces"), text("reduces"), conf.reduces.map(|n| n.to_string()));
    }
}
