//! Shared reports: opened by link, by address or from a file, and their names turned back.

use super::super::address::{Address, marked_view};
use super::super::client::{Client, Failure};
use super::super::dom::{by_id, document, el, message_of, set_text, window};
use super::super::envelope::Attachments;
use super::super::intake;
use super::super::progress;
use super::super::session::{self, Session};
use super::{Page, State};
use crate::protocol::Question;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

impl Page {
    /// Does what the fragment says: a shared report is opened, anything else waits for logs. Of what is shown
    /// already, it says what is chosen.
    pub(super) fn follow_address(self: &Rc<Self>) {
        let address = Address::current();
        let session = self.session.borrow().clone();
        let shared = address.clone().shared();
        if let Some(session) = session.filter(|_| shared == *self.followed.borrow()) {
            self.views.borrow().iter().for_each(|view| view.follow(&address));
            session.selected.follow(session.selected.chosen_by(&address));
            // Who goes back to another choice stays where it was made.
            if marked_view() != address.view {
                self.scroll_to(&address);
            }
            return;
        }
        if let Some(fragment) = address.report {
            self.begin_opening("This link cannot be shown", Box::pin(link(fragment)));
        } else if let Some(url) = address.url {
            self.begin_opening("This report cannot be fetched", Box::pin(report_at(url)));
        } else {
            set_text(&by_id("awaited"), &address.awaited().unwrap_or_default());
            // Without a link there is none to leave.
            if self.followed.take() != shared {
                self.leave_link(address);
            } else {
                self.scroll_to(&address);
            }
        }
    }

    /// Turns from a link's report, or from what was wrong with it, to the verdict that was there before.
    fn leave_link(self: &Rc<Self>, address: Address) {
        self.next_turn();
        self.clear();
        self.before.take();
        match self.below.take() {
            Some(session) => self.show_again(session, address),
            None => self.set_state(State::Empty),
        }
    }

    /// Turns to a shared report.
    fn begin_opening(self: &Rc<Self>, refusal: &'static str, report: Opening) {
        self.next_turn();
        self.clear();
        if let Some((session, address)) = &*self.before.borrow()
            && address.clone().shared() == (None, None)
        {
            self.below.replace(Some(Rc::clone(session)));
        }
        self.followed.replace(Address::current().shared());
        self.set_state(State::Working);
        let page = Rc::clone(self);
        spawn_local(async move { page.open(refusal, report).await });
    }

    /// Shows a shared report, unless something else is asked for before it is there.
    pub(super) async fn open(self: &Rc<Self>, refusal: &str, report: Opening) {
        let turn = self.turn.get();
        progress::begin("Opening the shared report");
        let opened = report.await;
        if !self.is_turn(turn) {
            return;
        }
        match opened {
            Ok(session) => self.show_session(Rc::new(session)).await,
            Err(why) => self.fail(refusal, &[why.to_string()], &why),
        }
    }

    /// Turns the pseudonyms of the report shown back.
    pub(super) async fn use_key(self: &Rc<Self>, key: &web_sys::File) {
        let what = "This is the key of a shared report";
        let says = "Open the link or the report that it belongs to first, then drop the key.";
        let Some(session) = self.session.borrow().clone() else {
            return self.fail(what, &[says.to_owned()], &Failure::Cancelled);
        };
        self.set_state(State::Ready);
        if session.opened.is_none() {
            return say(&format!("{what}. {says}"));
        }
        let (turn, _work) = (self.turn.get(), self.work_beside());
        let handle = Attachments::handles([key.as_ref()]);
        let named = session::open(Rc::clone(&session.analyst), Question::Reveal, handle).await;
        if !self.is_turn(turn) {
            return;
        }
        match named {
            Ok(named) => {
                // Who was chosen has another name from then on.
                Address::without_names();
                named.selected.follow(Address::current().selection);
                named.selected.keep_names();
                self.clear();
                self.show_session(Rc::new(named)).await;
            }
            Err(why) => say(&format!("The names stay pseudonyms: {why}.")),
        }
    }
}

/// What is said of a baseline that is given with a report, or to one.
pub(super) const NOT_AGAIN: &str = "A saved report cannot be diagnosed again: a baseline has no effect on it. Drop it together with the logs, or once their verdict is shown.";

/// Says what became of what was given to a shared report: what the banner says of that stays; of two words the last is
/// heard.
pub(super) fn say(text: &str) {
    let banner = by_id("banner");
    if let Ok(Some(before)) = banner.query_selector("[role=alert]") {
        before.remove();
    }
    let _ = banner.append_child(el("p").attr("role", "alert").text(text).get());
}

type Opened = Result<Session, Failure>;
/// A report on its way, wherever it comes from: its reader is there once.
pub(super) type Opening = Pin<Box<dyn Future<Output = Opened>>>;

/// Opens the report that an address carries in its fragment.
async fn link(fragment: String) -> Opened {
    asked(Question::OpenLink(fragment), Attachments::default()).await
}

/// Opens a report's file.
pub(super) async fn file(file: web_sys::File) -> Opened {
    asked(Question::OpenFile, Attachments::handles([file.as_ref()])).await
}

/// Asks a worker of the report's own.
async fn asked(question: Question, with: Attachments) -> Opened {
    let client = Client::new(|_, _| {});
    client.ready().await?;
    session::open(client, question, with).await
}

/// Opens a report that lies at an address. Of another host's nothing is asked: the page's
/// policy forbids it, and whoever wants it fetches it knowingly.
async fn report_at(url: String) -> Opened {
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    let Ok(whole) = web_sys::Url::new_with_base(&url, &base) else {
        return Err(Failure::Refused(format!("{url} is no address")));
    };
    if whole.host().is_empty() {
        return Err(Failure::Refused(format!("{} is no address of a web server", whole.href())));
    }
    if whole.origin() != window().location().origin().unwrap_or_default() {
        return Err(Failure::Refused(format!(
            "it lies on another host ({}), and this page asks no host but its own for anything. Save the file \
             from there yourself and drop it here, or put this page beside it. The address is {}",
            whole.host(),
            whole.href()
        )));
    }
    let fetched = intake::fetched(&whole.href(), "report").await;
    let refused = |e| Failure::Refused(format!("{} could not be fetched: {}", whole.href(), message_of(&e)));
    file(fetched.map_err(refused)?).await
}
