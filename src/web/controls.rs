//! Control runs: dropped beside the verdict, learned into a baseline, and the diagnosis is
//! reached again with it.
//!
//! ```text
//! reading  --> learning  --> comparing again      a worker of the lesson's own reads and learns
//!    |            |                |              the analyst compares
//!    +-- cancel --+                +-- cancel --> the baseline there was is taken again
//! ```
//! A file is one run; the files of one folder are one run together. A baseline's file among them is extended by them,
//! and serves alone too.

use super::client::{Client, Failure};
use super::dom::{El, by_id, el, fill, set_shown, set_text};
use super::envelope::{Attachments, bytes_of};
use super::intake::{self, Input};
use super::reading::Progress;
use super::save::BlobUrl;
use super::session::{Session, Taught};
use crate::pipeline::BUILDING;
use crate::protocol::{Answer, News, Question, Reading};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Saves the baseline.
const SAVER: &str = "save-baseline";
/// What can be done with a baseline.
const KEEPERS: [&str; 2] = [SAVER, "forget-controls"];

/// Control runs that are being learned from.
#[derive(Debug)]
pub struct Lesson {
    session: Rc<Session>,
    total_bytes: u64,
    finished: Cell<Reading>,
    current: Cell<Reading>,
    at: Cell<At>,
    cancelled: Cell<bool>,
    over: Cell<bool>,
    reader: RefCell<Option<Rc<Client>>>,
    /// What could not be read, and why.
    failures: RefCell<Vec<String>>,
    /// What is said of runs that do not look healthy.
    doubts: RefCell<Vec<String>>,
}

/// What a lesson is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Reading,
    Learning,
    Comparing,
}

impl Lesson {
    /// A lesson for a verdict that is shown; `refused` names what could not be opened.
    pub fn new(session: Rc<Session>, inputs: &[Input], refused: &[String]) -> Rc<Self> {
        let total_bytes = inputs.iter().map(|input| input.file.size()).sum::<f64>() as u64;
        Rc::new(Self {
            session,
            total_bytes,
            finished: Cell::default(),
            current: Cell::default(),
            at: Cell::default(),
            cancelled: Cell::default(),
            over: Cell::default(),
            reader: RefCell::default(),
            failures: RefCell::new(intake::all_unopened(refused)),
            doubts: RefCell::default(),
        })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let doing = match (self.at.get(), self.cancelled.get()) {
            (At::Reading, _) => None,
            (At::Learning, _) => Some(String::from("learning")),
            (At::Comparing, false) => Some(self.session.working.words()),
            (At::Comparing, true) => Some(format!("taking the baseline back, {}", self.session.working.words())),
        };
        let reading = self.finished.get().plus(self.current.get());
        Progress { reading, total_bytes: self.total_bytes, analysing: doing }
    }

    /// Whether nobody waits for it any more.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Ends it: at once where the lesson's own worker works, and where the analyst does as soon as it
    /// has gone back to what it compared with before.
    pub fn cancel(&self) {
        self.cancelled.set(true);
        self.session.working.tell();
        if let Some(reader) = &*self.reader.borrow() {
            reader.end(Failure::Cancelled);
        }
    }

    /// Reads the control runs, learns from them, and asks for the verdict anew.
    ///
    /// # Errors
    /// Cancelled, a worker ended, or nothing can be learned from the runs.
    pub async fn learn(self: Rc<Self>, inputs: Vec<Input>) -> Result<Session, Failure> {
        let result = match inputs.is_empty() {
            true => self.compared(None).await,
            false => match Rc::clone(&self).taught(inputs).await {
                Ok(baseline) => self.compared(Some(baseline)).await,
                Err(why) => Err(why),
            },
        };
        self.over.set(true);
        result
    }

    async fn taught(self: Rc<Self>, inputs: Vec<Input>) -> Result<Vec<u8>, Failure> {
        let (baselines, inputs) = intake::apart(inputs).await;
        if self.cancelled.get() {
            return Err(Failure::Cancelled);
        }
        let lesson = Rc::downgrade(&self);
        let reader = Client::new(move |news, _| match (news, lesson.upgrade()) {
            (News::Progress(reading), Some(lesson)) => lesson.current.set(reading),
            (News::Unreadable(why), Some(lesson)) => lesson.failures.borrow_mut().push(why),
            _ => {}
        });
        // Whoever cancels ends the worker, which ends each wait for it.
        self.reader.replace(Some(Rc::clone(&reader)));
        reader.ready().await?;
        let (given, mut runs) = (handles_of(&baselines), Vec::new());
        for (run, files) in intake::runs(inputs) {
            let question = Question::Read { names: names_of(&files), helpers: 0 };
            if let (Answer::Read(reading), _) = reader.ask(question, handles_of(&files)).await? {
                self.finished.set(self.finished.get().plus(reading));
                self.current.take();
                let mut count = 0;
                while let Some(part) = reader.part().await? {
                    given.hand_over(&part);
                    count += 1;
                }
                runs.push((run, count));
            }
        }
        self.at.set(At::Learning);
        self.session.working.tell();
        let set = self.session.asked.set.clone();
        let learn = Question::Learn { baselines: names_of(&baselines), runs, set };
        let (file, doubts) = learned(&reader, learn, given).await?;
        self.reader.take();
        self.doubts.replace(doubts);
        Ok(file)
    }

    async fn compared(&self, baseline: Option<Vec<u8>>) -> Result<Session, Failure> {
        self.at.set(At::Comparing);
        self.session.working.turn_to(BUILDING.to_owned());
        let failures = intake::few(self.failures.take());
        let left_out = (!failures.is_empty()).then(|| format!("Left out: {}.", failures.join("; ")));
        let doubts: Rc<[String]> = self.doubts.take().into_iter().chain(left_out).collect();
        let compared = again(&self.session, baseline.map(Rc::from), doubts).await;
        if self.cancelled.get() {
            // The analyst has what was cancelled; it goes back.
            let before = self.session.baseline.as_ref();
            let doubts = before.map(|baseline| Rc::clone(&baseline.doubts)).unwrap_or_default();
            return again(&self.session, before.map(|baseline| Rc::clone(&baseline.file)), doubts).await;
        }
        compared
    }
}

/// Shows a lesson's progress in the place of what starts one.
pub fn show_lesson(under_way: bool) {
    set_shown(&by_id("lesson"), under_way);
    for id in ["baseline-says", "offer-controls"] {
        set_shown(&by_id(id), !under_way);
    }
    if under_way {
        KEEPERS.iter().for_each(|id| set_shown(&by_id(id), false));
    }
}

/// Offers what can be done with the baseline, where there is one.
pub fn show_keepers(session: &Session) {
    KEEPERS.iter().for_each(|id| set_shown(&by_id(id), session.baseline.is_some()));
}

fn names_of(inputs: &[Input]) -> Vec<String> {
    inputs.iter().map(|input| input.name.clone()).collect()
}

fn handles_of(inputs: &[Input]) -> Attachments {
    Attachments::handles(inputs.iter().map(|input| input.file.as_ref()))
}

/// What a worker learns, as a baseline's file, and what is said of the runs.
async fn learned(by: &Client, learn: Question, from: Attachments) -> Result<(Vec<u8>, Vec<String>), Failure> {
    let (answer, attached) = by.ask(learn, from).await?;
    let Answer::Learned { doubts } = answer else { return Err(Failure::Stale) };
    Ok((bytes_of(attached.first()), doubts))
}

/// Has an analyst compare with the only one of these baselines.
///
/// # Errors
/// One cannot be used, there are two, or the analyst cannot work any more.
pub async fn taught_by(analyst: &Client, baselines: &[Input]) -> Result<Option<Taught>, Failure> {
    let learn = Question::Learn { baselines: names_of(baselines), runs: Vec::new(), set: Vec::new() };
    let (file, doubts) = learned(analyst, learn, handles_of(baselines)).await?;
    set(analyst, Some(file.into()), doubts.into()).await
}

/// Has an analyst compare with what another was taught.
///
/// # Errors
/// It cannot work any more.
pub async fn taught_again(analyst: &Client, taught: Option<Taught>) -> Result<Option<Taught>, Failure> {
    match taught {
        Some(Taught { file, doubts, .. }) => set(analyst, Some(file), doubts).await,
        None => Ok(None),
    }
}

/// Has an analyst compare with this baseline, or with none.
async fn set(analyst: &Client, file: Option<Rc<[u8]>>, doubts: Rc<[String]>) -> Result<Option<Taught>, Failure> {
    let with = file.as_ref().map_or_else(Attachments::default, |file| Attachments::bytes(file));
    let (answer, _) = analyst.ask(Question::SetBaseline, with).await?;
    let Answer::BaselineSet(baseline) = answer else { return Err(Failure::Stale) };
    Ok(baseline.zip(file).map(|(words, file)| Taught { words, file, doubts }))
}

/// Asks for the verdict anew, with this baseline or with none.
async fn again(session: &Session, file: Option<Rc<[u8]>>, doubts: Rc<[String]>) -> Result<Session, Failure> {
    session.with(session.asked.clone(), set(&session.analyst, file, doubts).await?).await
}

/// Says why control runs taught nothing: what was known before is still known.
pub fn say_why_not(session: &Session, why: &str) {
    let stays = if session.baseline.is_some() { "The baseline stays as it was" } else { "No baseline" };
    let says = by_id("baseline-says");
    set_text(&says, &format!("{stays}: {why}."));
    // A lesson hides what was said before it.
    set_shown(&says, true);
}

/// Says what is known of the baseline, and offers it as a file, the same bytes as `oddnode train` writes.
pub fn say(session: &Session, urls: &mut Vec<BlobUrl>) {
    fill(&by_id("baseline-says"), [says(session)]);
    if let Some(why) = &session.untaught {
        say_why_not(session, why);
    }
    show_keepers(session);
    let save = by_id(SAVER);
    match session.baseline.as_ref().map(|baseline| BlobUrl::of_bytes(&baseline.file, "application/octet-stream")) {
        Some(Ok(url)) => {
            let _ = save.set_attribute("href", url.as_str());
            urls.push(url);
        }
        // The browser has no room for it.
        _ => set_shown(&save, false),
    }
}

/// What is said of the baseline.
fn says(session: &Session) -> El {
    let text = match &session.baseline {
        Some(baseline) => {
            let doubts = baseline.doubts.iter().map(|doubt| format!(" {doubt}"));
            format!("Baseline: {}.{}", baseline.words, doubts.collect::<String>())
        }
        None => String::from(
            "No baseline: these logs are compared with themselves. Drop runs that were healthy, each an archive or a folder, or a saved baseline, to compare with them too.",
        ),
    };
    el("p").class("note").test_id("baseline").text(&text)
}
