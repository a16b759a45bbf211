//! Labelled runs in one digest: each is diagnosed alone, and its verdict counted against its
//! label.
//!
//! ```text
//! runs/truth.json                    {"run":"r06",…}, {"run":"r07",…}
//! runs/r06.tar.gz/r06/h101/x.log     a file of r06: a part of its path is `r06` or `r06.…`
//! runs/r07/truth.json                {"run":"any",…}: labels what lies in its own folder
//! ```
//! A run without files is counted as absent. Cost: one analysis a run.

use super::analyse;
use crate::base::{Gathered, text};
use crate::diagnosis::Params;
use crate::evaluation::{Scored, Truth, fault_of, run_in, workload_of};
use crate::format::truth::{NAME as FORMAT, label_of};
use crate::model::{Digest, Event, FileDigest, FileKey, Label, Topic};
use std::collections::BTreeMap;

/// Runs diagnosed at the most: in the page each takes a part of a second.
const MAX_RUNS: usize = 5000;

/// Labelled runs with their verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// In order of label.
    pub runs: Vec<Scored>,
    /// Labels without files.
    pub absent: u64,
}

/// A file and what was read of it.
type File<'a> = (&'a FileKey, &'a FileDigest);

/// How many runs in this digest have a label and files.
#[must_use]
pub fn count(digest: &Digest) -> usize {
    parts(digest).0.len()
}

/// Diagnoses each labelled run alone.
#[must_use]
pub fn evaluate(digest: &Digest, params: &Params) -> Labelled {
    let (parts, absent) = parts(digest);
    let parameters = parameters(digest);
    let score = |(label, files): &(Label, Vec<File<'_>>)| {
        let mut run = Digest::default();
        files.iter().for_each(|(key, file)| run.insert((*key).clone(), (*file).clone()));
        let told = parameters.get(&*label.run).cloned().unwrap_or_default();
        Scored::new(&truth(label, told), &analyse(&run, params).report)
    };
    Labelled { runs: parts.iter().map(score).collect(), absent }
}

/// A label as `truth.json` has it; `None` if it is none.
#[must_use]
pub fn truth_of(value: &serde_json::Value) -> Option<Truth> {
    let (label, parameters) = label_of(value)?;
    Some(truth(&label, parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).gathered()))
}

fn truth(label: &Label, parameters: BTreeMap<String, String>) -> Truth {
    Truth {
        run: label.run.to_string(),
        workload: workload_of(label.workload.to_string()),
        fault: fault_of(label.fault.to_string()),
        node: text::joined_names(label.node.as_deref().into_iter().flat_map(text::names_in)),
        begin_ms: label.begin_ms,
        end_ms: label.end_ms,
        parameters,
    }
}

/// How each run was made; of a run that is labelled twice, as the first label says, that [`parts`] takes.
fn parameters(digest: &Digest) -> BTreeMap<Box<str>, BTreeMap<String, String>> {
    let mut out: BTreeMap<Box<str>, BTreeMap<String, String>> = BTreeMap::new();
    for (_, event) in told(digest) {
        if let Event::LabelParameter { run, name, value } = event {
            out.entry(run).or_default().entry(name.into()).or_insert_with(|| value.into());
        }
    }
    out
}

/// What files of labels tell, with their paths.
fn told(digest: &Digest) -> impl Iterator<Item = (&str, Event)> {
    let files = digest.files().filter(|(_, file)| file.format == FORMAT);
    files.flat_map(|(key, file)| file.events.about(Topic::Summaries).map(|row| (key.path.as_str(), row.event)))
}

/// Labels with the files of their runs in order, and how many have none.
fn parts(digest: &Digest) -> (Vec<(Label, Vec<File<'_>>)>, u64) {
    let mut labels: BTreeMap<Box<str>, (Label, &str)> = BTreeMap::new();
    let mut in_file: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, event) in told(digest) {
        if let Event::Label(label) = event {
            *in_file.entry(path).or_default() += 1;
            if labels.len() < MAX_RUNS {
                labels.entry(label.run.clone()).or_insert((*label, path));
            }
        }
    }
    let mut by_run: BTreeMap<&str, Vec<File<'_>>> = BTreeMap::new();
    if labels.is_empty() {
        return (Vec::new(), 0);
    }
    for (key, file) in digest.files().filter(|(_, file)| file.format != FORMAT) {
        let named = key.path.split('/').find_map(|part| {
            let run = run_in(part, |run| labels.contains_key(run))?;
            labels.get_key_value(run).map(|(run, _)| &**run)
        });
        if let Some(run) = named {
            by_run.entry(run).or_default().push((key, file));
        }
    }
    let mut out = Vec::new();
    let mut absent = 0;
    for (run, (label, path)) in &labels {
        let files = by_run.remove(&**run).unwrap_or_else(|| match path.rsplit_once('/') {
            Some((folder, _)) if in_file.get(path) == Some(&1) => below(digest, folder),
            _ => Vec::new(),
        });
        if files.is_empty() {
            absent += 1;
        } else {
            out.push((label.clone(), files));
        }
    }
    (out, absent)
}

/// The files in a folder.
fn below<'a>(digest: &'a Digest, folder: &str) -> Vec<File<'a>> {
    digest.files().filter(|(key, file)| file.format != FORMAT && text::below(&key.path, folder).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Timestamp;
    use crate::model::{EventWriter, FileDigest};

    #[test]
    fn control_made_as_the_run_was_is_its_measure() {
        let mut events = EventWriter::default();
        let mut add = |run: &str, fault: &str, end_ms: i64, value: &str| {
            let (run, fault) = (Box::<str>::from(run), Box::<str>::from(fault));
            let parameter = Event::LabelParameter { run: run.clone(), name: "strace".into(), value: value.into() };
            let label = Label { run, fault, begin_ms: Some(0), end_ms: Some(end_ms), ..Label::default() };
            events.push(1, Timestamp::default(), &parameter);
            events.push(1, Timestamp::default(), &Event::Label(Box::new(label)));
        };
        add("r1", "none", 100_000, "true");
        add("r2", "None", 50_000, "false");
        add("r3", "CPUHog", 100_000, "false");
        let file = FileDigest { format: FORMAT.to_owned(), events: events.finish(), ..FileDigest::default() };
        let log = FileDigest::default;
        let files = [("truth.json", file), ("r1/a", log()), ("r2/a", log()), ("r3/a", log())];
        let runs = evaluate(&digest(&files), &Params::default()).runs;
        assert_eq!(crate::evaluation::slowdown(&runs[2], &runs), Some(1.0));
    }

    #[test]
    fn an_empty_name_labels_no_node() {
        for node in [r#""""#, r#"" , ""#, r#"[""]"#, "null"] {
            let label = format!(r#"{{"run":"r1","fault":"None","node":{node}}}"#);
            assert_eq!(truth_of(&serde_json::from_str(&label).unwrap()).unwrap().node, None, "{node}");
        }
    }

    fn labels(names: &[&str]) -> FileDigest {
        let label = |name: &&str| {
            let label = Label { run: (*name).into(), fault: "none".into(), ..Label::default() };
            (1, Timestamp::default(), Event::Label(Box::new(label)))
        };
        let events = names.iter().map(label).collect();
        FileDigest { format: FORMAT.to_owned(), events, ..FileDigest::default() }
    }

    fn digest(files: &[(&str, FileDigest)]) -> Digest {
        let mut digest = Digest::default();
        for (path, file) in files {
            digest.insert(FileKey { path: (*path).to_owned(), bytes: 1, crc: 0 }, file.clone());
        }
        digest
    }

    fn found(files: &[(&str, FileDigest)]) -> (Vec<(String, usize)>, u64) {
        let digest = digest(files);
        let (parts, absent) = parts(&digest);
        (parts.iter().map(|(label, files)| (label.run.to_string(), files.len())).collect(), absent)
    }

    #[test]
    fn files_belong_to_the_run_that_their_path_names() {
        let log = FileDigest::default;
        let files = [
            ("d/truth.json", labels(&["r1", "r2", "r3"])),
            ("d/r1.tar.gz/r1/h1/a.log", log()),
            ("d/r1.tar.gz/r1/h2/a.log", log()),
            ("d/r2/h1/a.log", log()),
            ("d/r22/h1/a.log", log()),
        ];
        assert_eq!(found(&files), (vec![("r1".to_owned(), 2), ("r2".to_owned(), 1)], 1));
        let files = [("d/truth.json", labels(&["r.1"])), ("d/r.1.tar.gz/r.1/h1/a.log", log())];
        assert_eq!(found(&files), (vec![("r.1".to_owned(), 1)], 0));
    }

    #[test]
    fn label_in_a_folder_of_its_own_is_that_folders() {
        let log = FileDigest::default;
        let files = [
            ("a/truth.json", labels(&["x"])),
            ("a/h1/a.log", log()),
            ("b/truth.json", labels(&["y"])),
            ("b/h1/a.log", log()),
            ("ab/h1/a.log", log()),
        ];
        assert_eq!(found(&files), (vec![("x".to_owned(), 1), ("y".to_owned(), 1)], 0));
        // Two labels, or none around them: nobody can tell whose the files are.
        let files = [("a/truth.json", labels(&["x", "z"])), ("a/h1/a.log", log())];
        assert_eq!(found(&files), (vec![], 2));
        assert_eq!(found(&[("truth.json", labels(&["x"])), ("h1/a.log", log())]), (vec![], 1));
    }

    #[test]
    fn each_run_is_diagnosed_and_counted() {
        let files = [("truth.json", labels(&["r1"])), ("r1/h1/a.log", FileDigest::default())];
        let labelled = evaluate(&digest(&files), &Params::default());
        assert_eq!((labelled.runs.len(), labelled.absent), (1, 0));
        assert_eq!(labelled.runs[0].outcome, crate::report::OutcomeKind::NoVerdict);
        assert_eq!(evaluate(&Digest::default(), &Params::default()), Labelled::default());
    }
}
