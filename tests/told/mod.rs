//! What a digest says, as text.

#![allow(dead_code, reason = "each test takes what it needs")]

use oddnode::base::{AttemptId, ContainerId, JobId};
use oddnode::model::{Event, FileDigest};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt::Write;

/// All that a digest says, line by line; times as the log shows them.
pub fn told(digest: &FileDigest) -> String {
    let mut text = format!("format: {}, times: {:?}\n", digest.format, digest.clock);
    if let Some((first, last)) = digest.span {
        writeln!(text, "span: {first} .. {last}").unwrap();
    }
    writeln!(text, "lines: {}, understood {}, skipped {}", digest.lines, digest.understood, digest.skipped).unwrap();
    for (code, count) in digest.issues.iter() {
        writeln!(text, "issue: {code:?} {} at {:?}", count.count, count.lines).unwrap();
    }
    for host in &digest.hosts {
        writeln!(text, "host: {:?} {} {:?}", host.source, host.name, host.ip).unwrap();
    }
    for row in digest.events.iter() {
        writeln!(text, "{} {} {}", row.line, row.at, event(&row.event)).unwrap();
    }
    text
}

/// An event on one line: ids as logs print them, without what is absent.
pub fn event(event: &Event) -> String {
    let mut value = serde_json::to_value(event).unwrap();
    shorten(&mut value);
    value.to_string()
}

fn shorten(value: &mut Value) {
    if let Some(id) =
        id_of::<AttemptId>(value).or_else(|| id_of::<ContainerId>(value)).or_else(|| id_of::<JobId>(value))
    {
        *value = id.into();
        return;
    }
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// The id that `value` is, as text.
fn id_of<T: Serialize + DeserializeOwned + ToString>(value: &Value) -> Option<String> {
    let id: T = serde_json::from_value(value.clone()).ok()?;
    (serde_json::to_value(&id).ok()? == *value).then(|| id.to_string())
}
