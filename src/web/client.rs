//! The page's end of a worker: questions in, answers out, as futures.

use super::compiled;
use super::dom::{Listeners, message_of, window};
use super::envelope::{Attachments, pack, unpack};
use super::save::BlobUrl;
use crate::protocol::{Answer, BUILD, FromWorker, News, Question, RequestId, ToWorker};
use js_sys::{Array, Function, Promise, Reflect};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The user cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// The worker's files are of another build than the page's: a stale cache.
    #[error("this page was updated while your browser kept older parts of it")]
    Stale,
    /// The worker broke down.
    #[error("a part of this page broke down ({0})")]
    Crashed(String),
    /// The worker asked for more memory than it gets.
    #[error(
        "it takes more memory than this browser gives a page; `oddnode diagnose` reads the same files without that limit"
    )]
    OutOfMemory,
    /// The worker was ended from outside.
    #[error("the browser stopped a part of this page, as it does where memory is short")]
    Stopped,
    /// The worker says no.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    /// What an error says that ended a worker. A panic has told of itself before; what stops
    /// without a word (`unreachable`) found no memory.
    fn of_error(message: String) -> Self {
        // One browser begins a sentence with it, others do not.
        let said = message.to_ascii_lowercase();
        let of_memory = ["unreachable", "memory", "allocation failed"].iter().any(|word| said.contains(word));
        match message.as_str() {
            "" => Self::Crashed(String::from("its files could not be loaded")),
            _ if of_memory => Self::OutOfMemory,
            _ => Self::Crashed(message),
        }
    }

    /// What a panic says. A deflater panics where it finds no memory.
    fn of_panic(message: String) -> Self {
        let of_memory = ["MemError", "memory allocation of"].iter().any(|word| message.contains(word));
        if of_memory { Self::OutOfMemory } else { Self::Crashed(message) }
    }
}

/// A worker that can be asked. Dropping it ends the worker.
#[derive(Debug)]
pub struct Client {
    shared: Rc<Shared>,
    listeners: RefCell<Listeners>,
}

struct Shared {
    /// Once its script is there.
    worker: OnceCell<Worker>,
    next: Cell<u32>,
    pending: RefCell<BTreeMap<RequestId, Pending>>,
    end: RefCell<Option<Failure>>,
    news: Box<dyn Fn(News, Vec<JsValue>)>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("next", &self.next).field("end", &self.end).finish_non_exhaustive()
    }
}

/// An answer and its attachments.
pub type Answered = (Answer, Vec<JsValue>);

/// A question that waits: where its answer goes, and whom to wake.
#[derive(Default)]
struct Pending {
    answer: Rc<RefCell<Option<Result<Answered, Failure>>>>,
    wake: Option<Function>,
}

impl Pending {
    fn resolve(self, answer: Result<Answered, Failure>) {
        *self.answer.borrow_mut() = Some(answer);
        if let Some(wake) = self.wake {
            let _ = wake.call0(&JsValue::NULL);
        }
    }
}

/// What a worker does first. It takes the lock of its name for as long as it lives: a browser
/// tells nobody of a worker that it stops, but it gives the lock to whoever waits for it. The page
/// waits from the bare word on that the worker has it. And
/// where no one else hears of an error in a promise, it becomes the worker's own. Then it waits for
/// its module, the first message, which comes before anything is asked.
const FIRST: &str = "const held = new Promise((have) => {\n\
        if (!navigator.locks) return have();\n\
        navigator.locks.request(self.name, () => { have(); return new Promise(() => {}); }).catch(have);\n\
    });\n\
    held.then(() => self.postMessage(\"held\"));\n\
    self.addEventListener(\"unhandledrejection\", (event) => setTimeout(() => { throw event.reason; }));\n";

/// What it does at last.
const LAST: &str = "\nself.onmessage = ({ data }) => {\n\
        self.onmessage = null;\n\
        held.then(() => initSync({ module: data }));\n\
    };\n";

/// Starts a worker of this name, from a script that lives as long as the [`BlobUrl`].
///
/// A worker that comes from a URL of the network has the policy that its server sends, and
/// static servers send none: it could send what it reads anywhere. One that comes from a
/// blob inherits the policy of the page that made the blob.
fn spawn(name: &str, glue: &JsValue) -> Result<(Worker, BlobUrl), JsValue> {
    let (parts, of) = (Array::of3(&FIRST.into(), glue, &LAST.into()), BlobPropertyBag::new());
    of.set_type("text/javascript");
    let script = BlobUrl::of(&Blob::new_with_str_sequence_and_options(&parts, &of)?)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    Ok((Worker::new_with_options(script.as_str(), &options)?, script))
}

/// A name that no other worker of this origin has, in whichever tab.
fn fresh_name() -> String {
    let mut bytes = [0; 16];
    if let Ok(crypto) = window().crypto() {
        // Without random bytes, tabs share a lock: the second hears of its workers' ends too late.
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    format!("oddnode-worker-{:032x}", u128::from_le_bytes(bytes))
}

/// Waits until the worker of this name has ended, and tells who asks it; in vain where the browser cannot tell.
async fn stopped(name: String, shared: Weak<Shared>) {
    if awaited_lock(&name).await.is_ok()
        && let Some(shared) = shared.upgrade()
    {
        shared.end(Failure::Stopped);
    }
}

/// Waits for a lock and gives it back. web-sys has no stable binding for locks.
async fn awaited_lock(name: &str) -> Result<(), JsValue> {
    let locks = Reflect::get(&window().navigator(), &"locks".into())?;
    let request: Function = Reflect::get(&locks, &"request".into())?.dyn_into()?;
    // Called with the lock, it returns at once, which gives the lock back.
    let at_once = Reflect::get(&js_sys::global(), &"Boolean".into())?;
    let given: Promise = request.call2(&locks, &name.into(), &at_once)?.dyn_into()?;
    JsFuture::from(given).await.map(drop)
}

/// Under this id the worker's first word is awaited.
const READY: RequestId = RequestId(0);

impl Client {
    /// A worker to be, which can be ended at once, and asked when it is [ready](Self::ready). `news` is called with what
    /// happens while it works.
    pub fn new(news: impl Fn(News, Vec<JsValue>) + 'static) -> Rc<Self> {
        let shared = Rc::new(Shared {
            worker: OnceCell::new(),
            next: Cell::new(READY.0),
            pending: RefCell::default(),
            end: RefCell::default(),
            news: Box::new(news),
        });
        Rc::new(Self { shared, listeners: RefCell::default() })
    }

    /// Starts it and waits for its first word. Nobody else does, nor asks before.
    ///
    /// # Errors
    /// If it does not start, is of another build, or was ended meanwhile.
    pub async fn ready(&self) -> Result<(), Failure> {
        let first_word = self.shared.wait();
        let begun = self.begin().await;
        // Whoever ended it may have given up its code, too.
        if self.is_alive() {
            begun.as_ref().map_err(|e| Failure::of_error(message_of(e)))?;
        }
        let first_word = first_word.await;
        // The browser reads the script some time after the worker was made, and only once.
        drop(begun);
        first_word.map(drop)
    }

    /// Gives it its code; returns the script that it starts from.
    async fn begin(&self) -> Result<BlobUrl, JsValue> {
        // The module comes while the worker starts.
        compiled::begin();
        let (name, glue) = (fresh_name(), compiled::glue().await?);
        if !self.is_alive() {
            return Err(JsValue::UNDEFINED);
        }
        let (worker, script) = spawn(&name, &glue)?;
        let mut listeners = Listeners::default();
        let to = Rc::clone(&self.shared);
        listeners.add(&worker, "message", move |event| {
            match event.dyn_ref::<MessageEvent>().map(MessageEvent::data) {
                // A bare word, not a message: that it has its lock.
                Some(word) if word.is_string() => spawn_local(stopped(name.clone(), Rc::downgrade(&to))),
                Some(message) => to.hear(message),
                None => {}
            }
        });
        let to = Rc::clone(&self.shared);
        listeners.add(&worker, "error", move |event| {
            let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            to.end(Failure::of_error(why));
        });
        self.listeners.replace(listeners);
        let worker = self.shared.worker.get_or_init(|| worker);
        worker.post_message(&compiled::module().await?)?;
        Ok(script)
    }

    /// Asks a question, at once: what is asked before its answer is awaited finds the worker at work.
    ///
    /// # Errors
    /// If the worker cannot answer, or ends before it does.
    pub fn ask(
        &self,
        question: Question,
        with: Attachments,
    ) -> impl Future<Output = Result<Answered, Failure>> + use<> {
        let question = ToWorker::Ask(RequestId(self.shared.next.get()), question);
        let waits = match self.shared.end.borrow().clone() {
            Some(end) => Err(end),
            None => match self.shared.post(&question, &with) {
                Ok(()) => Ok(self.shared.wait()),
                Err(e) => Err(Failure::Crashed(message_of(&e))),
            },
        };
        async move { waits?.await }
    }

    /// Asks, at once, for the next part of the digest of what it has read; `None` when that was all.
    ///
    /// # Errors
    /// If the worker ends before.
    pub fn part(&self) -> impl Future<Output = Result<Option<JsValue>, Failure>> + use<> {
        let answer = self.ask(Question::GivePart, Attachments::default());
        async move { Ok(answer.await?.1.into_iter().next()) }
    }

    /// Gives it a part of a digest to merge.
    ///
    /// # Errors
    /// If it is none, too much, or the worker ends before.
    pub async fn merge(&self, part: JsValue) -> Result<(), Failure> {
        self.ask(Question::Merge, Attachments::handed_over([part])).await.map(drop)
    }

    /// Says what wants no answer; to a worker that has ended, nothing.
    pub fn tell(&self, word: &ToWorker, with: &Attachments) {
        if self.is_alive() {
            // What cannot be sent would not be heard either.
            let _ = self.shared.post(word, with);
        }
    }

    /// Ends the worker at once; whoever waits for an answer hears `why`.
    pub fn end(&self, why: Failure) {
        self.shared.end(why);
    }

    /// Whether it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.shared.pending.borrow().is_empty()
    }

    /// Whether it still answers.
    pub fn is_alive(&self) -> bool {
        self.shared.end.borrow().is_none()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.shared.end(Failure::Cancelled);
    }
}

impl Shared {
    fn post(&self, message: &ToWorker, with: &Attachments) -> Result<(), JsValue> {
        let worker = self.worker.get().ok_or(JsValue::UNDEFINED)?;
        worker.post_message_with_transfer(&pack(message, with)?, &with.transfer)
    }

    /// Takes the next id and waits for what answers it.
    fn wait(&self) -> impl Future<Output = Result<Answered, Failure>> + use<> {
        let id = RequestId(self.next.get());
        self.next.set(id.0.wrapping_add(1));
        let mut pending = Pending::default();
        let answer = Rc::clone(&pending.answer);
        let promise = Promise::new(&mut |wake, _| pending.wake = Some(wake));
        self.pending.borrow_mut().insert(id, pending);
        async move {
            // The promise is only ever resolved, and after the answer is in its place.
            let _ = JsFuture::from(promise).await;
            let answer = answer.borrow_mut().take();
            answer.unwrap_or(Err(Failure::Cancelled))
        }
    }

    fn hear(&self, data: JsValue) {
        let Ok((message, attached)) = unpack::<FromWorker>(data) else { return self.end(Failure::Stale) };
        let (id, answer) = match message {
            FromWorker::Ready { build } if build == BUILD => (READY, Ok(Answer::Done)),
            FromWorker::Ready { .. } => return self.end(Failure::Stale),
            FromWorker::Panicked { why } => return self.end(Failure::of_panic(why)),
            FromWorker::News(news) => return (self.news)(news, attached),
            FromWorker::Answer(id, answer) => (id, answer),
        };
        let pending = self.pending.borrow_mut().remove(&id);
        if let Some(pending) = pending {
            pending.resolve(answer.map(|answer| (answer, attached)).map_err(Failure::Refused));
        }
    }

    fn end(&self, why: Failure) {
        if let Some(worker) = self.worker.get() {
            worker.terminate();
        }
        self.end.borrow_mut().get_or_insert_with(|| why.clone());
        for (_, pending) in std::mem::take(&mut *self.pending.borrow_mut()) {
            pending.resolve(Err(why.clone()));
        }
    }
}
