//! A verdict that is shown, and who can answer more about it: reached from logs, or opened from a report.

use super::address::with_fragment;
use super::client::{Client, Failure};
use super::dom::window;
use super::envelope::{Attachments, bytes_of};
use super::intake::Input;
use super::progress::Working;
use super::selected::Selected;
use super::settings::Settings;
use crate::model::StateKind;
use crate::protocol::{Answer, Asked, FoundLine, Leaving, Question, Shared};
use crate::report::Report;
use crate::report::key::KEY_BYTES;
use crate::report::link::Size;
use crate::scene::View;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

/// The verdict and who can answer more about it.
#[derive(Debug)]
pub struct Session {
    /// What was given.
    pub inputs: Vec<Input>,
    /// The report.
    pub report: Report,
    /// Its JSON, if the browser had room for it.
    pub json: Option<Blob>,
    /// Its verdict link, under pseudonyms.
    pub shared: Shared,
    /// Random bytes of this visit: the key of its pseudonyms.
    pub key: [u8; KEY_BYTES],
    /// What is told of a report that came without its logs; `None` where logs were read.
    pub opened: Option<String>,
    /// Kinds of state that can be compared, most telling first.
    pub kinds: Vec<StateKind>,
    /// Figures of jobs, tasks and metrics that a report without its logs carries.
    pub carried: Vec<View>,
    /// Whether there are metrics of the operating system.
    pub measured: bool,
    /// How many labelled runs there are.
    pub labelled: usize,
    /// Inputs that could not be read, and why.
    pub failures: Vec<String>,
    /// Names of what could not be opened.
    pub refused: Vec<String>,
    /// Answers scene queries.
    pub analyst: Rc<Client>,
    /// What the analyst is at, in words.
    pub working: Rc<Working>,
    /// What was asked.
    pub asked: Asked,
    /// What was set otherwise than usual, in words.
    pub told: Option<String>,
    /// Finds raw lines.
    pub finder: Option<Rc<Client>>,
    /// What control runs taught.
    pub baseline: Option<Taught>,
    /// Why the baseline that was given with the logs is not it.
    pub untaught: Option<String>,
    /// What the reader has chosen.
    pub selected: Rc<Selected>,
    /// What the reader has set in the views.
    pub settings: Rc<Settings>,
    /// Raw lines that were found again.
    pub quoted: RefCell<Vec<FoundLine>>,
}

/// What control runs taught.
#[derive(Clone, Debug)]
pub struct Taught {
    /// In words.
    pub words: String,
    /// As a baseline's file.
    pub file: Rc<[u8]>,
    /// What of the control runs could not be read, and which of them do not look healthy, each a sentence.
    pub doubts: Rc<[String]>,
}

/// How logs that are read once more shall be compared.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// What is asked.
    pub asked: Asked,
    /// What control runs taught; without it, what a baseline among the inputs has learned.
    pub baseline: Option<Taught>,
}

/// What a form says once it has asked for another analysis: there are not two at once.
pub const fn of_analysis(has_begun: bool) -> &'static str {
    if has_begun { "Analysing again …" } else { "Another analysis is under way." }
}

impl Session {
    /// What the analyst says, with nothing known beside it.
    pub fn of(analysed: Analysed, analyst: Rc<Client>, key: [u8; KEY_BYTES], selected: Rc<Selected>) -> Self {
        let Analysed { report, json, shared, kinds, measured, labelled, told } = analysed;
        Self {
            inputs: Vec::new(),
            report,
            json,
            shared,
            key,
            opened: None,
            kinds,
            carried: Vec::new(),
            measured,
            labelled,
            failures: Vec::new(),
            refused: Vec::new(),
            analyst,
            working: Rc::default(),
            asked: Asked::default(),
            told,
            finder: None,
            baseline: None,
            untaught: None,
            selected,
            settings: Rc::default(),
            quoted: RefCell::default(),
        }
    }

    /// Whether a figure of jobs and tasks can be drawn: of logs that have a job, or of a report that carries it.
    pub fn draws(&self, view: View) -> bool {
        let of_logs = || !self.report.jobs.is_empty();
        if self.opened.is_none() { of_logs() } else { self.carried.contains(&view) }
    }

    /// Whether logs were read of which no line is understood.
    pub fn understands_nothing(&self) -> bool {
        self.opened.is_none() && self.report.coverage.iter().all(|c| c.understood == 0)
    }

    /// Whether what the analyst writes is of this verdict.
    ///
    /// # Errors
    /// It is at another, which may be given up.
    pub fn writes(&self) -> Result<(), Failure> {
        if self.working.is_ahead.get() {
            return Err(Failure::Refused(String::from("another analysis is under way")));
        }
        Ok(())
    }

    /// The verdict on the same logs where something else is asked: nothing is read again.
    ///
    /// # Errors
    /// The analyst cannot work any more.
    pub async fn again(&self, asked: Asked) -> Result<Self, Failure> {
        self.with(asked, self.baseline.clone()).await
    }

    /// The verdict on the same logs, the analyst having learned this baseline.
    ///
    /// # Errors
    /// The analyst cannot work any more.
    pub async fn with(&self, asked: Asked, baseline: Option<Taught>) -> Result<Self, Failure> {
        self.working.is_ahead.set(true);
        let analysed = analysed(&self.analyst, asked.clone(), self.key, Attachments::default()).await?;
        let mut chosen = self.selected.now();
        if asked.clocks != self.asked.clocks {
            // By other clocks the same times are others.
            chosen.span = None;
            self.settings.forget_parts();
        }
        let selected = Selected::of(chosen, analysed.report.clock.zone());
        Ok(Self {
            inputs: self.inputs.clone(),
            failures: self.failures.clone(),
            refused: self.refused.clone(),
            working: Rc::clone(&self.working),
            asked,
            finder: self.finder.clone(),
            baseline,
            settings: Rc::clone(&self.settings),
            ..Self::of(analysed, Rc::clone(&self.analyst), self.key, selected)
        })
    }
}

/// What the analyst says.
pub struct Analysed {
    /// The report.
    pub report: Report,
    /// Its JSON, if the browser had room for it.
    pub json: Option<Blob>,
    /// Its verdict link, under pseudonyms.
    pub shared: Shared,
    /// Kinds of state that can be compared, most telling first.
    pub kinds: Vec<StateKind>,
    /// Whether there are metrics of the operating system.
    pub measured: bool,
    /// How many labelled runs there are.
    pub labelled: usize,
    /// What was set otherwise than usual, in words.
    pub told: Option<String>,
}

/// Asks for the verdict and its link, given what another says of the metrics.
///
/// # Errors
/// The analyst cannot work any more.
pub async fn analysed(
    analyst: &Client,
    asked: Asked,
    key: [u8; KEY_BYTES],
    measured: Attachments,
) -> Result<Analysed, Failure> {
    let verdict = analyst.ask(Question::Analyse(asked), measured);
    // It makes the link while the page takes the report.
    let link = shared(analyst, Leaving { real_names: false, key }, Size::Verdict);
    let (answer, attached) = verdict.await?;
    let Answer::Analysed { report, kinds, measured, labelled, told } = answer else { return Err(Failure::Stale) };
    let (report, json) = whole(report, &attached)?;
    let shared = link.await?;
    Ok(Analysed { report, json, shared, kinds, measured, labelled, told })
}

/// A report with the rows of its files, and its JSON, both of which come beside it. Rows that are none are a
/// worker's of another build.
fn whole(mut report: Box<Report>, attached: &[JsValue]) -> Result<(Report, Option<Blob>), Failure> {
    report.coverage = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
    Ok((*report, attached.get(1).and_then(|json| json.dyn_ref::<Blob>()).cloned()))
}

/// Asks for a link, at once.
///
/// # Errors
/// The analyst cannot work any more.
pub fn shared(analyst: &Client, leaving: Leaving, size: Size) -> impl Future<Output = Result<Shared, Failure>> + use<> {
    let address = with_fragment("").chars().count();
    let answer = analyst.ask(Question::Share { leaving, size, address }, Attachments::default());
    async move {
        match answer.await? {
            (Answer::Shared(shared), _) => Ok(*shared),
            _ => Err(Failure::Stale),
        }
    }
}

/// Random bytes of the browser's.
///
/// # Errors
/// It gives none.
pub fn fresh_key() -> Result<[u8; KEY_BYTES], Failure> {
    let mut key = [0; KEY_BYTES];
    let drawn = window().crypto().and_then(|crypto| crypto.get_random_values_with_u8_array(&mut key));
    drawn.map_err(|_| Failure::Refused(String::from("this browser gives no random bytes for pseudonyms")))?;
    Ok(key)
}

/// Opens a shared report with a question about it: a link, a file, or a key to the one open.
///
/// # Errors
/// In words, if it cannot be shown.
pub async fn open(analyst: Rc<Client>, question: Question, with: Attachments) -> Result<Session, Failure> {
    let (answer, attached) = analyst.ask(question, with).await?;
    let Answer::Opened { report, checked, kinds, views, told } = answer else { return Err(Failure::Stale) };
    let mut says = format!("Shared report: no logs here. {checked}");
    if let Some(mark) = &report.pseudonyms {
        says.push_str(&format!(" Names are pseudonyms: drop the sender's key file ({mark}) to see the real ones."));
    }
    let (report, json) = whole(report, &attached)?;
    let key = fresh_key()?;
    let shared = shared(&analyst, Leaving { real_names: false, key }, Size::Verdict).await?;
    let selected = Selected::of_address(report.clock.zone());
    let analysed = Analysed { report, json, shared, kinds, measured: false, labelled: 0, told };
    Ok(Session { opened: Some(says), carried: views, ..Session::of(analysed, analyst, key, selected) })
}
