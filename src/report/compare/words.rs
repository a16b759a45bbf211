//! What is different, in a sentence and as text.

use super::{ANOTHER, ConfChange, Difference, JobPair, OTHER_WORK, Side, StateChange};
use crate::base::Arrange;
use crate::base::quantity::{of_millis, ratio, trimmed};
use crate::base::text::{and_more, shown};
use crate::report::OutcomeKind;
use crate::report::summary::JobSum;
use crate::report::symptom::cause_in_words;
use serde_json::Value;

/// Changes named in the sentence.
const NAMED: usize = 4;
/// Nodes that changed by themselves, in the text.
const CHANGES_SHOWN: usize = 20;

/// What changed, in one sentence.
pub(super) fn sentence(d: &Difference) -> String {
    let mut parts = vec![verdicts(&d.a, &d.b)];
    for c in telling(d) {
        let [was, now] = [c.a_ms, c.b_ms].map(|ms| of_millis(ms as f64));
        parts.push(format!(
            "{} on {} takes {now} instead of {was} (× {}; on the other nodes × {})",
            c.kind,
            c.node,
            ratio(c.times, 1),
            ratio(c.others, 1)
        ));
    }
    let other = |times: f64| !(1.0 / ANOTHER..ANOTHER).contains(&times);
    let mut slower: Vec<(&JobPair, f64)> =
        d.jobs.iter().filter_map(|j| Some((j, j.times?))).filter(|(_, t)| other(*t)).collect();
    slower.arrange(|x, y| y.1.total_cmp(&x.1).then_with(|| x.0.name.cmp(&y.0.name)));
    if let Some((job, times)) = slower.first() {
        let took = |job: &Option<JobSum>| of_millis(job.as_ref().and_then(JobSum::millis).unwrap_or_default() as f64);
        parts.push(format!("{} took {} instead of {} (× {})", job.name, took(&job.b), took(&job.a), ratio(*times, 1)));
    }
    let volume = d.jobs.iter().find_map(|j| {
        // Of what read nothing before, nothing is a multiple.
        let (a, b) = (j.a.as_ref()?.read_bytes.filter(|read| *read > 0)?, j.b.as_ref()?.read_bytes?);
        let times = b.max(1) as f64 / a as f64;
        other(times).then(|| format!("{} read {} times as much", j.name, ratio(times, 1)))
    });
    parts.extend(volume);
    if let Some(first) = d.conf.first() {
        let [name, was, is] = setting(first);
        let more = if d.conf.len() > 1 { format!(" and {} more values", d.conf.len() - 1) } else { String::new() };
        parts.push(format!("{name} of {} is {is} instead of {was}{more}", first.job));
    }
    for (nodes, what) in [(&d.only_a, "gone"), (&d.only_b, "new")] {
        if let Some(first) = nodes.first() {
            let are = if nodes.len() > 1 { "are" } else { "is" };
            parts.push(format!("{first}{} {are} {what}", and_more(nodes.len() - 1)));
        }
    }
    parts.truncate(1 + NAMED);
    format!("{}.", parts.join("; "))
}

/// The changes that say most: the culprit's own, of one at fault now what takes longer before what takes less, and of one
/// that was the other way round.
pub(super) fn telling(d: &Difference) -> Vec<&StateChange> {
    let is_in = |side: &Side, c: &StateChange| side.culprits.iter().any(|(node, _)| *node == c.node);
    let rank = |c: &StateChange| match (is_in(&d.b, c), is_in(&d.a, c)) {
        (true, _) => usize::from(c.times < c.others),
        (false, true) => 2 + usize::from(c.times > c.others),
        (false, false) => 4,
    };
    let is_same_work = |c: &&StateChange| (1.0 / OTHER_WORK..=OTHER_WORK).contains(&c.others);
    let mut told: Vec<&StateChange> = d.states.iter().filter(|c| c.apart).filter(is_same_work).collect();
    told.arrange_by(|c| rank(c));
    told.truncate(2);
    told
}

fn verdicts(a: &Side, b: &Side) -> String {
    let says = |side: &Side| match side.outcome {
        OutcomeKind::Indicted if side.culprits.is_empty() => String::from("a node is at fault"),
        OutcomeKind::Indicted => {
            let names: Vec<String> =
                side.culprits.iter().map(|(node, cause)| format!("{node} ({})", cause_in_words(cause))).collect();
            format!("{} at fault", names.join(", "))
        }
        OutcomeKind::Clean => String::from("no node stands out"),
        OutcomeKind::NoVerdict => String::from("there is no verdict"),
    };
    if a.culprits == b.culprits && a.outcome == b.outcome {
        return format!("In both runs: {}", says(b));
    }
    format!("Now: {}; before: {}", says(b), says(a))
}

/// A value of a configuration as Hadoop has it: the property's name, what it was and what it is.
#[must_use]
pub fn setting(c: &ConfChange) -> [String; 3] {
    let is_share = c.name == "slowstart_permille";
    let value = |v: &Option<Value>| match v {
        None => String::from("unset"),
        Some(v) => match v.as_f64().filter(|_| is_share) {
            Some(permille) => trimmed(permille / 1000.0, 3),
            None => v.to_string(),
        },
    };
    [property(&c.name).to_owned(), value(&c.a), value(&c.b)]
}

/// The property of Hadoop that sets what a report calls so.
fn property(name: &str) -> &str {
    match name {
        "block_bytes" => "dfs.blocksize",
        "replication" => "dfs.replication",
        "map_slots" => "mapred.tasktracker.map.tasks.maximum",
        "reduce_slots" => "mapred.tasktracker.reduce.tasks.maximum",
        "map_memory_mb" => "mapreduce.map.memory.mb",
        "reduce_memory_mb" => "mapreduce.reduce.memory.mb",
        "map_speculation" => "mapreduce.map.speculative",
        "reduce_speculation" => "mapreduce.reduce.speculative",
        "task_timeout_ms" => "mapreduce.task.timeout",
        "slowstart_permille" => "mapreduce.job.reduce.slowstart.completedmaps",
        "reduces" => "mapreduce.job.reduces",
        "sort_mb" => "mapreduce.task.io.sort.mb",
        "parallel_copies" => "mapreduce.reduce.shuffle.parallelcopies",
        other => other,
    }
}

/// The difference as text for people. What comes from logs gives a terminal no orders and begins no lines.
#[must_use]
pub fn text(d: &Difference) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.extend(text.chars().map(shown));
        out.push('\n');
    };
    line(&d.sentence);
    d.notes.iter().for_each(|note| line(note));
    line("");
    line(&format!("BEFORE  {}", d.a.sentence));
    line(&format!("NOW     {}", d.b.sentence));
    if !d.jobs.is_empty() {
        line("");
        line("JOBS (before, now, ratio)");
        for job in &d.jobs {
            let seconds = |j: &Option<JobSum>| {
                let ms = j.as_ref().map(JobSum::millis);
                match ms {
                    Some(Some(ms)) => format!("{:.1} s", ms as f64 / 1000.0),
                    Some(None) => String::from("not known"),
                    None => String::from("not there"),
                }
            };
            let times = job.times.map_or_else(String::new, |times| format!("  × {times:.2}"));
            line(&format!("  {}  {}  {}{times}", job.name, seconds(&job.a), seconds(&job.b)));
        }
    }
    let apart: Vec<&StateChange> = d.states.iter().filter(|c| c.apart).collect();
    if !apart.is_empty() {
        line("");
        line("NODES THAT CHANGED UNLIKE THE OTHERS (median before, now, ratio)");
        for c in apart.into_iter().take(CHANGES_SHOWN) {
            let [was, now] = [c.a_ms, c.b_ms].map(|ms| ms as f64 / 1000.0);
            line(&format!(
                "  {}  {}  {was:.1} s  {now:.1} s  × {:.2}, the others × {:.2}",
                c.node, c.kind, c.times, c.others
            ));
        }
    }
    if !d.conf.is_empty() {
        line("");
        line("CONFIGURATION");
        for c in &d.conf {
            line(&format!("  {}  {}", c.job, setting(c).join("  ")));
        }
    }
    for (title, nodes) in [("GONE", &d.only_a), ("NEW", &d.only_b)] {
        if !nodes.is_empty() {
            line("");
            line(&format!("{title}  {}", nodes.join(", ")));
        }
    }
    out
}
