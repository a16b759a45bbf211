//! What is told of a culprit beside its sentence, and what tables of the verdict are headed: the same on the page and in a
//! saved one.

use super::axis::date_and_clock;
use crate::base::TimeZone;
pub use crate::report::symptom::cause_in_words as cause;
use crate::report::{Culprit, JobRow, sentence};

/// What tables of methods are headed: rows are [`Say::cells`](crate::report::agreement::Say::cells).
pub const METHOD_HEADERS: [&str; 4] = ["Method", "Indicts", "Clears", "Abstains"];
/// The same of witnesses: [`witness_cells`](crate::report::agreement::witness_cells).
pub const WITNESS_HEADERS: [&str; 5] = ["Witness", "Signal", "Says", "Threshold", "Oddest scores"];

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
