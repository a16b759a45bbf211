//! What a diagnosis can be asked otherwise than usual, beside clocks and control runs, by the names that the command
//! has for it: as data for whoever offers it, and from texts to [`Params`].
//!
//! ```text
//! --threshold 0.4   a value        wb_alpha 0.05   a number        --kahuna-literal   a switch, which has no text
//! ```

use super::kahuna_bb::Learning;
use super::numbers::Setting;
use super::{Number, Numbers, Params, Reading, Threshold};
use serde::{Deserialize, Serialize};

/// See [`threshold`].
pub const THRESHOLD: &str = "--threshold";
/// See [`seconds`].
pub const WINDOW: &str = "--window";

/// A switch: its name, what it does, and how that is asked.
type Switch = (&'static str, &'static str, fn(&mut Params));

/// In the order of their methods.
pub const SWITCHES: [Switch; 5] = [
    (
        "--kahuna-literal",
        "Indict by durations of the paper's six states whoever is far from a majority, faster ones too, as Kahuna does, to the letter",
        |params| params.kahuna = Reading::Literal,
    ),
    (
        "--profiles literal",
        "Compare metrics as the paper does: by profiles of control runs alone, of all 14 metrics, as many as BIC finds",
        |params| params.learning = Learning::Literal,
    ),
    (
        "--syscalls-literal",
        "Learn and compare system calls as the paper does, to the letter: totals, any direction, each node's own calls",
        |params| params.syscalls.literal = true,
    ),
    ("--syscalls-peer-only", "Compare system calls with those of the other nodes instead of control runs", |params| {
        params.syscalls.peer_only = true
    }),
    ("--theia-literal", "Score jobs across nodes by the paper's formula to the letter", |params| {
        params.theia = Reading::Literal;
    }),
];

/// One thing that can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settable {
    /// Its name: an option of the command's, or a number's.
    pub name: String,
    /// What it is if nobody sets it; a switch is off, and takes no text.
    pub usual: Option<String>,
    /// What it is, and what it may be.
    pub about: String,
}

/// All that can be set: values, switches, numbers.
#[must_use]
pub fn all() -> Vec<Settable> {
    let Params { window_s, .. } = Params::default();
    let value =
        |name: &str, usual: String, about: String| Settable { name: name.to_owned(), usual: Some(usual), about };
    let values = [
        value(
            THRESHOLD,
            String::from("auto"),
            String::from("Distance from a majority of its peers beyond which a node is indicted: auto, or 0 to 1"),
        ),
        value(
            WINDOW,
            window_s.to_string(),
            String::from("Length of the sliding windows in which distances are shown over time, in seconds"),
        ),
    ];
    let switch = |(name, about, _): Switch| Settable { name: name.to_owned(), usual: None, about: about.to_owned() };
    let number = |number: Number| {
        let about = number.about();
        let (least, most) = (about.allowed.start(), about.allowed.end());
        value(about.name, about.usual.to_string(), format!("{}: {least} to {most}", about.means))
    };
    values.into_iter().chain(SWITCHES.map(switch)).chain(Number::ALL.map(number)).collect()
}

/// What is asked: what is set, by name, each with its text. All else is as usual.
///
/// # Errors
/// What cannot be so, by name, each with the reason.
pub fn params(set: &[(String, String)]) -> Result<Params, Vec<(String, String)>> {
    let mut params = Params::default();
    let (mut numbers, mut refused) = (Vec::new(), Vec::new());
    for (name, text) in set {
        let switch = SWITCHES.iter().find(|(switch, _, _)| switch == name);
        let done = match (name.as_str(), switch) {
            (_, Some((_, _, turn))) => {
                turn(&mut params);
                Ok(())
            }
            (THRESHOLD, _) => threshold(text).map(|threshold| params.threshold = threshold),
            (WINDOW, _) => seconds(text).map(|seconds| params.window_s = seconds),
            _ => number(name, text).map(|setting| numbers.push(setting)),
        };
        refused.extend(done.err().map(|why| (name.clone(), why)));
    }
    params.numbers = Numbers::with(&numbers);
    if refused.is_empty() { Ok(params) } else { Err(refused) }
}

/// `auto` or a distance.
///
/// # Errors
/// In words.
pub fn threshold(text: &str) -> Result<Threshold, String> {
    if text == "auto" {
        return Ok(Threshold::Auto);
    }
    match text.parse() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(Threshold::Fixed(x)),
        _ => Err(String::from("it takes auto or a number from 0 to 1")),
    }
}

/// A length of time.
///
/// # Errors
/// In words.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(s) if s > 0.0 && f64::is_finite(s) => Ok(s),
        _ => Err(String::from("not a number of seconds above 0")),
    }
}

/// A number of the methods.
///
/// # Errors
/// In words.
pub fn number(name: &str, text: &str) -> Result<Setting, String> {
    let value: f64 = text.parse().map_err(|_| format!("{text} is not a number"))?;
    Setting::new(name, value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_is_usual_changes_nothing() {
        assert_eq!(params(&[]), Ok(Params::default()));
        let usual: Vec<(String, String)> = all().into_iter().filter_map(|one| Some((one.name, one.usual?))).collect();
        assert_eq!(usual.len(), 2 + Number::ALL.len());
        let asked = params(&usual).unwrap();
        let values = |params: &Params| Number::ALL.map(|number| params.numbers.get(number).to_bits());
        assert_eq!(values(&asked), values(&Params::default()));
        assert_eq!(Params { numbers: Numbers::default(), ..asked }, Params::default());
    }

    #[test]
    fn what_is_set_is_asked() {
        let asked = params(&set(&[(THRESHOLD, "0.4"), (WINDOW, "30"), ("wb_bins", "4"), ("--theia-literal", "")]));
        let numbers = Numbers::with(&[Setting::new("wb_bins", 4.0).unwrap()]);
        let threshold = Threshold::Fixed(0.4);
        let theia = Reading::Literal;
        assert_eq!(asked, Ok(Params { threshold, window_s: 30.0, theia, numbers, ..Params::default() }));
        for (name, _, _) in SWITCHES {
            assert!(params(&set(&[(name, "")])).is_ok_and(|asked| asked != Params::default()), "{name}");
        }
    }

    #[test]
    fn threshold_is_auto_or_a_distance() {
        assert_eq!(threshold("auto"), Ok(Threshold::Auto));
        assert_eq!(threshold("0.5"), Ok(Threshold::Fixed(0.5)));
        for bad in ["1.5", "-1", "NaN", "x"] {
            assert!(threshold(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_is_named_each_with_its_reason() {
        let asked =
            [(THRESHOLD, "2"), (WINDOW, "0"), ("wb_bins", "2.5"), ("wb_slow", "1,5"), ("wb_gap", "2"), ("x", "1")];
        let refused = params(&set(&asked)).unwrap_err();
        let of = |name: &str| refused.iter().find(|(of, _)| of == name).map(|(_, why)| why.as_str());
        assert_eq!(refused.len(), 5);
        assert_eq!(of(THRESHOLD), Some("it takes auto or a number from 0 to 1"));
        assert_eq!(of(WINDOW), Some("not a number of seconds above 0"));
        assert_eq!(of("wb_bins"), Some("wb_bins is a whole number from 2 to 100"));
        assert_eq!(of("wb_slow"), Some("1,5 is not a number"));
        assert!(of("x").is_some_and(|why| why.starts_with("unknown parameter x;")));
    }
}
