//! Lines in JSON objects: whole, or in pieces as log4j's layouts for JSON write them.

use super::BEFORE_BYTES;
use crate::base::Timestamp;
use crate::format::json;
use crate::format::log4j::{begins, epoch_of, level_name};
use serde_json::Value;

// What the pieces are called by Hadoop's `Log4Json`, log4j 2's `JsonLayout`, Logstash's `json_event` and encoder, and the
// Elastic Common Schema.
const TEXTS: [&str; 5] = ["log", "message", "MESSAGE", "msg", "_raw"];
const DATES: [&str; 4] = ["date", "@timestamp", "timestamp", "time"];
const MILLIS: [&str; 3] = ["timeMillis", "time", "timestamp"];
const LEVELS: [&str; 4] = ["level", "log.level", "/log/level", "severity"];
const LOGGERS: [&str; 7] = ["loggerName", "logger_name", "log.logger", "/log/logger", "logger", "name", "class"];
const THREADS: [&str; 5] = ["thread", "thread_name", "threadName", "process.thread.name", "/process/thread/name"];
const STACKS: [&str; 4] = ["stack_trace", "error.stack_trace", "/error/stack_trace", "/exception/stacktrace"];
const HOSTS: [&str; 5] = ["hostname", "_HOSTNAME", "/host/name", "host", "source_host"];
/// What else tells whose an object is: of a journal, of Docker, of Filebeat, of Fluentd in Kubernetes.
const SPEAKERS: [&str; 9] = [
    "_SYSTEMD_UNIT",
    "SYSLOG_IDENTIFIER",
    "container_name",
    "/container/name",
    "/log/file/path",
    "/kubernetes/pod_name",
    "/kubernetes/container_name",
    "/kubernetes/pod/name",
    "/kubernetes/container/name",
];

/// The object that a line ends with, behind a time and a tag perhaps.
pub fn object(line: &[u8]) -> Option<Value> {
    let line = line.trim_ascii_end().strip_suffix(b",").unwrap_or(line);
    let from = memchr::memchr(b'{', line.get(..BEFORE_BYTES).unwrap_or(line))?;
    json::read(line.get(from..).filter(|text| text.ends_with(b"}"))?).ok()
}

/// Appends the lines that an object holds. A line in pieces gets the form of those that containers write.
pub fn text_of(object: &Value, text: &mut Vec<u8>) -> Option<()> {
    let message = first_text(object, &TEXTS)?;
    if !begins(message.as_bytes())
        && let (Some(level), Some(logger)) = (first_text(object, &LEVELS), first_text(object, &LOGGERS))
        && let (Some(level), Some(date)) = (level_name(level), date_of(object))
    {
        for part in [&date, " ", level, " [", first_text(object, &THREADS).unwrap_or_default(), "] ", logger, ": "] {
            text.extend_from_slice(part.as_bytes());
        }
    }
    text.extend_from_slice(message.as_bytes());
    let frames = object.get("stack").and_then(Value::as_array);
    let frames = frames.into_iter().flatten().filter_map(Value::as_str);
    for frame in frames.chain(first_text(object, &STACKS)) {
        text.push(b'\n');
        text.extend_from_slice(frame.as_bytes());
    }
    Some(())
}

/// Whose an object is, and the host that it names.
pub fn speaker(object: &Value) -> (Vec<u8>, Vec<u8>) {
    let host = first_text(object, &HOSTS);
    let more = SPEAKERS.iter().filter_map(|name| field(object, name)?.as_str());
    let all: Vec<&str> = host.into_iter().chain(more).collect();
    (all.join(" ").into_bytes(), host.unwrap_or_default().as_bytes().to_vec())
}

/// The time in UTC beside a line: of when Docker or CRI took it, or a journal, in microseconds since 1970; `Log4Json` has
/// the line's own, in milliseconds.
pub fn taken_at(object: &Value) -> Option<Timestamp> {
    if let Some(micros) = first_text(object, &["__REALTIME_TIMESTAMP"]) {
        return Some(Timestamp::from_millis(micros.parse::<i64>().ok()? / 1000));
    }
    let time = field(object, "time")?;
    if let Some(millis) = time.as_i64().filter(|_| field(object, "date").is_some()) {
        return Some(Timestamp::from_millis(millis));
    }
    // Of others it is the line's own time, or when it was read.
    epoch_of(time.as_str().filter(|_| field(object, "stream").is_some())?.as_bytes())
}

/// A field of an object, or by a path one of an object inside it.
fn field<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    if name.starts_with('/') { object.pointer(name) } else { object.get(name) }
}

fn first_text<'a>(object: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| field(object, name)?.as_str())
}

/// When a line was written, as lines have it: as it is told, else in UTC by the milliseconds since 1970.
fn date_of(object: &Value) -> Option<String> {
    if let Some(date) = first_text(object, &DATES).filter(|date| begins(date.as_bytes())) {
        return Some(date.to_owned());
    }
    let millis = || MILLIS.iter().find_map(|name| field(object, name)?.as_i64());
    let instant = || {
        let part = |name: &str| object.get("instant")?.get(name)?.as_i64();
        part("epochSecond")?.checked_mul(1000)?.checked_add(part("nanoOfSecond").unwrap_or_default() / 1_000_000)
    };
    Some(format!("{}Z", Timestamp::from_millis(millis().or_else(instant)?)))
}
