//! Sharing: the link in three sizes with where it survives and every text in it, the report as
//! a page and as a file, the ticket's text, the key of the pseudonyms, and keeping the digest.

use super::address::with_fragment;
use super::client::Failure;
use super::dom::{El, Listeners, after_ms, document, el, fill_fold, set_shown, window};
use super::envelope::{Attachments, bytes_of};
use super::save::BlobUrl;
use super::session::{Session, shared};
use crate::base::quantity::{bytes, grouped};
use crate::protocol::{Leaving, Question, Shared};
use crate::report::link::Size;
use crate::report::ticket::Form;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{CustomEvent, CustomEventInit, Element, HtmlInputElement, HtmlSelectElement};

/// Asks `www/kept.js` to keep a digest: its name and its bytes.
const KEEP_EVENT: &str = "oddnode-keep";
/// It answers with what came of it: in a word, and in a sentence.
const ANSWER_EVENT: &str = "oddnode-kept";

/// The attribute of a button that holds what it says else.
const USUAL: &str = "data-usual";

/// Texts listed of a saved page: a document of more elements is slow to lay out.
const TEXTS_SHOWN: usize = 5_000;

/// A button says for so long what came of it.
const COPIED_MS: i32 = 2_000;

/// The panel.
struct Panel {
    session: Rc<Session>,
    field: HtmlInputElement,
    size: HtmlSelectElement,
    real_names: HtmlInputElement,
    says: Element,
    left_out: Element,
    preview: Element,
    in_page: Element,
    key: Element,
    ticket: Element,
    /// What passes on the link in the field: copies it, and writes tickets with it.
    pass_on: [El; 3],
    /// What the link in the field is.
    rung: RefCell<String>,
    /// The key file's and the last saved page's addresses.
    urls: RefCell<[Option<BlobUrl>; 2]>,
}

/// The panel with everything that can leave.
pub fn row(session: &Rc<Session>, owned: &mut Listeners, urls: &mut Vec<BlobUrl>) -> Option<Element> {
    let field = el("input").attr("readonly", "").attr("spellcheck", "false").test_id("share-link");
    let field = field.on("focus", owned, |event| {
        if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
            field.select();
        }
    });
    let size = el("select").test_id("share-rung").attr("aria-label", "What the link carries").children([
        el("option").attr("value", Size::Verdict.name()).text("Verdict"),
        el("option").attr("value", Size::Report.name()).text("With scores"),
        el("option").attr("value", Size::Full.name()).text("With figures"),
    ]);
    let real_names = el("input").attr("type", "checkbox").test_id("real-names");
    let key = el("a").class("button").attr("download", "oddnode-key.json").test_id("download-key").text("Save the key");
    let left_out = el("details").class("fold").test_id("share-left-out");
    let preview = el("details").class("fold").test_id("share-preview");
    let in_page = el("details").class("fold").test_id("page-preview");
    set_shown(in_page.get(), false);
    let says = el("p").class("note").test_id("share-size");
    let ticket =
        el("textarea").attr("readonly", "").attr("rows", "8").test_id("ticket").attr("aria-label", "Text for a ticket");
    set_shown(ticket.get(), false);
    let [copy, markdown, text] = ["Copy link", "Ticket, Markdown", "Ticket, text"].map(button);
    let panel = Rc::new(Panel {
        session: Rc::clone(session),
        field: field.get().clone().dyn_into().ok()?,
        size: size.get().clone().dyn_into().ok()?,
        real_names: real_names.get().clone().dyn_into().ok()?,
        says: says.get().clone(),
        left_out: left_out.get().clone(),
        preview: preview.get().clone(),
        in_page: in_page.get().clone(),
        key: key.get().clone(),
        ticket: ticket.get().clone(),
        pass_on: [copy.clone(), markdown.clone(), text.clone()],
        rung: RefCell::default(),
        urls: RefCell::default(),
    });
    panel.show(&session.shared, Size::Verdict);
    let change = |element: El, owned: &mut Listeners| {
        let panel = Rc::clone(&panel);
        element.on("change", owned, move |_| panel.ask_anew())
    };
    let size = change(size, owned);
    let real_names = change(real_names, owned);
    let (copied, said) = (Rc::clone(&panel), copy.clone());
    let copy = copy.on("click", owned, move |_| copy_text(&copied.field.value(), said.clone()));
    let label = el("label").child(el("span").text("Share this verdict")).child(field);
    let names = el("label").class("check").child(real_names).child(el("span").text("Real names"));
    set_shown(names.get(), session.report.pseudonyms.is_none());
    let mut row = el("div").class("share").child(label).child(copy);
    if let Some(save) = report_saver(session, urls) {
        row = row.child(save);
    }
    let me = Rc::clone(&panel);
    let save = button("Save as a page, with figures").test_id("download-html");
    row = row.child(save.on("click", owned, move |_| me.save_page())).child(key);
    // What few need is folded away: what else the link may carry, and other ways to pass the verdict on.
    let mut more = el("div").class("share").child(size).child(names);
    for (said, id, form) in [(markdown, "ticket-markdown", Form::Markdown), (text, "ticket-text", Form::Plain)] {
        let (me, to) = (Rc::clone(&panel), said.clone());
        more = more.child(said.test_id(id).on("click", owned, move |_| me.write_ticket(form, to.clone())));
    }
    if session.opened.is_none() {
        let [keep, kept] = panel.keeper(owned);
        row = row.child(keep).child(kept);
    }
    let more = more.child(ticket).child(left_out).child(preview);
    let summary = el("summary").text("More: a longer link, real names, tickets, what leaves");
    let fold = el("details").class("fold").test_id("share-more").child(summary).child(more);
    Some(row.child(says).child(in_page).child(fold).into())
}

/// What saves the report, where the browser had room for it. That it has the real names is said where it is pressed.
fn report_saver(session: &Session, urls: &mut Vec<BlobUrl>) -> Option<El> {
    let json = session.json.as_ref()?;
    let url = BlobUrl::of(json).ok()?;
    let names = if session.report.pseudonyms.is_none() { "real names, " } else { "" };
    let save = el("a")
        .class("button")
        .attr("href", url.as_str())
        .attr("download", "oddnode-report.json")
        .test_id("download-report")
        .attr("title", "For yourself: the same as the command's")
        .text(&format!("Save report ({names}{})", bytes(json.size())));
    urls.push(url);
    Some(save)
}

/// A button that may say something else for a while.
fn button(text: &str) -> El {
    el("button").class("button").attr("type", "button").attr(USUAL, text).text(text)
}

impl Panel {
    fn leaving(&self) -> Leaving {
        Leaving { real_names: self.real_names.checked(), key: self.session.key }
    }

    /// What the link carries, and under which names.
    fn choice(&self) -> (String, bool) {
        (self.size.value(), self.real_names.checked())
    }

    /// Lets the link be passed on, or takes away what was made of the one before until another is there.
    fn offer(&self, is_there: bool) {
        for button in &self.pass_on {
            let _ = button.get().toggle_attribute_with_force("disabled", !is_there);
        }
        if !is_there {
            self.field.set_value("");
            self.says.set_text_content(Some("Making the link"));
            for old in [&self.ticket, &self.left_out, &self.preview, &self.in_page] {
                set_shown(old, false);
            }
        }
    }

    fn show(&self, shared: &Shared, size: Size) {
        self.offer(true);
        let beside = shared.carries.join(", ");
        let carries = match (size, beside.as_str()) {
            (Size::Verdict, _) | (_, "") => String::from("Verdict link"),
            (_, beside) => format!("Verdict link with {beside}"),
        };
        let and_beside = if beside.is_empty() { String::new() } else { format!(", {beside}") };
        let is_named = shared.key_file.is_none() && self.session.report.pseudonyms.is_none();
        self.rung.replace(format!("{carries}{}", if is_named { "" } else { "; its names are pseudonyms" }));
        self.field.set_value(&with_fragment(&shared.link.fragment));
        let names = match (&shared.key_file, &self.session.report.pseudonyms) {
            (Some(_), _) => "Names are pseudonyms; whoever has the key file reads the real ones.",
            (None, Some(_)) => "Names are the sender's pseudonyms.",
            (None, None) => "Names are the real ones: nodes, jobs, files.",
        };
        let text = format!(
            "The link itself is the report ({} characters; it {}). It carries the verdict{and_beside}; all other \
             figures need the logs. No server keeps it. {names}",
            grouped(with_fragment(&shared.link.fragment).chars().count() as u64),
            shared.survives
        );
        self.says.set_text_content(Some(&text));
        let lists = [
            (&self.left_out, "Left out to keep it short", &shared.link.left_out),
            (&self.preview, "Every text that leaves with it", &shared.texts),
        ];
        for (fold, title, texts) in lists {
            fill_fold(fold, title, texts);
        }
        set_shown(&self.key, shared.key_file.is_some());
        let url = shared.key_file.as_ref().and_then(|key| BlobUrl::of_bytes(key.as_bytes(), "application/json").ok());
        if let Some(url) = &url {
            let _ = self.key.set_attribute("href", url.as_str());
        }
        self.keep_url(0, url);
    }

    fn keep_url(&self, at: usize, url: Option<BlobUrl>) {
        if let Some(slot) = self.urls.borrow_mut().get_mut(at) {
            *slot = url;
        }
    }

    fn tell(&self, why: &Failure) {
        self.says.set_text_content(Some(&format!("This could not be made: {why}.")));
    }

    fn ask_anew(self: &Rc<Self>) {
        self.offer(false);
        let (me, asked) = (Rc::clone(self), self.choice());
        spawn_local(async move {
            let size = Size::ALL.into_iter().find(|size| size.name() == asked.0).unwrap_or_default();
            let answer = match me.session.writes() {
                Ok(()) => shared(&me.session.analyst, me.leaving(), size).await,
                Err(why) => Err(why),
            };
            match answer {
                // What was chosen meanwhile has an answer of its own.
                _ if me.choice() != asked => {}
                Ok(shared) => me.show(&shared, size),
                Err(why) => me.tell(&why),
            }
        });
    }

    async fn written(&self, question: Question) -> Result<Vec<u8>, Failure> {
        self.answered(question).await.map(|attached| bytes_of(attached.first()))
    }

    async fn answered(&self, question: Question) -> Result<Vec<JsValue>, Failure> {
        // Of what was read it has the same digest all the time.
        if !matches!(question, Question::GiveDigest) {
            self.session.writes()?;
        }
        self.session.analyst.ask(question, Attachments::default()).await.map(|(_, attached)| attached)
    }

    fn save_page(self: &Rc<Self>) {
        let (me, asked) = (Rc::clone(self), self.choice());
        spawn_local(async move {
            match me.answered(Question::WriteHtml(me.leaving())).await {
                Ok(attached) => {
                    let url = BlobUrl::of_bytes(&bytes_of(attached.first()), "text/html").ok();
                    if let Some(url) = &url {
                        url.save_as("oddnode-report.html");
                    }
                    me.keep_url(1, url);
                    // It has more of the report than a link has room for.
                    if me.choice() == asked {
                        let mut texts: Vec<String> =
                            postcard::from_bytes(&bytes_of(attached.get(1))).unwrap_or_default();
                        let title = match texts.len() {
                            0..=TEXTS_SHOWN => String::from("Every text in the saved page"),
                            all => format!("Texts in the saved page, the first of {}", grouped(all as u64)),
                        };
                        texts.truncate(TEXTS_SHOWN);
                        fill_fold(&me.in_page, &title, &texts);
                    }
                }
                Err(why) => me.tell(&why),
            }
        });
    }

    fn write_ticket(self: &Rc<Self>, form: Form, said: El) {
        let (me, asked) = (Rc::clone(self), self.choice());
        spawn_local(async move {
            let lines = me.session.quoted.borrow().clone();
            let (link, rung) = (me.field.value(), me.rung.borrow().clone());
            match me.written(Question::WriteTicket { leaving: me.leaving(), form, lines }).await {
                // It may have names that are to be left out by now.
                _ if me.choice() != asked => {}
                Ok(text) => {
                    let mut text = String::from_utf8_lossy(&text).into_owned();
                    // Whoever reads the ticket finds the figures behind the link.
                    text.push_str(&match form {
                        Form::Markdown => format!("\n[{rung}]({link})\n"),
                        Form::Plain => format!("\n{rung}\n  {link}\n"),
                    });
                    // Shown too, for where the clipboard is not allowed.
                    me.ticket.set_text_content(Some(&text));
                    set_shown(&me.ticket, true);
                    copy_text(&text, said);
                }
                Err(why) => me.tell(&why),
            }
        });
    }

    /// What keeps the run in this browser, and what came of it beside it.
    fn keeper(self: &Rc<Self>, owned: &mut Listeners) -> [El; 2] {
        let me = Rc::clone(self);
        let keep = button("Keep in this browser").test_id("keep").attr("title", "Its digest, until you forget it");
        let keep = keep.on("click", owned, move |_| me.keep());
        let says = el("p").class("note").attr("role", "status").test_id("keep-says");
        let (on, answer) = (keep.get().clone(), says.get().clone());
        owned.add(&document(), ANSWER_EVENT, move |event| {
            let said = event.dyn_ref::<CustomEvent>().map(|event| js_sys::Array::from(&event.detail()));
            let [word, sentence] = [0, 1].map(|i| said.as_ref().and_then(|said| said.get(i).as_string()));
            say_awhile(&on, &word.unwrap_or_default());
            answer.set_text_content(sentence.as_deref());
        });
        [keep, says]
    }

    fn keep(self: &Rc<Self>) {
        let me = Rc::clone(self);
        spawn_local(async move {
            match me.written(Question::GiveDigest).await {
                Ok(digest) => {
                    let name =
                        me.session.inputs.first().map_or("run", |input| input.name.split('/').next().unwrap_or("run"));
                    let init = CustomEventInit::new();
                    let bytes = js_sys::Uint8Array::from(digest.as_slice());
                    init.set_detail(&js_sys::Array::of2(&JsValue::from_str(name), &bytes));
                    if let Ok(event) = CustomEvent::new_with_event_init_dict(KEEP_EVENT, &init) {
                        let _ = document().dispatch_event(&event);
                    }
                }
                Err(why) => me.tell(&why),
            }
        });
    }
}

fn copy_text(text: &str, button: El) {
    let clipboard = window().navigator().clipboard();
    // A page that comes over plain http has none.
    let copied = (!clipboard.is_undefined()).then(|| JsFuture::from(clipboard.write_text(text)));
    spawn_local(async move {
        let is_copied = match copied {
            Some(copied) => copied.await.is_ok(),
            None => false,
        };
        say_awhile(button.get(), if is_copied { "Copied" } else { "Select the text and copy it" });
    });
}

/// Says what came of a click in the place of a button's usual words, unless another click says something else
/// meanwhile.
fn say_awhile(button: &Element, said: &str) {
    button.set_text_content(Some(said));
    let words = button.first_child();
    let button = button.clone();
    after_ms(COPIED_MS, move || {
        // Whatever is said anew is another node, be it the same words.
        if button.first_child() == words {
            button.set_text_content(button.get_attribute(USUAL).as_deref());
        }
    });
}
