//! Values of options, from their text; what is wrong with one is said in words.

use super::input::STDIN;
use crate::base::{AttemptId, JobId, zone_offset_ms};
use crate::diagnosis::numbers::Setting;
use crate::diagnosis::settable;
use crate::model::StateKind;
use crate::scene::swimlanes::Order;
use crate::scene::{Mark, Scene, View};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// The path of what is kept in a file: standard input and output are none.
pub(super) fn a_file(path: PathBuf) -> Result<PathBuf, String> {
    if path.as_os_str() == STDIN { Err(String::from("this needs a file of its own")) } else { Ok(path) }
}

/// A figure, or those of a section of the page: the first that has something to show is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figures(Vec<View>);

impl Figures {
    /// Whether it is one of labelled runs, not of one run.
    pub(super) fn are_of_labels(&self) -> bool {
        self.0.iter().all(|view| View::EVALUATION.contains(view))
    }

    /// The one that can show two runs, one above the other.
    pub(super) fn beside(&self) -> Option<View> {
        self.0.iter().copied().find(|view| View::SWIMLANES.contains(view) || *view == View::FlowsMatrix)
    }

    /// The first that shows something.
    pub(super) fn first(&self, lay_out: &dyn Fn(View) -> Scene) -> Option<Scene> {
        self.0.iter().map(|view| lay_out(*view)).find(shows_something)
    }

    /// What the first tells that it lacks.
    pub(super) fn lack(&self, lay_out: &dyn Fn(View) -> Scene) -> Option<String> {
        self.0.iter().find_map(|view| match lay_out(*view).marks.as_slice() {
            [Mark::Text { text, .. }] => Some(text.clone()),
            _ => None,
        })
    }

    /// Whether they are of system calls.
    pub(super) fn are_of_calls(&self) -> bool {
        self.0.iter().all(|view| View::SYSCALLS.contains(view))
    }

    /// `flows-paths or flows-path`.
    pub(super) fn names(&self) -> String {
        self.0.iter().map(|view| view.name()).collect::<Vec<_>>().join(" or ")
    }
}

/// Whether a figure has more than a heading and a text that tells what it lacks.
fn shows_something(scene: &Scene) -> bool {
    let only_tells = scene.rasters.is_empty() && matches!(scene.marks.as_slice(), [] | [Mark::Text { .. }]);
    !(scene.title.is_empty() || only_tells)
}

/// The help lists the names of all.
pub(super) fn figures() -> impl TypedValueParser<Value = Figures> {
    let names = View::drawable().map(View::name).chain(View::SECTIONS.map(|(name, _)| name));
    PossibleValuesParser::new(names).try_map(|name| {
        let section = || View::SECTIONS.into_iter().find(|(of, _)| *of == name).map(|(_, views)| views.to_vec());
        View::named(&name).map(|view| vec![view]).or_else(section).map(Figures).ok_or("no figure")
    })
}

pub(super) fn kind(text: &str) -> Result<StateKind, String> {
    let names = || StateKind::ALL.map(StateKind::name).join(", ");
    StateKind::ALL
        .into_iter()
        .find(|kind| kind.name() == text)
        .ok_or_else(|| format!("unknown kind; choose one of {}", names()))
}

pub(super) fn job(text: &str) -> Result<JobId, String> {
    JobId::named(text.as_bytes()).ok_or_else(|| String::from("not a job ID, such as job_202611202124_0001"))
}

/// Reads a whole number from `least` to `most`.
pub(super) fn whole<T: Copy + PartialOrd + Display + FromStr>(
    least: T,
    most: T,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("not a whole number from {least} to {most}"))
    }
}

/// Reads a whole number of `least` or more.
pub(super) fn at_least<T: Copy + PartialOrd + Display + FromStr>(
    least: T,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| *number >= least);
        number.ok_or_else(|| format!("not a whole number of {least} or more"))
    }
}

/// How many times as many tasks as usual are simulated.
pub(super) fn size(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.1..=100.0).contains(&x) => Ok(x),
        _ => Err("not a number from 0.1 to 100".to_owned()),
    }
}

/// A number's name and what it is to be.
pub(super) fn number(text: &str) -> Result<Setting, String> {
    let given = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let (name, value) = given.ok_or_else(|| String::from("not NAME=X"))?;
    settable::number(name, value)
}

/// A zone by its distance from UTC, as milliseconds to add to its times.
pub(super) fn zone(text: &str) -> Result<i64, String> {
    zone_offset_ms(text).ok_or_else(|| "not an offset from UTC, such as +05:30, -0800 or +5".to_owned())
}

pub(super) fn attempt(text: &str) -> Result<AttemptId, String> {
    AttemptId::named(text.as_bytes())
        .ok_or_else(|| "not an attempt ID, such as attempt_202611202124_0001_m_000004_0".to_owned())
}

pub(super) fn order(text: &str) -> Result<Order, String> {
    Order::ALL
        .into_iter()
        .find(|order| order.name() == text)
        .ok_or_else(|| "neither start, end nor duration".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_refused_in_words() {
        let nodes = whole(3_u64, 2000);
        assert_eq!((nodes("3"), nodes("2000")), (Ok(3), Ok(2000)));
        for bad in ["2", "2001", "-1", "1e3", "99999999999999999999", "x", ""] {
            assert_eq!(nodes(bad), Err("not a whole number from 3 to 2000".into()), "{bad}");
        }
    }

    #[test]
    fn whole_number_without_an_end_names_none() {
        let workers = at_least(1_usize);
        assert_eq!(workers("18"), Ok(18));
        for bad in ["0", "-1", "x", ""] {
            assert_eq!(workers(bad), Err("not a whole number of 1 or more".into()), "{bad}");
        }
    }

    #[test]
    fn setting_has_a_name_and_a_value() {
        for bad in ["wb_alpha", "wb_alpha=", "=1", ""] {
            assert_eq!(number(bad), Err("not NAME=X".into()), "{bad}");
        }
        assert_eq!(number("wb_alpha=x"), Err("x is not a number".into()));
    }
}
