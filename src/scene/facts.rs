//! What is told of a culprit beside its sentence: the same on the page and in a saved one.

use super::axis::date_and_clock;
use crate::base::TimeZone;
pub use crate::report::sentence::cause_in_words as cause;
use crate::report::{Culprit, JobRow, sentence};

/// Names and values, in the order in which they are told.
pub fn of(c: &Culprit, zone: TimeZone) -> impl Iterator<Item = (&'static str, String)> {
    let time = |ms: i64| date_and_clock(ms, zone);
    let since = c.since_ms.map_or_else(|| String::from("not known"), time);
    [
        Some(("Cause", cause(&c.cause))),
        Some(("Since", since)),
        c.until_ms.map(|ms| ("Until", time(ms))),
        // Two decimals, as in the sentence.
        Some(("Sureness (0 to 1)", format!("{:.2}", c.sureness))),
        Some(("Who acts", c.who.replace('-', " "))),
    ]
    .into_iter()
    .flatten()
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
