//! What is told of a culprit beside its sentence: the same on the page and in a saved one.

use super::axis::date_and_clock;
use crate::base::TimeZone;
use crate::report::{Culprit, JobRow, sentence};

/// Names and values, in the order in which they are told.
#[must_use]
pub fn of(c: &Culprit, zone: TimeZone) -> [(&'static str, String); 4] {
    let since = c.since_ms.map(|ms| date_and_clock(ms, zone));
    [
        ("Cause", cause(&c.cause)),
        ("Since", since.unwrap_or_else(|| String::from("not known"))),
        // Two decimals, as in the sentence.
        ("Sureness (0 to 1)", format!("{:.2}", c.sureness)),
        ("Who acts", c.who.replace('-', " ")),
    ]
}

/// The same of a job with trouble of its own.
#[must_use]
pub fn of_job(j: &JobRow) -> [(&'static str, String); 4] {
    let or_dash = |text: &str| String::from(if text.is_empty() { "–" } else { text });
    [
        ("Problem", sentence::trouble(&j.class).unwrap_or_default().to_owned()),
        ("Name", or_dash(j.name.as_deref().unwrap_or_default())),
        ("Status", or_dash(&j.status)),
        ("Who acts", String::from("job owner")),
    ]
}

/// A cause as people write it.
#[must_use]
pub fn cause(name: &str) -> String {
    match name {
        "cpu" => "CPU".to_owned(),
        "disk-full" => "disk full".to_owned(),
        other => other.replace('-', " "),
    }
}
