//! From inputs to a verdict: parsers take files from a queue, the analyst merges their
//! digests. Which parser reads which file leaves no trace in the report.

use super::begun::Begun;
use super::client::{Answered, Client, Failure};
use super::controls;
use super::envelope::Attachments;
use super::intake::{self, Input};
use super::progress::Working;
use super::selected::Selected;
use super::session::{Again, Session, analysed, fresh_key};
use crate::diagnosis::Method;
use crate::pipeline::{BUILDING, Batch, batches, fits};
use crate::protocol::{Answer, Asked, News, Question, Reading, ToWorker};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};

/// Parsers at most: inflating is bound by memory beyond a few, and the page needs a core.
const PARSERS_MAX: usize = 4;

/// How far the whole reading is, for the progress panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Read so far.
    pub reading: Reading,
    /// Bytes of all files.
    pub total_bytes: u64,
    /// Everything is read, and this is being done.
    pub analysing: Option<String>,
}

/// A worker that reads members which another unpacks.
#[derive(Clone, Debug)]
struct Helper {
    client: Rc<Client>,
    slot: usize,
}

/// The workers that read one archive together.
#[derive(Debug)]
struct Team {
    /// Of the archive.
    name: String,
    /// Unpacks it.
    parser: Rc<Client>,
    helpers: Vec<Helper>,
    /// What one of them does not give is a part of it: others read it too, or some was given.
    divided: Cell<bool>,
}

/// A reading under way.
#[derive(Debug)]
pub struct Ingestion {
    queue: RefCell<VecDeque<Batch<Input>>>,
    total_bytes: u64,
    finished: Cell<Reading>,
    current: RefCell<Vec<Reading>>,
    /// By the slot of the parser that unpacks.
    teams: RefCell<BTreeMap<usize, Rc<Team>>>,
    analysing: Cell<bool>,
    /// What the analyst does.
    pub working: Rc<Working>,
    /// What the comparison of metrics says.
    measured: RefCell<Option<Begun<Vec<JsValue>>>>,
    failures: RefCell<Vec<String>>,
    over: Cell<bool>,
    /// Why the whole of it cannot go on.
    broken: RefCell<Option<Failure>>,
    clients: RefCell<Vec<Rc<Client>>>,
    parsers: usize,
}

impl Ingestion {
    /// An ingestion of these inputs for a machine of so many cores.
    pub fn new(inputs: &[Input], refused: &[String], cores: usize) -> Rc<Self> {
        let parsers = cores.clamp(1, PARSERS_MAX);
        // The browser is asked once how long a file is: of a hundred thousand it would be millions of times.
        let sizes: Vec<f64> = inputs.iter().map(|input| input.file.size()).collect();
        let total_bytes = sizes.iter().sum::<f64>();
        let sized = inputs.iter().cloned().zip(sizes).collect();
        let queue = batches(sized, |input| input.name.as_str(), parsers);
        let failures = refused.iter().map(|name| intake::unopened(name)).collect();
        Rc::new(Self {
            queue: RefCell::new(queue),
            total_bytes: total_bytes as u64,
            finished: Cell::default(),
            current: RefCell::default(),
            teams: RefCell::default(),
            analysing: Cell::default(),
            working: Rc::default(),
            measured: RefCell::default(),
            failures: RefCell::new(failures),
            over: Cell::default(),
            broken: RefCell::default(),
            clients: RefCell::default(),
            parsers,
        })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let reading = self.current.borrow().iter().copied().fold(self.finished.get(), Reading::plus);
        let analysing = self.analysing.get().then(|| self.working.words());
        Progress { reading, total_bytes: self.total_bytes, analysing }
    }

    /// Whether nobody waits for it any more.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Ends it at once.
    pub fn cancel(&self) {
        self.over.set(true);
        for client in self.clients.borrow_mut().drain(..) {
            client.end(Failure::Cancelled);
        }
    }

    /// Reads everything and reaches the verdict as it is asked for, with the baseline if one is given.
    ///
    /// # Errors
    /// Cancelled, too much for a page, or the analyst cannot work.
    pub async fn run(
        self: Rc<Self>,
        inputs: Vec<Input>,
        baselines: &[Input],
        Again { asked, baseline }: Again,
    ) -> Result<Session, Failure> {
        fits::require_to_read(self.total_bytes).map_err(Failure::Refused)?;
        // Side by side: to start takes a while.
        let analyst = Rc::new(Begun::new(Rc::clone(&self).start_client(None)));
        let parsers = self.parsers.min(self.queue.borrow().len().max(1));
        let runs = (0..parsers).map(|_| {
            let slot = self.new_slot();
            let (ingestion, analyst) = (Rc::clone(&self), Rc::clone(&analyst));
            future_to_promise(async move {
                match ingestion.parse(slot, analyst).await {
                    Ok(()) => Ok(JsValue::UNDEFINED),
                    Err(why) => {
                        let says = JsValue::from_str(&why.to_string());
                        ingestion.broken.borrow_mut().get_or_insert(why);
                        Err(says)
                    }
                }
            })
        });
        let all: js_sys::Array = runs.collect();
        let parsed = JsFuture::from(js_sys::Promise::all(&all)).await;
        if self.over.get() {
            return Err(Failure::Cancelled);
        }
        parsed.map_err(|e| self.broken.take().unwrap_or_else(|| Failure::Crashed(super::dom::message_of(&e))))?;
        let analyst = analyst.same().await?;
        self.analysing.set(true);
        // Until the analyst says what it does.
        self.working.turn_to(BUILDING.to_owned());
        let key = fresh_key()?;
        let mut untaught = None;
        let mut baseline = controls::taught_again(&analyst, baseline).await?;
        if baseline.is_none() && !baselines.is_empty() {
            match controls::taught_by(&analyst, baselines).await {
                Ok(taught) => baseline = taught,
                // The logs are read, and compared with themselves.
                Err(Failure::Refused(why)) => untaught = Some(why),
                Err(why) => return Err(why),
            }
        }
        // The other would have to learn the baseline too.
        let by_another = match &baseline {
            None => self.measured(&analyst, asked.clone()).await?,
            Some(_) => Attachments::default(),
        };
        // Meanwhile a worker starts for what comes next; those that have read are gone with their memory.
        let finder = Begun::new(Rc::clone(&self).start_client(None));
        let analysed = analysed(&analyst, asked.clone(), key, by_another).await?;
        // Without it lines are not quoted.
        let finder = finder.end().await.ok();
        self.clients.take();
        self.over.set(true);
        let failures = self.failures.take();
        let selected = Selected::of_address(analysed.report.clock.zone());
        Ok(Session {
            inputs,
            failures,
            working: Rc::clone(&self.working),
            asked,
            finder,
            baseline,
            untaught,
            ..Session::of(analysed, analyst, key, selected)
        })
    }

    /// What the comparison of metrics says, by a worker of its own, while the analyst does all else. Where
    /// that does not pay or does not work, nothing: then the analyst compares them.
    async fn measured(&self, analyst: &Client, asked: Asked) -> Result<Attachments, Failure> {
        if self.parsers < 2 {
            return Ok(Attachments::default());
        }
        analyst.ask(Question::Prepare(asked), Attachments::default()).await?;
        let Some(measured) = self.measured.take() else { return Ok(Attachments::default()) };
        self.working.turn_to(format!("comparing {}", Method::KahunaBb.compares()));
        Ok(Attachments::handed_over(measured.end().await.unwrap_or_default()))
    }

    /// Has metrics compared by another worker: their digest in parts, and last the basis.
    fn measure(self: Rc<Self>, mut metrics: Vec<JsValue>) {
        let worker = Rc::clone(&self).start_client(None);
        let said = async move {
            let worker = worker.await?;
            let basis = Attachments::handed_over(metrics.pop());
            for part in metrics {
                worker.merge(part).await?;
            }
            let (_, said) = worker.ask(Question::CompareMetrics, basis).await?;
            worker.end(Failure::Cancelled);
            Ok(said)
        };
        self.measured.replace(Some(Begun::new(said)));
    }

    async fn start_client(self: Rc<Self>, slot: Option<usize>) -> Result<Rc<Client>, Failure> {
        let ingestion = Rc::downgrade(&self);
        // The analyst is asked again when the ingestion is long over.
        let working = Rc::clone(&self.working);
        let news = move |news: News, attached: Vec<JsValue>| {
            if let News::Working(doing) = news {
                working.turn_to(doing);
                return;
            }
            let Some(ingestion) = ingestion.upgrade() else { return };
            match (news, slot) {
                (News::MetricsReady, _) => ingestion.measure(attached),
                (News::Progress(reading), Some(slot)) => ingestion.set_current(slot, reading),
                (News::Unreadable(why), Some(_)) => ingestion.note_failure(why),
                (News::Dealt { helper, bytes }, Some(slot)) => ingestion.pass_on(slot, helper, bytes, attached),
                _ => {}
            }
        };
        if self.over.get() {
            return Err(Failure::Cancelled);
        }
        let client = Client::new(news);
        // Whoever cancels ends it, be it ready or not.
        self.clients.borrow_mut().push(Rc::clone(&client));
        client.ready().await?;
        Ok(client)
    }

    fn new_slot(&self) -> usize {
        let mut current = self.current.borrow_mut();
        current.push(Reading::default());
        current.len() - 1
    }

    fn set_current(&self, slot: usize, reading: Reading) {
        if let Some(current) = self.current.borrow_mut().get_mut(slot) {
            *current = reading;
        }
    }

    /// One parser: takes batches until the queue is empty. A batch that breaks the parser is
    /// named and left out, and a new parser goes on.
    async fn parse(self: &Rc<Self>, slot: usize, analyst: Rc<Begun<Rc<Client>>>) -> Result<(), Failure> {
        let mut parser: Option<Rc<Client>> = None;
        loop {
            let Some(batch) = self.queue.borrow_mut().pop_front() else {
                // Its memory is needed for the analysis.
                parser.iter().for_each(|parser| parser.end(Failure::Cancelled));
                return Ok(());
            };
            let Batch { files: inputs, helpers } = batch;
            // Side by side, as the analyst.
            let starting: Vec<_> = (0..helpers).map(|_| Begun::new(Rc::clone(self).start_client(None))).collect();
            let unpacker = match parser.take().filter(|parser| parser.is_alive()) {
                Some(parser) => parser,
                None => Rc::clone(self).start_client(Some(slot)).await?,
            };
            let mut helpers = Vec::new();
            for helper in starting {
                // One that does not start does not help.
                helpers.extend(helper.end().await.ok().map(|client| Helper { client, slot: self.new_slot() }));
            }
            let names: Vec<String> = inputs.iter().map(|i| i.name.clone()).collect();
            let handles = Attachments::handles(inputs.iter().map(|i| i.file.as_ref()));
            let divided = Cell::new(!helpers.is_empty());
            let team = Rc::new(Team { name: names.join(", "), parser: Rc::clone(&unpacker), helpers, divided });
            let question = Question::Read { names, helpers: team.helpers.len() };
            self.teams.borrow_mut().insert(slot, Rc::clone(&team));
            let answer = unpacker.ask(question, handles).await;
            self.teams.borrow_mut().remove(&slot);
            let analyst = analyst.same().await?;
            // What helpers have read stays, whatever became of the parser. They go first, and their memory with them.
            self.finish_helpers(&team, &analyst).await?;
            match self.take_digest(slot, answer, (&team, &unpacker), &analyst).await? {
                Ok(()) => {}
                Err(Failure::Cancelled) => return Err(Failure::Cancelled),
                // Which file of several it was is found by reading them one by one.
                Err(_) if inputs.len() > 1 => {
                    self.set_current(slot, Reading::default());
                    for input in inputs {
                        self.queue.borrow_mut().push_back(Batch::of(vec![input]));
                    }
                }
                Err(why) => {
                    self.note_left_out(&team, &why);
                    let done_bytes = inputs.iter().map(|i| i.file.size()).sum::<f64>() as u64;
                    self.finish(slot, Reading { done_bytes, ..Reading::default() });
                }
            }
            parser = Some(unpacker);
        }
    }

    /// Takes what helpers have read, and ends them.
    async fn finish_helpers(&self, team: &Team, analyst: &Client) -> Result<(), Failure> {
        for Helper { client, slot } in &team.helpers {
            let answer = client.ask(Question::Finish, Attachments::default()).await;
            match self.take_digest(*slot, answer, (team, client), analyst).await? {
                Ok(()) => {}
                Err(Failure::Cancelled) => return Err(Failure::Cancelled),
                Err(why) => {
                    self.note_left_out(team, &why);
                    self.finish(*slot, Reading::default());
                }
            }
            client.end(Failure::Cancelled);
        }
        Ok(())
    }

    /// Gives the analyst the digest that a parser answered with, one part being made while the one before
    /// is merged. The inner result is the parser's failure, the outer one the analyst's.
    async fn take_digest(
        &self,
        slot: usize,
        answer: Result<Answered, Failure>,
        (team, parser): (&Team, &Client),
        analyst: &Client,
    ) -> Result<Result<(), Failure>, Failure> {
        let reading = match answer {
            Ok((Answer::Read(reading), _)) => reading,
            Ok(_) => return Err(Failure::Stale),
            Err(why) => return Ok(Err(why)),
        };
        self.set_current(slot, reading);
        let mut part = parser.part();
        loop {
            match part.await {
                Ok(Some(made)) => {
                    part = parser.part();
                    team.divided.set(true);
                    analyst.merge(made).await?;
                }
                Ok(None) => break,
                Err(why) => return Ok(Err(why)),
            }
        }
        self.finish(slot, reading);
        Ok(Ok(()))
    }

    /// Passes on what a parser deals to one of its helpers, and tells it when that was read.
    fn pass_on(self: &Rc<Self>, slot: usize, number: usize, bytes: usize, members: Vec<JsValue>) {
        let Some(team) = self.teams.borrow().get(&slot).cloned() else { return };
        let Some(helper) = team.helpers.get(number).cloned() else { return };
        let ingestion = Rc::clone(self);
        // In the order in which they come.
        spawn_local(async move {
            let question = Question::ReadMembers { bytes };
            let (read, buffer) = match helper.client.ask(question, Attachments::handed_over(members)).await {
                Ok((Answer::Read(reading), buffer)) => {
                    ingestion.set_current(helper.slot, reading);
                    (Some(bytes), buffer)
                }
                Ok(_) | Err(Failure::Cancelled) => (None, Vec::new()),
                Err(why) => {
                    ingestion.note_left_out(&team, &why);
                    (None, Vec::new())
                }
            };
            let word = ToWorker::HelperRead { helper: number, bytes: read };
            team.parser.tell(&word, &Attachments::handed_over(buffer));
        });
    }

    /// An archive that several workers read, or of which some was given, is left out in part.
    fn note_left_out(&self, team: &Team, why: &Failure) {
        let part = if team.divided.get() { "a part of " } else { "" };
        let said = format!("{part}{} was left out: {why}", team.name);
        // Each of those that read it says so.
        let is_said = self.failures.borrow().contains(&said);
        if !is_said {
            self.note_failure(said);
        }
    }

    fn note_failure(&self, why: String) {
        self.failures.borrow_mut().push(why);
    }

    /// Moves a slot's reading to the finished ones.
    fn finish(&self, slot: usize, reading: Reading) {
        self.finished.set(self.finished.get().plus(reading));
        self.set_current(slot, Reading::default());
    }
}
