//! Counters in job histories of JSON, by what those of the events before looked like.
//!
//! ```text
//! …,"counters":{"name":"COUNTERS","groups":[{…,"counts":[{"name":"FILE_BYTES_READ","displayName":"FILE: …","value":0},…]},"clockSplits":[…
//! ```
//! Nine tenths of a history are counters (`org.apache.hadoop.mapreduce.jobhistory.JhCounters`), and those of two
//! attempts differ in nothing but the values. So the text between the values is remembered, and where the next
//! event has the same text, its values are read and its counters cut out before the rest is parsed. Where it
//! has another, the event is parsed whole: what is read is the same. Cost: O(bytes), most of it a comparison.

use super::jhist_fields::{Fields, is_kept};
use super::json;
use crate::base::bytes::{self, Word};
use crate::base::ids::number;

/// What an event's counters begin with; inside of a text its quotes would be escaped.
const BEGIN: &[u8] = b",\"counters\":{";
const FIRST: Word<'_> = Word::new(BEGIN);
/// What stands for counters that are cut out.
const CUT: &[u8] = b",\"counters\":true";
/// What a value follows.
const VALUE: &[u8] = b"\"value\":";
const NEXT_VALUE: Word<'_> = Word::new(VALUE);
/// What a counter begins with.
const NAME: &[u8] = b"{\"name\":\"";
/// Shapes remembered: maps' and reduces' attempts and tasks, and those of some that were killed.
const SHAPES: usize = 6;
/// Shapes learned beyond those that came again: where each event has its own, that is given up.
const IN_VAIN: usize = 32;
/// Digits of a value that surely fits.
const DIGITS: usize = 18;

/// Shapes of counters, the last met first.
#[derive(Debug, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    learned: usize,
    met: usize,
    /// Values of the event at hand.
    values: Vec<i64>,
    /// The event at hand without its counters.
    rest: Vec<u8>,
}

/// Counters without their values.
#[derive(Debug)]
struct Shape {
    /// What stands before, between and behind the values.
    text: Vec<u8>,
    values: Vec<Value>,
    has_groups: bool,
}

#[derive(Debug)]
struct Value {
    /// Where it stands in the shape's text.
    at: usize,
    /// The counter's name, if its value is kept.
    name: Option<String>,
}

impl Shapes {
    /// Reads an event that stands on one line.
    ///
    /// # Errors
    /// If it is no JSON.
    pub fn read<'a>(&'a mut self, line: &'a [u8]) -> serde_json::Result<Fields<'a>> {
        let Some((before, rest)) = FIRST.find(line).and_then(|at| line.split_at_checked(at)) else {
            return parse(line);
        };
        let counters = rest.get(BEGIN.len() - 1..).unwrap_or_default();
        let Some(len) = self.find(counters) else {
            let fields = parse(line)?;
            self.learn(counters);
            return Ok(fields);
        };
        self.rest.clear();
        self.rest.extend_from_slice(before);
        self.rest.extend_from_slice(CUT);
        self.rest.extend_from_slice(counters.get(len..).unwrap_or_default());
        let mut fields = parse(&self.rest)?;
        if fields.counters_are_cut
            && let Some(shape) = self.shapes.first()
        {
            shape.count(&self.values, &mut fields);
        }
        Ok(fields)
    }

    /// Moves the shape that these counters have to the front and notes their values; their length.
    fn find(&mut self, text: &[u8]) -> Option<usize> {
        let values = &mut self.values;
        let (at, len) = self.shapes.iter().enumerate().find_map(|(at, shape)| Some((at, shape.fit(text, values)?)))?;
        self.shapes.get_mut(..=at)?.rotate_right(1);
        self.met += 1;
        Some(len)
    }

    /// Remembers the shape of counters that are JSON.
    fn learn(&mut self, text: &[u8]) {
        if self.learned >= self.met.saturating_add(IN_VAIN) {
            return;
        }
        self.learned += 1;
        if let Some(shape) = json::object_len(text).and_then(|len| Shape::of(text.get(..len)?)) {
            self.shapes.truncate(SHAPES - 1);
            self.shapes.insert(0, shape);
        }
    }
}

impl Shape {
    /// The shape of these counters; `None` if they are not written as Hadoop writes them.
    fn of(counters: &[u8]) -> Option<Self> {
        let mut shape = Self {
            text: Vec::with_capacity(counters.len()),
            values: Vec::new(),
            has_groups: bytes::contains(counters, b"\"groups\":"),
        };
        let mut rest = counters;
        while let Some(at) = NEXT_VALUE.find(rest) {
            let (before, value) = rest.split_at_checked(at + VALUE.len())?;
            let name = before.get(bytes::rfind(before, NAME)? + NAME.len()..)?;
            let name = std::str::from_utf8(name.get(..memchr::memchr(b'"', name)?)?).ok()?;
            rest = value.get(whole_number(value)?.1..).filter(|rest| rest.starts_with(b"}"))?;
            shape.text.extend_from_slice(before);
            let name = is_kept(name).then(|| name.to_owned());
            shape.values.push(Value { at: shape.text.len(), name });
        }
        shape.text.extend_from_slice(rest);
        Some(shape)
    }

    /// The length of the counters with which `text` begins, if they have this shape; and their values.
    fn fit(&self, text: &[u8], values: &mut Vec<i64>) -> Option<usize> {
        values.clear();
        let (mut rest, mut passed) = (text, 0);
        for Value { at, .. } in &self.values {
            rest = behind(rest, self.text.get(passed..*at)?)?;
            let (value, len) = whole_number(rest)?;
            values.push(value);
            (rest, passed) = (rest.get(len..)?, *at);
        }
        Some(text.len() - behind(rest, self.text.get(passed..)?)?.len())
    }

    /// Notes the counters that are kept.
    fn count(&self, values: &[i64], fields: &mut Fields<'_>) {
        if self.has_groups {
            fields.counters.get_or_insert_default();
        }
        for (Value { name, .. }, value) in self.values.iter().zip(values) {
            if let Some(name) = name {
                fields.count(name, Some(*value));
            }
        }
    }
}

/// What stands behind the words with which a text begins.
fn behind<'t>(text: &'t [u8], words: &[u8]) -> Option<&'t [u8]> {
    let (begin, behind) = text.split_at_checked(words.len())?;
    bytes::same(begin, words).then_some(behind)
}

/// Reads an event whole.
#[inline(never)]
fn parse(event: &[u8]) -> serde_json::Result<Fields<'_>> {
    json::read(event)
}

/// The whole number with which `text` begins and its length, if it is written as JSON wants it and short.
fn whole_number(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.starts_with(b"-");
    let digits = text.get(usize::from(negative)..)?;
    let (value, rest) = number(digits)?;
    let len = digits.len() - rest.len();
    let leading_zero = digits.starts_with(b"0") && (len > 1 || negative);
    if len > DIGITS || leading_zero {
        return None;
    }
    let value = i64::try_from(value).ok()?;
    Some((if negative { -value } else { value }, len + usize::from(negative)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An event with three counters, of which two are kept, and what comes behind.
    fn event(kind: &str, values: [&str; 3], behind: &str) -> String {
        let [spilled, other, memory] = values;
        format!(
            r#"{{"type":"{kind}","event":{{"X":{{"taskid":"t","counters":{{"name":"MAP","groups":[{{"name":"g","displayName":"G","counts":[
            {{"name":"SPILLED_RECORDS","displayName":"a \"{{b","value":{spilled}}},{{"name":"OTHER","displayName":"","value":{other}}}]}},
            {{"name":"h","displayName":"H","counts":[{{"name":"PHYSICAL_MEMORY_BYTES","displayName":"m","value":{memory}}}]}}]}}{behind}"#
        )
    }

    /// What is read of one event after another, and how often a shape was met.
    fn read(events: &[String]) -> (Vec<Option<Fields<'static>>>, usize) {
        let mut shapes = Shapes::default();
        let read = events.iter().map(|event| shapes.read(event.as_bytes()).ok().map(Fields::into_owned)).collect();
        (read, shapes.met)
    }

    fn whole(events: &[String]) -> Vec<Option<Fields<'static>>> {
        events.iter().map(|event| json::read::<Fields<'_>>(event.as_bytes()).ok().map(Fields::into_owned)).collect()
    }

    const ATTEMPT_KIND: &str = "MAP_ATTEMPT_FINISHED";
    const END: &str = r#","finishTime":5}}}"#;

    #[test]
    fn counters_of_the_same_shape_are_read_by_it() {
        let events = [
            event(ATTEMPT_KIND, ["3", "0", "9"], END),
            event(ATTEMPT_KIND, ["-4", "12", "123456789012345678"], r#","error":"a\n,\"counters\":{"}}}"#),
            event("TASK_FINISHED", ["5", "5", "5"], END),
        ];
        let (fields, met) = read(&events);
        assert_eq!((&fields, met), (&whole(&events), 2));
        let second = fields.get(1).unwrap().as_ref().unwrap();
        let counters = second.counters.unwrap();
        assert_eq!((counters.spilled_records.get(), second.memory), (Some(-4), Some(123_456_789_012_345_678)));
        assert_eq!(second.text("error"), Some("a\n,\"counters\":{"));
        assert_eq!(fields.get(2).unwrap().as_ref().unwrap().counters, None);
    }

    #[test]
    fn values_that_are_no_plain_number_are_left_to_the_parser() {
        for value in
            ["1.5", "1e3", "007", "-0", "-", "", "\"7\"", "null", "9223372036854775807", "99999999999999999999"]
        {
            let events = [event(ATTEMPT_KIND, ["3", "0", "9"], END), event(ATTEMPT_KIND, ["1", "2", value], END)];
            assert_eq!(read(&events), (whole(&events), 0), "{value}");
        }
    }

    #[test]
    fn a_record_inside_and_a_second_name_count_as_ever() {
        let first = event(ATTEMPT_KIND, ["3", "0", "9"], END);
        for behind in [
            // The record was none of the event's own: its counters are forgotten.
            r#"},"taskid":"u"}}"#,
            r#","counters":{"groups":[]}}}}"#,
            r#","counters":null}}}"#,
            // No JSON.
            r#"}}"#,
            r#",}}}"#,
        ] {
            let events = [first.clone(), event(ATTEMPT_KIND, ["4", "4", "4"], behind)];
            assert_eq!(read(&events).0, whole(&events), "{behind}");
        }
    }

    #[test]
    fn shapes_that_never_come_again_are_not_learned_for_ever() {
        let mut shapes = Shapes::default();
        for i in 0..1000 {
            let text = event(ATTEMPT_KIND, ["1", "1", "1"], END).replace("OTHER", &format!("OTHER{i}"));
            shapes.read(text.as_bytes()).unwrap();
        }
        assert_eq!((shapes.learned, shapes.shapes.len()), (IN_VAIN, SHAPES));
    }

    proptest! {
        /// However an event is damaged, it is read as without shapes.
        #[test]
        fn damaged_events_are_read_as_without_shapes(at in 0_usize..420, byte in any::<u8>(), times in 1_usize..3) {
            let good = event(ATTEMPT_KIND, ["3", "10", "9"], END).replace('\n', "");
            let mut bytes = good.clone().into_bytes();
            for i in 0..times {
                let len = bytes.len();
                if let Some(place) = bytes.get_mut((at + i * 37) % len) {
                    *place = byte;
                }
            }
            let mut shapes = Shapes::default();
            shapes.read(good.as_bytes()).unwrap();
            let read = shapes.read(&bytes).ok().map(Fields::into_owned);
            prop_assert_eq!(read, json::read::<Fields<'_>>(&bytes).ok().map(Fields::into_owned));
        }
    }
}
