//! A worker: reads files into digests, helps one that does, or (as the analyst) keeps the merged digest
//! and answers from it. Which of them it is, the page decides by what it asks.

use super::analyst::{Analyst, learn};
use super::envelope::{Attachments, bytes_of, head_of, pack, unpack};
use super::hands::{self, Hands};
use super::reader::Ahead;
use super::save::blob;
use super::{dom, outward, reader};
use crate::model::Digest;
use crate::pipeline::ingest::{Collector, Progress};
use crate::pipeline::{Ingest, LineFinder};
use crate::protocol::{BUILD, FoundLine, FromWorker, Reading, RequestId, ToWorker};
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
/// What is unpacked of an archive before others may tell how far they are: ten times as much, or
/// thirty, inflated.
const SLICE_BYTES: usize = 128 << 10;

/// What it keeps from question to question.
#[derive(Default)]
struct Kept {
    analyst: RefCell<Analyst>,
    /// Who helps it read.
    hands: Rc<Hands>,
    /// What it was told to read for another.
    heard: RefCell<Collector>,
    /// The digest of what it has read, part by part.
    parts: RefCell<Option<Box<dyn Iterator<Item = Vec<u8>>>>>,
}

impl Kept {
    /// Has a digest to give away, and says so.
    fn give(&self, request: RequestId, reading: Reading, digest: Digest) {
        self.parts.replace(Some(Box::new(digest.into_parts())));
        post(&FromWorker::Digest { request, reading }, &Attachments::default());
    }
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
                Ok((question, attached)) => answer(question, &attached, &kept).await,
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
pub fn post(message: &FromWorker, attachments: &Attachments) {
    let sent = pack(message, attachments)
        .and_then(|packed| scope().post_message_with_transfer(&packed, &attachments.transfer));
    if let Err(e) = sent {
        // The page waits for this answer; it must learn that none comes.
        wasm_bindgen::throw_val(e);
    }
}

async fn answer(question: ToWorker, attached: &[JsValue], kept: &Kept) {
    let analyst = &kept.analyst;
    let file = |i: usize| attached.get(i).and_then(|a| a.dyn_ref::<File>()).cloned();
    let blob_at = |i: usize| attached.get(i).and_then(|a| a.dyn_ref::<Blob>()).cloned();
    let none = Attachments::default();
    match question {
        ToWorker::Read { request, names, hands } => {
            let files = names.iter().enumerate().filter_map(|(i, name)| Some((name.as_str(), file(i)?))).collect();
            let (reading, digest) = read(request, files, &kept.hands, hands).await;
            kept.give(request, reading, digest);
        }
        ToWorker::Hear { request, bytes } => {
            let mut heard = kept.heard.borrow_mut();
            heard.hear(&head_of(attached.first(), bytes));
            let buffer = Attachments::handed_over(attached.iter().cloned());
            post(&FromWorker::Heard { request, reading: at(heard.progress()) }, &buffer);
        }
        ToWorker::Finish { request } => {
            let heard = kept.heard.take();
            let reading = at(heard.progress());
            kept.give(request, reading, heard.into_digest());
        }
        ToWorker::GivePart { request } => {
            let part = kept.parts.borrow_mut().as_mut().and_then(Iterator::next);
            post(&FromWorker::Part { request }, &Attachments::in_parts(part));
        }
        ToWorker::Eased { hand, bytes } => kept.hands.eased(hand, bytes, attached.first()),
        ToWorker::FindLines { request, name, wanted } => {
            let found = match file(0) {
                Some(file) => find_lines(&name, &file, wanted).await,
                None => Vec::new(),
            };
            post(&FromWorker::Lines { request, found }, &none);
        }
        ToWorker::Merge { request } => match analyst.borrow_mut().merge(&bytes_of(attached.first())) {
            Ok(()) => post(&FromWorker::Merged { request }, &none),
            Err(why) => post(&FromWorker::Failed { request, why }, &none),
        },
        ToWorker::Learn { request, parts } => {
            let mut parts_of_all = attached.iter().map(|buffer| bytes_of(Some(buffer)));
            match learn(parts.into_iter().map(|parts| parts_of_all.by_ref().take(parts).collect())) {
                Ok(baseline) => post(&FromWorker::Learned { request }, &Attachments::bytes(&baseline.encode())),
                Err(why) => post(&FromWorker::Failed { request, why }, &none),
            }
        }
        ToWorker::Take { request } => {
            let bytes = attached.first().map(|buffer| bytes_of(Some(buffer)));
            post(&analyst.borrow_mut().take(request, bytes.as_deref()), &none);
        }
        ToWorker::Measure { request } => match analyst.borrow().measure(&bytes_of(attached.first())) {
            Ok(measured) => post(&FromWorker::Measured { request }, &Attachments::bytes(&measured)),
            Err(why) => post(&FromWorker::Failed { request, why }, &none),
        },
        ToWorker::Prepare { request, clocks } => {
            let others = |parts: &mut dyn Iterator<Item = Vec<u8>>| {
                post(&FromWorker::Placed { request }, &Attachments::in_parts(parts));
            };
            analyst.borrow_mut().prepare(clocks, &telling(request), &others);
            post(&FromWorker::Prepared { request }, &none);
        }
        ToWorker::Analyse { request, clocks } => {
            let measured = attached.first().map(|buffer| bytes_of(Some(buffer)));
            let analysed = analyst.borrow_mut().analyse(request, clocks, measured.as_deref(), &telling(request));
            post_with_files(&analysed, analyst);
        }
        ToWorker::LayOut { request, view, look } => {
            let scene = analyst.borrow_mut().lay_out(view, &look);
            match postcard::to_stdvec(&scene) {
                Ok(bytes) => post(&FromWorker::LaidOut { request }, &Attachments::bytes(&bytes)),
                Err(e) => post(&FromWorker::Failed { request, why: e.to_string() }, &none),
            }
        }
        ToWorker::Search { request, words } => {
            let findings = analyst.borrow().search(&words);
            post(&FromWorker::Found { request, findings }, &none);
        }
        ToWorker::TraceEvents { request } => {
            let json = analyst.borrow().trace_events();
            post(&FromWorker::Exported { request }, &Attachments::bytes(json.as_bytes()));
        }
        ToWorker::OpenLink { request, fragment } => {
            opened(request, report::link::decode(&fragment).map_err(|e| e.to_string()), analyst);
        }
        ToWorker::OpenFile { request } => {
            let read = whole(blob_at(0), report::file::LIMIT_BYTES).await;
            opened(request, read.and_then(|bytes| report::file::open(&bytes).map_err(|e| e.to_string())), analyst);
        }
        ToWorker::Reveal { request } => {
            let answer = match whole(blob_at(0), report::key::LIMIT_BYTES).await {
                Ok(key) => analyst.borrow_mut().reveal(request, &key),
                Err(why) => FromWorker::Failed { request, why },
            };
            post_with_files(&answer, analyst);
        }
        ToWorker::Share { request, leaving, size, address } => {
            let analyst = analyst.borrow();
            match analyst.report() {
                Some(report) => {
                    let shared = Box::new(outward::share(report, &leaving, size, address));
                    post(&FromWorker::Shared { request, shared }, &none);
                }
                None => written(request, Err(String::from(NO_REPORT))),
            }
        }
        ToWorker::WriteHtml { request, leaving } => {
            let analyst = analyst.borrow();
            let page = analyst.report().ok_or_else(|| NO_REPORT.to_owned());
            written(request, page.and_then(|report| outward::page(report, &leaving)).map(String::into_bytes));
        }
        ToWorker::WriteTicket { request, markdown } => {
            let analyst = analyst.borrow();
            let ticket = analyst.report().map(|report| outward::ticket(report, markdown).into_bytes());
            written(request, ticket.ok_or_else(|| NO_REPORT.to_owned()));
        }
        ToWorker::GiveDigest { request } => written(request, Ok(analyst.borrow().digest())),
        ToWorker::Compare { request } => {
            let digest = attached.get(1).map(|buffer| bytes_of(Some(buffer)));
            let compared = match whole(blob_at(0), report::file::LIMIT_BYTES).await {
                Ok(before) => analyst.borrow_mut().compare(request, &before, digest.as_deref()),
                Err(why) => FromWorker::Failed { request, why },
            };
            post(&compared, &none);
        }
    }
}

/// Tells what is being done.
fn telling(request: RequestId) -> impl Fn(&str) {
    move |doing| post(&FromWorker::Working { request, doing: doing.to_owned() }, &Attachments::default())
}

const NO_REPORT: &str = "there is no report yet";

/// Answers with bytes.
fn written(request: RequestId, bytes: Result<Vec<u8>, String>) {
    match bytes {
        Ok(bytes) => post(&FromWorker::Written { request }, &Attachments::bytes(&bytes)),
        Err(why) => post(&FromWorker::Failed { request, why }, &Attachments::default()),
    }
}

/// Answers with a shared report, or why it cannot be shown.
fn opened(request: RequestId, read: Result<(Report, Vec<String>), String>, analyst: &RefCell<Analyst>) {
    let answer = match read {
        Ok((report, left_out)) => analyst.borrow_mut().open(request, report, left_out),
        Err(why) => FromWorker::Failed { request, why },
    };
    post_with_files(&answer, analyst);
}

/// Posts a report, with what of it is too much for JavaScript objects; or why there is none, alone.
fn post_with_files(answer: &FromWorker, analyst: &RefCell<Analyst>) {
    let analyst = analyst.borrow();
    let report = analyst.report().filter(|_| !matches!(answer, FromWorker::Failed { .. }));
    let attachments = report.map_or_else(Attachments::default, |report| {
        let attachments = Attachments::bytes(&postcard::to_stdvec(&*report.coverage).unwrap_or_default());
        // Without it nothing but this file is missing.
        if let Ok(json) = blob(report.to_json().as_bytes(), "application/json") {
            attachments.items.push(&json);
        }
        attachments
    });
    post(answer, &attachments);
}

/// A file's bytes; of one that is beyond the limit, enough to show that it is.
async fn whole(file: Option<Blob>, limit: usize) -> Result<Vec<u8>, String> {
    let file = file.ok_or_else(|| String::from("no file was given"))?;
    let mut bytes = Vec::new();
    let read = reader::read_while(&file, async |piece| {
        bytes.extend_from_slice(piece);
        bytes.len() <= limit
    });
    read.await.map_err(|e| dom::message_of(&e))?;
    Ok(bytes)
}

/// Reads files one after another into one digest, so many others helping. What was read before an error
/// is kept.
async fn read(request: RequestId, files: Vec<(&str, File)>, hands: &Rc<Hands>, count: usize) -> (Reading, Digest) {
    let helpers = hands.engage(request, count);
    let mut ingest = Ingest::dealing(Limits::default(), helpers, hands::BUSY_FROM_BYTES);
    let mut told_ms = js_sys::Date::now();
    let mut files = Ahead::new(files.into_iter());
    while let Some((name, file)) = files.next().await {
        ingest.start(name);
        let result = file.read(async |bytes| {
            for slice in bytes.chunks(SLICE_BYTES) {
                ingest.feed(slice);
                ingest.hands_mut().iter_mut().for_each(hands::Helper::send_if_idle);
                let now_ms = js_sys::Date::now();
                if now_ms - told_ms > PROGRESS_EVERY_MS {
                    told_ms = now_ms;
                    let reading = at(ingest.progress());
                    post(&FromWorker::Progress { request, reading }, &Attachments::default());
                }
                hands.room().await;
            }
        });
        let result = result.await;
        ingest.finish_input();
        if let Err(e) = result {
            let why = format!("{name} could not be read to its end: {}", dom::message_of(&e));
            post(&FromWorker::Unreadable { request, why }, &Attachments::default());
        }
    }
    ingest.hands_mut().iter_mut().for_each(hands::Helper::send);
    (at(ingest.progress()), ingest.into_digest())
}

/// How far it is. Who reads for another has done no bytes: the other counts those of the file.
const fn at(Progress { bytes, members, lines }: Progress) -> Reading {
    Reading { done_bytes: bytes, members, lines }
}

/// Reads a file again for the text of lines; what cannot be read has no text.
async fn find_lines(name: &str, file: &File, wanted: Vec<LineRef>) -> Vec<FoundLine> {
    let mut finder = LineFinder::new(wanted.into_iter().map(|at| (at.file, at.line)), Limits::default());
    finder.start(name);
    let read = reader::read_while(file, async |bytes| {
        finder.feed(bytes);
        !finder.is_done()
    });
    // A file that changed or went away since it was dropped: its lines stay without text.
    let _ = read.await;
    let found = finder.into_lines().into_iter();
    found.map(|((file, line), text)| FoundLine { at: LineRef { file, line }, text }).collect()
}
