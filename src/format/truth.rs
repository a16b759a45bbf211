//! Labels of runs: what was wrong in which, told by whoever made them.
//!
//! ```text
//! [{"run":"r06","workload":"sort","fault":"CPUHog","node":"h103","begin_ms":1795227857768,…}, …]
//! ```
//! A list of objects, or one object. `fault` is `none` for controls, `node` null where no node
//! is at fault, and a list where several are; `workload` may be missing; `parameters` (or `params`) tells how the run was made; further fields are passed over. Nothing of it reaches a diagnosis: labels are
//! what verdicts are counted against.

use super::json::Stream;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{Timestamp, text};
use crate::model::{Clock, Event, Label};
use memchr::memmem;
use serde_json::Value;

/// The name of the format.
pub const NAME: &str = "truth";

/// `truth.json`.
pub struct Truth;

static ABOUT: FormatAbout = FormatAbout {
    name: NAME,
    title: "labels of runs",
    versions: "any",
    written_by: "whoever made the runs; oddnode simulate",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[
        "{\"run\":\"r06\",\"workload\":\"sort\",\"fault\":\"CPUHog\",\"node\":\"h103\",\"begin_ms\":1795227857768,\"end_ms\":1795227995000}",
    ],
};

impl Format for Truth {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.bytes.trim_ascii_start();
        let has = |key: &[u8]| memmem::find(text, key).is_some();
        let keys = has(b"\"run\"") && has(b"\"fault\"") && (has(b"\"workload\"") || has(b"\"node\""));
        if keys && text.first().is_some_and(|b| b"[{".contains(b)) { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Reader::default())
    }
}

#[derive(Default)]
struct Reader {
    objects: Stream,
}

impl Parse for Reader {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        self.objects.feed(bytes, out, &mut |value, line, out| read(&value, line, out).is_some());
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        self.objects.end(out, &mut |value, line, out| read(&value, line, out).is_some());
    }
}

/// Takes a label; `None` if it is none.
fn read(value: &Value, line: u64, out: &mut Out<'_>) -> Option<()> {
    let (label, parameters) = label_of(value)?;
    for (name, value) in parameters {
        let (run, name, value) = (label.run.clone(), name.into(), value.into());
        out.event(line, Timestamp::default(), &Event::LabelParameter { run, name, value });
    }
    out.event(line, Timestamp::default(), &Event::Label(Box::new(label)));
    Some(())
}

/// A label, and how its run was made: each value as JSON, those that are null left out.
#[must_use]
pub fn label_of(value: &Value) -> Option<(Label, Vec<(&str, String)>)> {
    let parameters = ["parameters", "params"].iter().filter_map(|key| value.get(key)).flat_map(text::texts_of);
    Some((label(value)?, parameters.collect()))
}

fn label(value: &Value) -> Option<Label> {
    let text = |name: &str| value.get(name)?.as_str().map(Into::into);
    let number = |name: &str| value.get(name)?.as_i64();
    Some(Label {
        run: text("run")?,
        workload: text("workload").unwrap_or_default(),
        fault: text("fault")?,
        node: value.get("node").and_then(nodes),
        begin_ms: number("begin_ms").or_else(|| number("start_ms")),
        end_ms: number("end_ms"),
    })
}

/// The faulty node; of several, their names in one text, as [`text::names_in`] has them.
fn nodes(value: &Value) -> Option<Box<str>> {
    let Value::Array(several) = value else { return value.as_str().map(Into::into) };
    text::joined_names(several.iter().filter_map(Value::as_str)).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::format::tests::{read, rows};

    fn labels(text: &str) -> Vec<Label> {
        let label = |event| if let Event::Label(label) = event { Some(*label) } else { None };
        rows(&Truth, text).into_iter().filter_map(|row| label(row.event)).collect()
    }

    #[test]
    fn list_over_many_lines_and_one_object_are_read() {
        let one = r#"{"run":"y02","workload":"terasort","fault":"CPUHog","node":"h303","start_ms":5,"params":{"a":1,"b":null,"D":["x"]}}"#;
        let read = labels(one);
        assert_eq!((&*read[0].run, read[0].node.as_deref(), read[0].begin_ms), ("y02", Some("h303"), Some(5)));
        let many =
            format!("[\n {one},\n {{\n\"run\":\"r1\",\"workload\":\"w\",\n\"fault\":\"none\",\"node\":null}}\n]\n");
        assert_eq!(labels(&many).len(), 2);
        assert_eq!(labels(&many)[1].node, None);
        let several = r#"{"run":"a14","fault":"CPUHog+DiskHog","node":["h103","h106"]}"#;
        assert_eq!(labels(several)[0].node.as_deref(), Some("h103, h106"));
        assert_eq!(labels(&several.replace(r#""h103","h106""#, ""))[0].node, None);
        let bare = r#"{"run":"y03","fault":"CPUHog","node":"h303"}"#;
        assert_eq!(Truth.sniff(&Head::new("truth.json", bare.as_bytes())), Confidence::Sure);
        assert_eq!((&*labels(bare)[0].run, &*labels(bare)[0].workload), ("y03", ""));
        let told = rows(&Truth, &many).into_iter().filter_map(|row| match row.event {
            Event::LabelParameter { run, name, value } => Some(format!("{run} {name}={value}")),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), [r#"y02 D=["x"]"#, "y02 a=1"]);
    }

    #[test]
    fn what_is_no_label_is_counted() {
        assert_eq!(read(&Truth, "x", b"[{\"run\":1}]").issues.count(Code::BadRecord), 1);
        assert_eq!(read(&Truth, "x", b"[{\"run\":\"a\",").issues.count(Code::CutRecord), 1);
    }
}
