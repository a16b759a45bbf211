//! The page's end of a worker: questions in, answers out, as futures.

use super::dom::{Listeners, document, message_of};
use super::envelope::{Attachments, pack, unpack};
use super::save::BlobUrl;
use crate::protocol::{BUILD, FromWorker, RequestId, ToWorker};
use js_sys::{Function, Promise};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

/// Trunk's loader of the worker's module, beside the page.
const WORKER_URL: &str = "./worker_loader.js";

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
    /// The worker says no.
    #[error("{0}")]
    Refused(String),
}

/// A worker that can be asked. Dropping it ends the worker.
#[derive(Debug)]
pub struct Client {
    shared: Rc<Shared>,
    _listeners: Listeners,
}

struct Shared {
    worker: Worker,
    next: Cell<u32>,
    pending: RefCell<BTreeMap<RequestId, Pending>>,
    end: RefCell<Option<Failure>>,
    news: Box<dyn Fn(FromWorker)>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("next", &self.next).field("end", &self.end).finish_non_exhaustive()
    }
}

type Answer = (FromWorker, Vec<JsValue>);

/// A question that waits: where its answer goes, and whom to wake.
#[derive(Default)]
struct Pending {
    answer: Rc<RefCell<Option<Result<Answer, Failure>>>>,
    wake: Option<Function>,
}

impl Pending {
    fn resolve(self, answer: Result<Answer, Failure>) {
        *self.answer.borrow_mut() = Some(answer);
        if let Some(wake) = self.wake {
            let _ = wake.call0(&JsValue::NULL);
        }
    }
}

/// Starts a worker, from a script of one line that lives as long as the [`BlobUrl`].
///
/// A worker that comes from a URL of the network has the policy that its server sends, and
/// static servers send none: it could send what it reads anywhere. One that comes from a
/// blob inherits the policy of the page that made the blob.
fn spawn() -> Result<(Worker, BlobUrl), JsValue> {
    // A blob has no place that a relative address could start from.
    let base = document().base_uri()?.unwrap_or_default();
    let loader = Url::new_with_base(WORKER_URL, &base)?.href();
    let script = BlobUrl::of_bytes(format!("import \"{loader}\";").as_bytes(), "text/javascript")?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    Ok((Worker::new_with_options(script.as_str(), &options)?, script))
}

/// Under this id the worker's first word is awaited.
const READY: RequestId = RequestId(0);

impl Client {
    /// Starts a worker and waits for its first word. `news` hears what answers no question.
    ///
    /// # Errors
    /// If it does not start, or is of another build.
    pub async fn start(news: impl Fn(FromWorker) + 'static) -> Result<Self, Failure> {
        let (worker, script) = spawn().map_err(|e| Failure::Crashed(message_of(&e)))?;
        let shared = Rc::new(Shared {
            worker: worker.clone(),
            next: Cell::new(READY.0),
            pending: RefCell::default(),
            end: RefCell::default(),
            news: Box::new(news),
        });
        let mut listeners = Listeners::default();
        let to = Rc::clone(&shared);
        listeners.add(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                to.hear(event.data());
            }
        });
        let to = Rc::clone(&shared);
        listeners.add(&worker, "error", move |event| {
            let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            to.end(Failure::Crashed(if why.is_empty() { String::from("its files could not be loaded") } else { why }));
        });
        let ready = shared.wait();
        let client = Self { shared, _listeners: listeners };
        let first_word = ready.await;
        // The browser reads the script some time after the worker was made, and only once.
        drop(script);
        match first_word? {
            (FromWorker::Ready { build }, _) if build == BUILD => Ok(client),
            _ => Err(Failure::Stale),
        }
    }

    /// Asks a question.
    ///
    /// # Errors
    /// If the worker cannot answer, or ends before it does.
    pub async fn ask(
        &self,
        question: impl FnOnce(RequestId) -> ToWorker,
        with: Attachments,
    ) -> Result<Answer, Failure> {
        if let Some(end) = self.shared.end.borrow().clone() {
            return Err(end);
        }
        let question = question(RequestId(self.shared.next.get()));
        let sent = pack(&question, &with)
            .and_then(|packed| self.shared.worker.post_message_with_transfer(&packed, &with.transfer));
        sent.map_err(|e| Failure::Crashed(message_of(&e)))?;
        match self.shared.wait().await? {
            (FromWorker::Failed { why, .. }, _) => Err(Failure::Refused(why)),
            answer => Ok(answer),
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
    /// Takes the next id and waits for what answers it.
    fn wait(&self) -> impl Future<Output = Result<Answer, Failure>> + use<> {
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
        let (message, attached) = match unpack::<FromWorker>(data) {
            Ok(unpacked) => unpacked,
            Err(_) => return self.end(Failure::Stale),
        };
        let ends = if matches!(message, FromWorker::Ready { .. }) { Some(READY) } else { message.ends() };
        match (ends, message) {
            (Some(id), message) => {
                let pending = self.pending.borrow_mut().remove(&id);
                if let Some(pending) = pending {
                    pending.resolve(Ok((message, attached)));
                }
            }
            (None, FromWorker::Panicked { why }) => self.end(Failure::Crashed(why)),
            (None, news) => (self.news)(news),
        }
    }

    fn end(&self, why: Failure) {
        self.worker.terminate();
        self.end.borrow_mut().get_or_insert_with(|| why.clone());
        for (_, pending) in std::mem::take(&mut *self.pending.borrow_mut()) {
            pending.resolve(Err(why.clone()));
        }
    }
}
