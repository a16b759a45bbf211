//! The task that a job waited for until it was given up, or the logs end.

use super::{Advice, MINUTE_MS, Severity};
use crate::base::Gathered;
use crate::diagnosis::job_class::Class;
use crate::diagnosis::theia::survey::Side;
use crate::model::{Job, Outcome, TaskAttempt, Trace};
use std::collections::BTreeSet;

/// Tasks that ended, so that it is known how long they take.
const ENDED: usize = 4;
/// Tasks that did not: of more the job was given up in the midst of its work.
const UNENDED: usize = 2;
/// Longer than a job takes to be told of its last task.
const LEAST_MS: i64 = 30_000;

/// One that went on after all others of its kind had ended for at least half as long as the longest of these took. Of a
/// job whose trouble has a name already, nothing.
pub(super) fn unended(rule: &'static str, trace: &Trace, job: &Job, side: Side, class: Class) -> Option<Advice> {
    if class != Class::None {
        return None;
    }
    let attempts = || trace.tasks_of(job.id).iter().filter(|t| Side::of(t.task_type) == Some(side));
    let successes = || attempts().filter(|t| t.outcome == Some(Outcome::Success));
    let ended: BTreeSet<u32> = successes().map(|t| t.id.task).gathered();
    let left: BTreeSet<u32> = attempts().map(|t| t.id.task).filter(|task| !ended.contains(task)).gathered();
    if ended.len() < ENDED || left.len() > UNENDED {
        return None;
    }
    let last = successes().filter_map(|t| t.finish).max()?;
    let longest_ms = successes().filter_map(|t| Some(t.finish?.millis_since(t.start?))).max()?;
    let beyond = |t: &TaskAttempt| {
        let alone_from = last.max(t.start?);
        // Where the logs end before it does, it is known to have been under way for so long.
        let until = t.finish.or(job.finish).or_else(|| trace.under_way.get(&t.id).copied())?;
        Some(until.millis_since(alone_from))
    };
    let is_unended = |t: &&TaskAttempt| left.contains(&t.id.task) && matches!(t.outcome, None | Some(Outcome::Killed));
    let (ms, attempt) =
        attempts().filter(is_unended).filter_map(|t| Some((beyond(t)?, t))).max_by_key(|(ms, _)| *ms)?;
    if ms < LEAST_MS || ms < longest_ms / 2 {
        return None;
    }
    let at = attempt.node.map_or_else(String::new, |node| format!(" on {}", trace.node_name(node)));
    // Before that it ran beside the others.
    let lasted_ms = attempt.start.map(|start| ms.saturating_add(last.max(start).millis_since(start)));
    let silent_ms = lasted_ms.and_then(|lasted| trace.silent_ms(attempt.id, lasted)).filter(|ms| *ms >= LEAST_MS);
    let silent = silent_ms.map_or_else(String::new, |ms| {
        format!("; in its last {:.1} min it told of no progress", ms as f64 / MINUTE_MS)
    });
    let text = format!(
        "{}{at} ran for {:.1} min more when the other {} {} had ended, and did not end{silent}",
        attempt.id,
        ms as f64 / MINUTE_MS,
        ended.len(),
        side.name()
    );
    Some(Advice {
        rule,
        severity: Severity::Moderate,
        text,
        suggestion: "While it runs, take a thread dump of it (jstack) and read its syslog. If the same task ends on another node, have this one looked at; if not, the job's code or data.",
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attempt, job};
    use super::*;
    use crate::base::{NodeId, TaskLetter, Timestamp};
    use crate::model::{Counters, JobStatus, Node};

    fn reduces(n: u32, ms: i64) -> Vec<TaskAttempt> {
        (0..n).map(|i| attempt(TaskLetter::Reduce, i, ms, Counters::default())).collect()
    }

    /// One killed so long after the others had ended, which took a minute each.
    fn waited(ended: u32, ms: i64) -> Trace {
        let mut tasks = reduces(ended, 60_000);
        let last = attempt(TaskLetter::Reduce, ended, 60_000 + ms, Counters::default());
        tasks.push(TaskAttempt { outcome: Some(Outcome::Killed), node: Some(NodeId(0)), ..last });
        let nodes = vec![Node { name: String::from("h104"), is_peer: true }];
        Trace { tasks, nodes, ..Trace::default() }
    }

    fn told(trace: &Trace, class: Class) -> Option<String> {
        unended("reduce-unended", trace, &job(JobStatus::Killed), Side::Reduce, class).map(|advice| advice.text)
    }

    #[test]
    fn one_that_all_others_waited_for_is_named() {
        let says = "attempt_1_0001_r_000010_0 on h104 ran for 1.5 min more when the other 10 reduces had ended, and did not end";
        assert_eq!(told(&waited(10, 90_000), Class::None).as_deref(), Some(says));
        let mut silent = waited(10, 90_000);
        silent.got_on_ms.insert(silent.tasks[10].id, 60_000);
        let why = format!("{says}; in its last 1.5 min it told of no progress");
        assert_eq!(told(&silent, Class::None), Some(why));
        // Until the job ended, where its own end is not known.
        let mut open = waited(10, 0);
        let last = open.tasks.last_mut().unwrap();
        (last.finish, last.outcome) = (None, None);
        let ended = Job { finish: Some(Timestamp::from_millis(1_000 + 150_000)), ..job(JobStatus::Killed) };
        let advice = unended("reduce-unended", &open, &ended, Side::Reduce, Class::None).unwrap();
        assert_eq!((advice.text.as_str(), advice.severity), (says, Severity::Moderate));
        // Until it was heard of last, where the logs end before the job does.
        assert_eq!(told(&open, Class::None), None);
        open.under_way.insert(open.tasks[10].id, Timestamp::from_millis(1_000 + 150_000));
        assert_eq!(told(&open, Class::None).as_deref(), Some(says));
    }

    #[test]
    fn others_are_not() {
        assert_eq!(told(&waited(10, 29_000), Class::None), None, "hardly waited for");
        assert_eq!(told(&waited(3, 90_000), Class::None), None, "too few ended");
        assert_eq!(told(&waited(10, 90_000), Class::Infrastructure), None, "a node is told");
        let mut midst = waited(10, 90_000);
        midst.tasks.extend((11..13).map(|i| {
            let other = attempt(TaskLetter::Reduce, i, 10_000, Counters::default());
            TaskAttempt { outcome: Some(Outcome::Killed), ..other }
        }));
        assert_eq!(told(&midst, Class::None), None, "in the midst of its work");
        let mut ended = waited(10, 90_000);
        ended.tasks.push(TaskAttempt {
            id: crate::base::AttemptId { attempt: 1, ..ended.tasks[10].id },
            ..attempt(TaskLetter::Reduce, 10, 50_000, Counters::default())
        });
        assert_eq!(told(&ended, Class::None), None, "another attempt of it ended");
        let mut failed = waited(10, 90_000);
        failed.tasks[10].outcome = Some(Outcome::Failed);
        assert_eq!(told(&failed, Class::None), None, "its error says why");
    }
}
