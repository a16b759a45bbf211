//! Control runs: dropped beside the verdict, learned into a baseline, and the diagnosis is
//! reached again with it.
//!
//! A file is one run; the files of one folder are one run together.

use super::client::Failure;
use super::dom::{El, el};
use super::envelope::Attachments;
use super::intake::Input;
use super::reading::Session;
use crate::protocol::{FromWorker, ToWorker};
use std::collections::BTreeMap;

/// Reads control runs, lets the analyst learn from them, and asks for the verdict anew.
///
/// # Errors
/// If a worker ends, or nothing can be learned from the runs.
pub async fn learn(session: &Session, inputs: Vec<Input>) -> Result<Session, Failure> {
    let Some(reader) = session.finder.clone() else {
        return Err(Failure::Refused(String::from("the reading worker has ended; drop the logs again")));
    };
    let mut runs: BTreeMap<String, Vec<Input>> = BTreeMap::new();
    for input in inputs {
        let run = input.name.split('/').next().unwrap_or_default().to_owned();
        runs.entry(run).or_default().push(input);
    }
    let digests = Attachments::default();
    for files in runs.into_values() {
        let names = files.iter().map(|input| input.name.clone()).collect();
        let handles = Attachments::handles(files.iter().map(|input| input.file.as_ref()));
        let (answer, attached) = reader.ask(|request| ToWorker::Read { request, names }, handles).await?;
        if let (FromWorker::Digest { .. }, Some(buffer)) = (answer, attached.first()) {
            digests.items.push(buffer);
            digests.transfer.push(buffer);
        }
    }
    again(session, digests).await
}

/// Forgets the baseline, and asks for the verdict anew.
///
/// # Errors
/// If the analyst has ended.
pub async fn forget(session: &Session) -> Result<Session, Failure> {
    again(session, Attachments::default()).await
}

async fn again(session: &Session, digests: Attachments) -> Result<Session, Failure> {
    let (answer, _) = session.analyst.ask(|request| ToWorker::Learn { request }, digests).await?;
    let FromWorker::Learned { baseline, .. } = answer else { return Err(Failure::Stale) };
    session.with(session.clocks, baseline).await
}

/// What is said of the baseline.
pub fn says(session: &Session) -> El {
    let text = match &session.baseline {
        Some(baseline) => format!("Baseline: {baseline}."),
        None => String::from(
            "No baseline: these logs are compared with themselves. Drop runs that were healthy, each an archive or a folder, to compare with them too.",
        ),
    };
    el("p").class("note").test_id("baseline").text(&text)
}
