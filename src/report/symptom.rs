//! What a culprit's cause looks like, in words, and what to do about it: made of the report's own fields, as
//! the sentences are.

use super::Culprit;
use crate::diagnosis::cause::{Cause, Rule};
use crate::diagnosis::{Method, Signal};
use crate::model::ComplaintKind;

/// A cause as people write it.
#[must_use]
pub fn cause_in_words(name: &str) -> String {
    match name {
        "cpu" => "CPU".to_owned(),
        "disk-full" => "disk full".to_owned(),
        other => other.replace('-', " "),
    }
}

/// Of a node whose logs complain of its disks, and nothing was timed.
const DISKS_FAIL: &str = "its disks fail or are slow, as the logs say";

/// Of a node that others cannot reach, where nobody timed what was moved.
pub(super) const UNREACHED: &str = "other nodes fail to reach it or to fetch from it, as if its network lost packets";

/// Of a node whose own attempts tell of it, and nobody else.
const UNREACHING: &str = "its tasks fail to reach other nodes or to fetch from them, as if its network lost packets";

/// Of a node that others reach, but late.
pub(super) const LATE_TO_CONNECT: &str =
    "others wait a second and more for their connections with it, as if its network lost packets";

/// Of a node whose tasks may well go on, but whose map outputs are not to be had.
const UNSERVED: &str = "map outputs that it holds cannot be fetched from it";

/// Of a node whose reduces cannot merge what they had fetched.
const UNMERGED: &str = "map outputs that its reduces had fetched are gone";

/// What to do about either: such a node mostly works, but for its folders.
const OUTPUTS_LOST: &str = "See whether the folders of mapred.local.dir or yarn.nodemanager.local-dirs on the node were emptied or cannot be written (df, mount, cron jobs that clean up), and what its logs say of them. If the folders are whole, take thread dumps (jstack) of its TaskTracker or NodeManager, then restart it.";

/// Of a node of which a daemon was lost, or says that it stood still, while nothing shows that a task hung.
const STOOD: &str = "one of its daemons stood still";

/// Of a node of which a daemon is there again.
const DIED: &str = "one of its daemons ended without a word and was started anew";

/// What to do about it.
const DAEMON_DIED: &str = "See why its daemon ended: the daemon's .out file (OutOfMemoryError, hs_err_pid*.log), dmesg (killed for lack of memory), and who or what started it again.";

/// Of a node of which no duration was compared, and no cause is told.
const FAILS: &str = "work fails on it or with it, more than on its peers";

/// Of a node whose work takes less time than elsewhere.
const FASTER: &str = "its work takes less time than its peers'";

/// What is wrong, as far as the evidence goes: where no duration speaks, nothing is said to be slow.
pub(super) fn what(c: &Culprit) -> &'static str {
    let [words, metrics] = [Method::SlowWarnings, Method::KahunaBb].map(Method::name);
    let said = c.evidence.iter().any(|e| e.method == words);
    let measured = c.evidence.iter().any(|e| e.method == metrics);
    let timed = c.evidence.iter().any(|e| e.method != words && e.method != metrics);
    // What Theia says of jobs may be of attempts that failed.
    let compared = c.evidence.iter().any(|e| [Method::KahunaWb, Method::Flows].iter().any(|m| e.method == m.name()));
    let tells = |signal: Signal| c.evidence.iter().any(|e| e.method == words && e.signal == signal.name());
    let only = |kinds: &[ComplaintKind]| {
        let is_one = |signal: &str| kinds.iter().any(|kind| signal == Signal::Complaints(*kind).name());
        c.evidence.iter().filter(|e| e.method == words).all(|e| is_one(&e.signal))
    };
    let complains = |kind: ComplaintKind| tells(Signal::Complaints(kind));
    let disk_said =
        [ComplaintKind::BadDisk, ComplaintKind::SlowDisk, ComplaintKind::BadChecksum].into_iter().any(complains);
    let (lost, unserved) = (complains(ComplaintKind::LostNode), complains(ComplaintKind::MapOutputLost));
    let unmerged = complains(ComplaintKind::FetchedOutputLost);
    let paused = complains(ComplaintKind::Paused);
    let stands = complains(ComplaintKind::TimedOut) || tells(Signal::Stuck);
    let moved = c.evidence.iter().any(|e| e.method == Method::Flows.name());
    let is_faster =
        !c.evidence.is_empty() && c.evidence.iter().all(|e| e.faster && e.method == Method::KahunaWb.name());
    match Cause::named(&c.cause) {
        Some(Cause::Crashed) if complains(ComplaintKind::Died) && !lost && !tells(Signal::Silence) => DIED,
        Some(Cause::Disk) if disk_said && !compared => DISKS_FAIL,
        Some(Cause::Hang) if unserved && !compared && !stands => UNSERVED,
        Some(Cause::Hang) if unmerged && !compared && !stands => UNMERGED,
        Some(Cause::Hang) if (lost || paused) && !stands => STOOD,
        Some(Cause::Network) if lost && !moved => UNREACHED,
        Some(Cause::Unknown) | None if said && !compared && !measured => FAILS,
        Some(Cause::Unknown) | None if is_faster => FASTER,
        _ if timed || !(said || measured) => words_of(&c.cause).0,
        Some(Cause::Cpu) => "its CPU is far busier than its peers'",
        Some(Cause::Disk) if !said => "its disk is far busier than its peers'",
        Some(Cause::Disk) => DISKS_FAIL,
        Some(Cause::Network) if !said => "it moves far less data than its peers, as if its network lost packets",
        Some(Cause::Network) if only(&[ComplaintKind::AttemptFailed]) => UNREACHING,
        Some(Cause::Network) if only(&[ComplaintKind::SlowConnect, ComplaintKind::SlowMirror]) => LATE_TO_CONNECT,
        Some(Cause::Network) => UNREACHED,
        Some(Cause::Unknown) | None if !said => "its metrics are unlike its peers'",
        Some(Cause::Unknown) | None => FAILS,
        _ => words_of(&c.cause).0,
    }
}

/// What a cause looks like, and what to do about it; of a name that no cause has, nothing.
#[must_use]
pub fn words_of(cause: &str) -> (&'static str, &'static str) {
    match Cause::named(cause) {
        Some(Cause::Cpu) => (
            "its tasks take far longer than its peers', as if its CPU were overloaded",
            "Look on the node for processes besides Hadoop (top, ps), for throttling or too few cores; take it out of service while you look.",
        ),
        Some(Cause::Crashed) => (
            "it, or one of its daemons, fell silent while the other nodes went on",
            "See whether the node is up, and why its daemons ended (their .out files, dmesg); start them again.",
        ),
        Some(Cause::Disk) => (
            "work with data takes far longer on it than on its peers, as if its disk were slow or busy",
            "Look on the node at iostat -x, smartctl, df and mount (is each disk there, and can it be written?), and for processes that write; take it out of service while you look.",
        ),
        Some(Cause::DiskFull) => (
            "it has no disk space left, so that tasks or block writes fail on it",
            "Free space below the local and data directories of the node (df), and find what took it.",
        ),
        Some(Cause::Hang) => (
            "tasks on it stand still",
            "Take thread dumps (jstack) of the node's daemons and of any task that hangs there, then restart the daemons. If other nodes follow, it may be a bug in Hadoop itself: search its issue tracker for what the dumps show.",
        ),
        Some(Cause::Network) => (
            "data moved from and to it takes far longer than between its peers, as if its network lost packets",
            "Look on the node at ip -s link and netstat -s for errors, drops and retransmissions; check cable, port and duplex; take it out of service while you look.",
        ),
        Some(Cause::Unknown) | None => (
            "it is slower than its peers",
            "Look at the node's processors, disks and network; the evidence names the work that is slow or fails.",
        ),
    }
}

/// Of a fault that has passed, before what to do about one of its kind.
pub(super) const PASSED: &str = "The fault has passed. Look in the node's logs, cron jobs and systemd timers for what ran at that time. If it comes back:";

/// What to do about a culprit.
#[must_use]
pub fn advice(c: &Culprit) -> String {
    let advice = match what(c) {
        UNSERVED | UNMERGED => OUTPUTS_LOST,
        DIED => DAEMON_DIED,
        _ => words_of(&c.cause).1,
    };
    if c.until_ms.is_some() { format!("{PASSED} {advice}") } else { advice.to_owned() }
}

/// Why a culprit has its cause, if it says so in words that name this cause; else nothing.
#[must_use]
pub fn because(c: &Culprit) -> &'static str {
    Rule::of_words(&c.because).filter(|rule| rule.cause().name() == c.cause).map_or("", Rule::in_words)
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::*;

    /// What is said of a culprit with this cause and such evidence: methods and signals.
    fn what_of(cause: &str, said: &[(&str, &str)]) -> &'static str {
        let evidence = |(method, signal): &(&str, &str)| Evidence {
            method: (*method).into(),
            signal: (*signal).into(),
            ..Evidence::default()
        };
        what(&Culprit { cause: cause.into(), evidence: said.iter().map(evidence).collect(), ..Culprit::default() })
    }

    #[test]
    fn nothing_is_said_to_be_slow_that_was_not_timed() {
        let culprit = |cause: &str, methods: &[&str]| {
            let evidence = |method: &&str| Evidence { method: (*method).into(), ..Evidence::default() };
            let evidence = methods.iter().map(evidence).collect();
            Culprit { node: "h1".into(), cause: cause.into(), evidence, ..Culprit::default() }
        };
        let texts = include_str!("../../docs/verdicts.md");
        for cause in Cause::ALL.map(Cause::name) {
            assert_eq!(what(&culprit(cause, &["kahuna-wb", "kahuna-bb"])), words_of(cause).0);
            assert_eq!(what(&culprit(cause, &[])), words_of(cause).0);
            for methods in [&["kahuna-bb"][..], &["slow-warnings"], &["kahuna-bb", "slow-warnings"]] {
                let what = what(&culprit(cause, methods));
                let tells_times = ["hang", "crashed", "disk-full"].contains(&cause);
                assert!(tells_times || !(what.contains("longer") || what.contains("slower")), "{what}");
                assert!(texts.contains(what), "{what} is not in docs/verdicts.md");
            }
        }
    }

    #[test]
    fn node_that_serves_no_map_outputs_is_not_said_to_have_tasks_that_stand_still() {
        let of = |said: &[(&str, &str)]| what_of("hang", said);
        let (lost, failed) = (("slow-warnings", "map-output-lost"), ("slow-warnings", "fetch-failed"));
        assert_eq!(of(&[lost, failed]), UNSERVED);
        for stands in [("slow-warnings", "stuck"), ("slow-warnings", "timed-out"), ("kahuna-wb", "Reduce")] {
            assert_eq!(of(&[lost, stands]), words_of("hang").0);
        }
        assert_eq!(of(&[failed]), words_of("hang").0);
        assert_eq!(of(&[("slow-warnings", "fetched-output-lost")]), UNMERGED);
        for what in [UNSERVED, UNMERGED, OUTPUTS_LOST] {
            assert!(include_str!("../../docs/verdicts.md").contains(what));
        }
    }

    #[test]
    fn daemon_that_was_started_anew_is_not_said_to_be_silent() {
        let (died, failed) = (("slow-warnings", "died"), ("slow-warnings", "attempt-failed"));
        assert_eq!(what_of("crashed", &[died, failed]), DIED);
        for gone in ["lost-node", "silence"] {
            assert_eq!(what_of("crashed", &[died, ("slow-warnings", gone)]), words_of("crashed").0, "{gone}");
        }
        assert_eq!(what_of("crashed", &[failed]), words_of("crashed").0);
        for text in [DIED, DAEMON_DIED] {
            assert!(include_str!("../../docs/verdicts.md").contains(text));
        }
    }

    #[test]
    fn who_lost_map_outputs_is_to_look_at_their_folders() {
        let advice_on = |signal: &str| {
            let evidence = Evidence { method: "slow-warnings".into(), signal: signal.into(), ..Evidence::default() };
            advice(&Culprit { cause: "hang".into(), evidence: vec![evidence], ..Culprit::default() })
        };
        for signal in ["map-output-lost", "fetched-output-lost"] {
            assert!(advice_on(signal).contains("yarn.nodemanager.local-dirs"), "{}", advice_on(signal));
        }
        assert_eq!(advice_on("stuck"), words_of("hang").1);
    }

    #[test]
    fn disks_that_cannot_be_used_are_not_said_to_be_slow() {
        let of = |said: &[(&str, &str)]| what_of("disk", said);
        let (bad, failing) = (("slow-warnings", "bad-disk"), ("theia", "jobs"));
        assert_eq!(of(&[bad, failing]), DISKS_FAIL);
        assert_eq!(of(&[bad, failing, ("kahuna-wb", "Map")]), words_of("disk").0);
        assert_eq!(of(&[("slow-warnings", "blacklisted"), failing]), words_of("disk").0);
    }

    #[test]
    fn node_that_is_reached_late_is_not_said_not_to_be_reached() {
        let of = |said: &[(&str, &str)]| what_of("network", said);
        let (late, failed) = (("slow-warnings", "slow-connect"), ("slow-warnings", "fetch-failed"));
        assert_eq!(of(&[late]), LATE_TO_CONNECT);
        assert_eq!(of(&[late, failed]), UNREACHED);
        assert_eq!(of(&[late, ("flows", "shuffle")]), words_of("network").0);
        assert!(include_str!("../../docs/verdicts.md").contains(LATE_TO_CONNECT));
    }

    #[test]
    fn node_that_was_lost_is_not_reached_unless_transfers_were_timed() {
        let of = |said: &[(&str, &str)]| what_of("network", said);
        let (lost, maps) = (("slow-warnings", "lost-node"), ("kahuna-wb", "Map"));
        assert_eq!(of(&[lost, maps]), UNREACHED);
        assert_eq!(of(&[lost, maps, ("flows", "shuffle")]), words_of("network").0);
        assert_eq!(of(&[maps]), words_of("network").0);
    }

    #[test]
    fn daemon_that_paused_and_work_that_fails_are_told_as_such() {
        let paused = ("slow-warnings", "paused");
        let of = |said: &[(&str, &str)]| what_of("hang", said);
        assert_eq!(of(&[paused, ("flows", "read")]), STOOD);
        assert_eq!(of(&[paused, ("slow-warnings", "stuck")]), words_of("hang").0);
        let of = |said: &[(&str, &str)]| what_of("unknown", said);
        let (failed, jobs) = (("slow-warnings", "attempt-failed"), ("theia", "jobs"));
        assert_eq!(of(&[failed, jobs]), FAILS);
        assert_eq!(of(&[failed, jobs, ("kahuna-wb", "Map")]), words_of("unknown").0);
        assert!(include_str!("../../docs/verdicts.md").contains(FASTER));
    }
}
