//! A worker: reads files into digests, helps one that does, or (as the analyst) keeps the merged digest
//! and answers from it. Which of them it is, the page decides by what it asks.

use super::analyst::{Analyst, learn};
use super::envelope::{Attachments, bytes_of, head_of, pack, unpack};
use super::helpers::{self, Helpers, ToHelper};
use super::reader::Ahead;
use super::save::{Pieces, blob};
use super::{dom, outward, reader};
use crate::diagnosis::{baseline, settable};
use crate::model::Digest;
use crate::pipeline::ingest::{Collector, Progress};
use crate::pipeline::{Ingest, LineFinder};
use crate::protocol::{Answer, BUILD, FoundLine, FromWorker, News, Question, Reading, ToWorker};
use crate::report::{self, LineRef, Report};
use crate::source::Limits;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, File, MessageEvent};

/// Time between two words of progress: fast enough to look alive, slow enough to cost nothing.
const PROGRESS_EVERY_MS: f64 = 100.0;
/// Packed bytes fed between two looks at messages; unpacked they are ten to thirty times as many.
const SLICE_BYTES: usize = 128 << 10;

/// What it keeps from question to question.
#[derive(Default)]
struct Kept {
    analyst: RefCell<Analyst>,
    /// Who helps it read.
    helpers: Rc<Helpers>,
    /// What it reads for another.
    members: RefCell<Collector>,
    /// The digest of what it has read, part by part.
    parts: RefCell<Option<Box<dyn Iterator<Item = Vec<u8>>>>>,
}

/// What goes back, or why nothing does.
type Answered = Result<(Answer, Attachments), String>;

/// What came beside a question.
struct Attached(Vec<JsValue>);

impl Attached {
    fn as_is<T: JsCast + Clone>(&self, at: usize) -> Option<T> {
        self.0.get(at).and_then(|a| a.dyn_ref::<T>()).cloned()
    }

    /// The bytes of a buffer, if there is one.
    fn bytes(&self, at: usize) -> Option<Vec<u8>> {
        self.0.get(at).map(|buffer| bytes_of(Some(buffer)))
    }

    /// The bytes of a file; of one that is beyond the limit, enough to show that it is.
    async fn file(&self, at: usize, limit: usize) -> Result<Vec<u8>, String> {
        let file: Blob = self.as_is(at).ok_or_else(|| String::from("no file was given"))?;
        let mut bytes = Vec::new();
        let read = reader::read_while(&file, async |piece| {
            bytes.extend_from_slice(piece);
            bytes.len() <= limit
        });
        read.await.map_err(|e| dom::message_of(&e))?;
        Ok(bytes)
    }
}

impl Kept {
    /// Has a digest to give away, and says so.
    fn give(&self, reading: Reading, digest: Digest) -> Answered {
        self.parts.replace(Some(Box::new(digest.into_parts())));
        Ok((Answer::Read(reading), Attachments::default()))
    }

    async fn answer(&self, question: Question, attached: Attached) -> Answered {
        let analyst = || self.analyst.borrow_mut();
        let bytes = || attached.bytes(0).unwrap_or_default();
        match question {
            Question::Read { names, helpers } => {
                let files = names
                    .iter()
                    .enumerate()
                    .filter_map(|(i, name)| Some((name.as_str(), attached.as_is(i)?)))
                    .collect();
                let (reading, digest) = read(files, &self.helpers, helpers).await;
                self.give(reading, digest)
            }
            Question::ReadMembers { bytes } => {
                let mut members = self.members.borrow_mut();
                members.replay(&head_of(attached.0.first(), bytes));
                Ok((Answer::Read(at(members.progress())), Attachments::handed_over(attached.0)))
            }
            Question::Finish => {
                let members = self.members.take();
                self.give(at(members.progress()), members.into_digest())
            }
            Question::GivePart => {
                let part = self.parts.borrow_mut().as_mut().and_then(Iterator::next);
                Ok((Answer::Done, Attachments::in_parts(part)))
            }
            Question::FindLines { name, wanted } => {
                let found = match attached.as_is(0) {
                    Some(file) => find_lines(&name, &file, wanted).await,
                    None => Vec::new(),
                };
                alone(Answer::Lines(found))
            }
            Question::Learn { baselines, runs, set } => {
                let digests = attached.0.get(baselines.len()..).unwrap_or_default();
                let mut parts_of_all = digests.iter().map(|buffer| bytes_of(Some(buffer)));
                let mut files = Vec::new();
                for (at, name) in baselines.into_iter().enumerate() {
                    files.push((name, attached.file(at, baseline::LIMIT_BYTES).await?));
                }
                let runs = runs.into_iter().map(|(name, parts)| (name, parts_of_all.by_ref().take(parts).collect()));
                let (baseline, doubts) = learn(files, runs, &set)?;
                Ok((Answer::Learned { doubts }, Attachments::bytes(&baseline.encode())))
            }
            Question::OpenFile => {
                let bytes = attached.file(0, report::file::LIMIT_BYTES).await?;
                self.open(report::file::open(&bytes).map_err(|e| e.to_string())?)
            }
            Question::Reveal => {
                let key = attached.file(0, report::key::LIMIT_BYTES).await?;
                let answer = analyst().reveal(&key)?;
                self.with_files(answer)
            }
            Question::Compare => {
                let before = attached.file(0, report::file::LIMIT_BYTES).await?;
                alone(analyst().compare(&before, attached.bytes(1).as_deref())?)
            }
            Question::OpenLink(fragment) => self.open(report::link::decode(&fragment).map_err(|e| e.to_string())?),
            Question::Merge => {
                analyst().merge(&bytes())?;
                alone(Answer::Done)
            }
            Question::SetBaseline => alone(analyst().set_baseline(attached.bytes(0).as_deref())?),
            Question::CompareMetrics => done(&analyst().measure(&bytes())?),
            Question::Prepare(asked) => {
                let others = |parts: &mut dyn Iterator<Item = Vec<u8>>| {
                    tell(News::MetricsReady, &Attachments::in_parts(parts));
                };
                analyst().prepare(&asked, &telling, &others)?;
                alone(Answer::Done)
            }
            Question::Analyse(asked) => {
                let answer = analyst().analyse(&asked, attached.bytes(0).as_deref(), &telling)?;
                self.with_files(answer)
            }
            Question::Settable => alone(Answer::Settable(settable::all())),
            Question::Check(set) => alone(Answer::Checked(settable::params(&set).err().unwrap_or_default())),
            Question::LayOut { view, look } => {
                done(&postcard::to_stdvec(&analyst().lay_out(view, &look)).map_err(|e| e.to_string())?)
            }
            Question::Search(words) => alone(Answer::Found(analyst().search(&words))),
            Question::TraceEvents => {
                let mut pieces = Pieces::default();
                analyst().write_trace_events(&mut |text| pieces.write(text.as_bytes()));
                let json = pieces.end("application/json").map_err(|e| dom::message_of(&e))?;
                Ok((Answer::Done, Attachments::handles([&json.into()])))
            }
            Question::GiveDigest => done(&analyst().digest()),
            Question::Share { leaving, size, address } => {
                alone(Answer::Shared(Box::new(outward::share(analyst().report()?, &leaving, size, address))))
            }
            Question::WriteHtml(leaving) => {
                let (page, texts) = outward::page(analyst().report()?, &leaving)?;
                let texts = postcard::to_allocvec(&texts).map_err(|e| e.to_string())?;
                Ok((Answer::Done, Attachments::in_parts([page.as_bytes(), &texts])))
            }
            Question::WriteTicket { leaving, form, lines } => {
                done(outward::ticket(analyst().report()?, &leaving, form, lines).as_bytes())
            }
        }
    }

    /// Shows a shared report.
    fn open(&self, report: Report) -> Answered {
        let answer = self.analyst.borrow_mut().open(report);
        self.with_files(answer)
    }

    /// A report, with what of it is too much for JavaScript objects.
    fn with_files(&self, answer: Answer) -> Answered {
        let analyst = self.analyst.borrow();
        let report = analyst.report()?;
        let coverage = postcard::to_stdvec(&*report.coverage).map_err(|e| e.to_string())?;
        let attachments = Attachments::bytes(&coverage);
        // Without it nothing but this file is missing.
        if let Ok(json) = blob(report.to_json().as_bytes(), "application/json") {
            attachments.items.push(&json);
        }
        Ok((answer, attachments))
    }
}

/// An answer beside which nothing goes.
fn alone(answer: Answer) -> Answered {
    Ok((answer, Attachments::default()))
}

/// Bytes that were asked for.
fn done(bytes: &[u8]) -> Answered {
    Ok((Answer::Done, Attachments::bytes(bytes)))
}

/// Starts to listen, and says so.
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        post(&FromWorker::Panicked { why: info.to_string() }, &Attachments::default());
    }));
    let kept = Rc::new(Kept::default());
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let kept = Rc::clone(&kept);
        spawn_local(async move {
            match unpack::<ToWorker>(event.data()) {
                Ok((ToWorker::Ask(request, question), attached)) => {
                    let (answer, attachments) = match kept.answer(question, Attached(attached)).await {
                        Ok((answer, attachments)) => (Ok(answer), attachments),
                        Err(why) => (Err(why), Attachments::default()),
                    };
                    if let Err(e) = send(&FromWorker::Answer(request, answer), &attachments) {
                        let why = format!("the answer cannot be handed over ({})", dom::message_of(&e));
                        post(&FromWorker::Answer(request, Err(why)), &Attachments::default());
                    }
                }
                Ok((ToWorker::HelperRead { helper, bytes }, attached)) => {
                    kept.helpers.note_read(helper, bytes, attached.first());
                }
                Err(e) => post(&FromWorker::Panicked { why: dom::message_of(&e) }, &Attachments::default()),
            }
        });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // It listens for as long as the worker lives: nobody is left to own it.
    on_message.forget();
    post(&FromWorker::Ready { build: BUILD.to_owned() }, &Attachments::default());
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Says something to the page.
fn send(message: &FromWorker, attachments: &Attachments) -> Result<(), JsValue> {
    scope().post_message_with_transfer(&pack(message, attachments)?, &attachments.transfer)
}

/// Says what the page waits for: it must learn that it does not come.
fn post(message: &FromWorker, attachments: &Attachments) {
    if let Err(e) = send(message, attachments) {
        wasm_bindgen::throw_val(e);
    }
}

/// Tells the page what happens.
pub fn tell(news: News, attachments: &Attachments) {
    post(&FromWorker::News(news), attachments);
}

/// Tells what is being done.
fn telling(doing: &str) {
    tell(News::Working(doing.to_owned()), &Attachments::default());
}

/// Reads files one after another into one digest, so many others helping. What was read before an error
/// is kept.
async fn read(files: Vec<(&str, File)>, helpers: &Rc<Helpers>, count: usize) -> (Reading, Digest) {
    let mut ingest = Ingest::dealing(Limits::default(), helpers.engage(count), helpers::BUSY_FROM_BYTES);
    let mut told_ms = js_sys::Date::now();
    let mut files = Ahead::new(files.into_iter());
    while let Some((name, file)) = files.next().await {
        ingest.start(name);
        let result = file.read(async |bytes| {
            for slice in bytes.chunks(SLICE_BYTES) {
                ingest.feed(slice);
                ingest.helpers_mut().iter_mut().for_each(ToHelper::send_if_idle);
                let now_ms = js_sys::Date::now();
                if now_ms - told_ms > PROGRESS_EVERY_MS {
                    told_ms = now_ms;
                    tell(News::Progress(at(ingest.progress())), &Attachments::default());
                }
                helpers.room().await;
            }
        });
        let result = result.await;
        ingest.finish_input();
        if let Err(e) = result {
            let why = format!("{name} could not be read to its end: {}", dom::message_of(&e));
            tell(News::Unreadable(why), &Attachments::default());
        }
    }
    ingest.helpers_mut().iter_mut().for_each(ToHelper::send);
    (at(ingest.progress()), ingest.into_digest())
}

/// How far it is. A helper counts no bytes of files: the parser that unpacks does.
const fn at(Progress { bytes, members, lines }: Progress) -> Reading {
    Reading { done_bytes: bytes, members, lines }
}

/// Reads a file again for the text of lines; what cannot be read has no text.
async fn find_lines(name: &str, file: &File, wanted: Vec<LineRef>) -> Vec<FoundLine> {
    let mut finder = LineFinder::new(wanted, Limits::default());
    finder.start(name);
    let read = reader::read_while(file, async |bytes| {
        finder.feed(bytes);
        !finder.is_done()
    });
    // A file that changed or went away since it was dropped: its lines stay without text.
    let _ = read.await;
    finder.into_lines().into_iter().map(|(at, text)| FoundLine { at, text }).collect()
}
