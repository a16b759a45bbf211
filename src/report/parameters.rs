//! The switches that a verdict was reached with, by name: all of them, so that it can be reached again.

use crate::base::{Gathered, zone_name};
use crate::diagnosis::kahuna_bb::{self, Learning};
use crate::diagnosis::{Comparison, Number, Params, Reading, Threshold, Witness};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Threshold on T(i): `"auto"` or a number.
pub(super) const THRESHOLD: &str = "threshold";
/// Length of the sliding windows in seconds.
pub(super) const WINDOW_S: &str = "window_s";
/// Milliseconds to add to log times, or null.
pub(super) const TZ_OFFSET_MS: &str = "tz_offset_ms";
/// Whether skews were taken out.
pub(super) const FIX_CLOCKS: &str = "fix_clocks";
/// Whether system calls were compared to the letter.
pub(super) const SYSCALLS_LITERAL: &str = "syscalls_literal";
/// Whether they were compared with those of other nodes alone.
pub(super) const SYSCALLS_PEER_ONLY: &str = "syscalls_peer_only";
/// Whether Kahuna's majority rule was read to the letter.
pub(super) const KAHUNA_LITERAL: &str = "kahuna_literal";
/// Whether Theia's score was read to the letter.
pub(super) const THEIA_LITERAL: &str = "theia_literal";
/// How profiles of metrics were learned.
pub(super) const PROFILES: &str = "profiles";
/// What was learned from control runs, in words, or null.
pub(super) const BASELINE: &str = "baseline";

/// Those of an analysis, and the numbers of its methods.
pub(super) fn of(params: &Params, witnesses: &[Witness]) -> BTreeMap<String, Value> {
    let numbers = Number::ALL.map(|number| {
        let (about, value) = (number.about(), params.numbers.get(number));
        (about.name.to_owned(), if about.is_whole { json!(value as u64) } else { json!(value) })
    });
    let threshold = match params.threshold {
        Threshold::Auto => json!("auto"),
        Threshold::Fixed(x) => json!(x),
    };
    let switches = [
        (THRESHOLD, threshold),
        (WINDOW_S, json!(params.window_s)),
        (TZ_OFFSET_MS, json!(params.tz_offset_ms)),
        (FIX_CLOCKS, json!(params.fix_clocks)),
        (SYSCALLS_LITERAL, json!(params.syscalls.literal)),
        (SYSCALLS_PEER_ONLY, json!(params.syscalls.peer_only)),
        (KAHUNA_LITERAL, json!(params.kahuna == Reading::Literal)),
        (THEIA_LITERAL, json!(params.theia == Reading::Literal)),
        (PROFILES, json!(params.learning)),
        (BASELINE, json!(params.baseline.as_ref().map(|baseline| baseline.in_words()))),
    ];
    let switches = switches.map(|(name, value)| (name.to_owned(), value));
    let mut parameters: BTreeMap<_, _> = switches.into_iter().chain(numbers).gathered();
    if let Threshold::Fixed(x) = params.threshold {
        let of_profiles = kahuna_bb::threshold_beside(x, &params.numbers);
        parameters.insert(Number::BbThreshold.about().name.to_owned(), json!(of_profiles));
    }
    if params.learning == Learning::Literal {
        // BIC chooses, where there is something to learn from.
        let learned = witnesses.iter().find_map(|w| match &w.comparison {
            Some(Comparison::System(c)) => Some(c.profile_count),
            _ => None,
        });
        parameters.insert(Number::BbProfiles.about().name.to_owned(), json!(learned));
    }
    parameters
}

/// The options of the command that set them as they are, without those that are as usual; those of clocks on demand.
/// Control runs have none that would do.
pub(super) fn options(parameters: &BTreeMap<String, Value>, clocks: bool) -> Vec<String> {
    let value = |name: &str| parameters.get(name);
    let number = |name: &str| value(name).and_then(Value::as_f64);
    let is_on = |name: &str| value(name).and_then(Value::as_bool) == Some(true);
    let mut options = Vec::new();
    options.extend(number(THRESHOLD).map(|x| format!("--threshold {x}")));
    let usual_s = Params::default().window_s;
    let window = number(WINDOW_S).filter(|s| (s - usual_s).abs() > f64::EPSILON);
    options.extend(window.map(|s| format!("--window {s}")));
    if clocks {
        let offset_ms = value(TZ_OFFSET_MS).and_then(Value::as_i64);
        options.extend(offset_ms.map(|ms| format!("--tz {}", zone_name(ms))));
        options.extend(is_on(FIX_CLOCKS).then(|| String::from("--fix-clocks")));
    }
    for (name, switch) in [
        (SYSCALLS_LITERAL, "--syscalls-literal"),
        (SYSCALLS_PEER_ONLY, "--syscalls-peer-only"),
        (KAHUNA_LITERAL, "--kahuna-literal"),
        (THEIA_LITERAL, "--theia-literal"),
    ] {
        options.extend(is_on(name).then(|| switch.to_owned()));
    }
    let literal = value(PROFILES).and_then(Value::as_str) == Some("literal");
    options.extend(literal.then(|| String::from("--profiles literal")));
    // How many profiles was found then, not set.
    for one in Number::ALL.into_iter().filter(|one| !literal || *one != Number::BbProfiles) {
        let about = one.about();
        let usual = usual_of(one, number(THRESHOLD));
        let set = number(about.name).filter(|x| (x - usual).abs() > f64::EPSILON);
        options.extend(set.map(|x| format!("--set {}={x}", about.name)));
    }
    options
}

/// What a number is if nobody sets it: a fixed threshold is that of profiles, too.
fn usual_of(number: Number, threshold: Option<f64>) -> f64 {
    threshold.filter(|_| number == Number::BbThreshold).unwrap_or(number.about().usual)
}

/// Leaves those that are not what they are if nobody sets them.
pub(super) fn keep_set(parameters: &mut BTreeMap<String, Value>) {
    let fixed = parameters.get(THRESHOLD).and_then(Value::as_f64);
    let mut usual = of(&Params::default(), &[]);
    usual.insert(Number::BbThreshold.about().name.to_owned(), json!(usual_of(Number::BbThreshold, fixed)));
    parameters.retain(|name, value| usual.get(name) != Some(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::numbers::Setting;
    use crate::diagnosis::syscalls::Switches;
    use crate::diagnosis::{Baseline, Method, Numbers, Signal};
    use crate::report::{Report, ticket};
    use std::sync::Arc;

    /// `--profiles literal` lets BIC choose how many.
    #[test]
    fn number_of_profiles_is_the_one_that_was_used() {
        let mut witness = Witness::new(Method::KahunaBb, Signal::OwnProfiles);
        let found = kahuna_bb::SystemComparison { profile_count: 15, ..Default::default() };
        witness.comparison = Some(Comparison::System(Box::new(found)));
        let of = |learning, witnesses: &[Witness]| {
            of(&Params { learning, ..Params::default() }, witnesses).remove("bb_profiles").unwrap()
        };
        assert_eq!(of(Learning::Usual, std::slice::from_ref(&witness)), json!(7));
        assert_eq!(of(Learning::Literal, &[witness]), json!(15));
        assert_eq!(of(Learning::Literal, &[]), json!(null));
    }

    #[test]
    fn whatever_is_set_is_kept_and_stands_in_the_command_that_reproduces() {
        let params = Params {
            threshold: Threshold::Fixed(0.4),
            window_s: 30.0,
            tz_offset_ms: Some(3_600_000),
            fix_clocks: true,
            syscalls: Switches { literal: true, peer_only: true },
            theia: Reading::Literal,
            kahuna: Reading::Literal,
            learning: Learning::Literal,
            baseline: Some(Arc::new(Baseline::default())),
            numbers: Numbers::with(&[Setting::new("wb_bins", 4.0).unwrap()]),
        };
        let mut report = Report { parameters: of(&params, &[]), ..Report::default() };
        let whole = ticket::command(&report);
        for option in [
            "--threshold 0.4",
            "--window 30",
            "--tz UTC-01:00",
            "--fix-clocks",
            "--syscalls-literal",
            "--syscalls-peer-only",
            "--kahuna-literal",
            "--theia-literal",
            "--profiles literal",
            "--set wb_bins=4",
            "--control CONTROL",
        ] {
            assert!(whole.contains(option), "{option}: {whole}");
        }
        keep_set(&mut report.parameters);
        // How many profiles there were is not known without metrics.
        assert_eq!(report.parameters.len(), 12, "{:?}", report.parameters);
        assert_eq!(ticket::command(&report), whole);
        let mut usual = of(&Params::default(), &[]);
        keep_set(&mut usual);
        assert!(usual.is_empty());
    }

    /// Profiles are judged by the fixed threshold, too, unless they have their own.
    #[test]
    fn threshold_of_profiles_is_the_one_that_was_used_and_is_set_where_it_is_another() {
        let judged = |threshold: Threshold, own: Option<f64>| {
            let own: Vec<Setting> = own.into_iter().map(|own| Setting::new("bb_threshold", own).unwrap()).collect();
            let params = Params { threshold, numbers: Numbers::with(&own), ..Params::default() };
            let mut parameters = of(&params, &[]);
            let (used, whole) = (parameters.get("bb_threshold").cloned().unwrap(), options(&parameters, false));
            keep_set(&mut parameters);
            assert_eq!(options(&parameters, false), whole, "{threshold:?} {own:?}: as a link keeps them");
            (used, whole.join(" "))
        };
        let fixed = Threshold::Fixed(0.3);
        assert_eq!(judged(fixed, None), (json!(0.3), "--threshold 0.3".into()));
        assert_eq!(judged(fixed, Some(0.3)), (json!(0.3), "--threshold 0.3".into()));
        assert_eq!(judged(fixed, Some(0.45)), (json!(0.45), "--threshold 0.3 --set bb_threshold=0.45".into()));
        assert_eq!(judged(fixed, Some(0.6)), (json!(0.6), "--threshold 0.3 --set bb_threshold=0.6".into()));
        assert_eq!(judged(Threshold::Auto, None), (json!(0.45), String::new()));
        assert_eq!(judged(Threshold::Auto, Some(0.3)), (json!(0.3), "--set bb_threshold=0.3".into()));
    }

    #[test]
    fn what_is_set_is_told_and_clocks_have_their_own_place() {
        let report = |params: &Params| Report { parameters: of(params, &[]), ..Report::default() };
        assert_eq!(report(&Params { fix_clocks: true, ..Params::default() }).set_in_words(), None);
        let numbers = Numbers::with(&[Setting::new("wb_bins", 4.0).unwrap()]);
        let params = Params { threshold: Threshold::Fixed(0.4), tz_offset_ms: Some(0), numbers, ..Params::default() };
        let told = "Reached with other values than the usual: --threshold 0.4 --set wb_bins=4.";
        assert_eq!(report(&params).set_in_words().as_deref(), Some(told));
    }
}
