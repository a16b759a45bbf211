//! The progress panels: how much is read, how fast, how long it will take.

use super::dom::{by_id, el, fill, sleep, window};
use super::reading::Progress;
use crate::base::quantity::{bytes, counted, duration};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// How often progress is shown.
const EVERY_MS: i32 = 100;
/// How often who hears the page is told, beside where something else is begun.
const SAID_EVERY_MS: f64 = 10_000.0;
/// Before this the rate is a guess, and no time left is told.
const SETTLED_MS: f64 = 1_000.0;

/// The panels: the name of each, the element that it stands in, its button, and what its bar tells.
const PANELS: [[&str; 4]; 3] = [
    ["progress", "progress", "cancel", "Read so far"],
    ["lesson", "lesson", "cancel-lesson", "Control runs read so far"],
    ["other", "other-run", "cancel-other", "The other run read so far"],
];

/// Puts into each panel what all of them have: a bar, words, the same for who hears the page, and a button that ends
/// what they tell of.
pub fn furnish() {
    for [name, panel, cancel, told] in PANELS {
        let part = |tag: &str, part: &str| el(tag).attr("id", &format!("{name}-{part}"));
        let bar = part("progress", "bar").attr("max", "1").attr("aria-label", told);
        let words = part("p", "words").text("Starting");
        let said = part("p", "said").attr("role", "status").class("aside");
        let end = el("button").attr("id", cancel).test_id(cancel).attr("type", "button").class("button").text("Cancel");
        fill(&by_id(panel), [bar, words, said, end]);
    }
}

/// Says what the page is at, before there is anything to follow: the bar does not tell how far it is.
pub fn begin(words: &str) {
    let _ = by_id("progress-bar").remove_attribute("value");
    for part in ["words", "said"] {
        by_id(&format!("progress-{part}")).set_text_content(Some(words));
    }
}

/// What is being done, in words. Who follows it hears of each change: it may be over before one looks again.
#[derive(Default)]
pub struct Working {
    words: RefCell<String>,
    /// The verdict is being reached anew: of two analyses at once the page would show one, and the analyst answer
    /// by the other.
    pub analyses_again: Cell<bool>,
    /// The analyst answers by another verdict than is shown, from when it was asked for that.
    pub is_ahead: Cell<bool>,
    follower: RefCell<Option<Box<dyn Fn()>>>,
}

impl std::fmt::Debug for Working {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Working").field(&self.words).finish()
    }
}

impl Working {
    /// The words.
    pub fn words(&self) -> String {
        self.words.borrow().clone()
    }

    /// Goes on to something else.
    pub fn turn_to(&self, words: String) {
        self.words.replace(words);
        self.tell();
    }

    /// No other verdict is being reached any more.
    pub fn end_again(&self) {
        self.analyses_again.set(false);
        self.is_ahead.set(false);
    }

    /// Tells who follows it that something has changed.
    pub fn tell(&self) {
        if let Some(follower) = &*self.follower.borrow() {
            follower();
        }
    }
}

/// The panel, from the start of one reading.
#[derive(Debug)]
pub struct ProgressPanel {
    bar: Element,
    words: Element,
    said: Element,
    /// What was being done when something was last said, and when that was.
    last_said: RefCell<(Option<String>, f64)>,
    started_ms: f64,
}

impl ProgressPanel {
    /// Starts the clock of the panel whose bar and words are named so: `progress`, `lesson` from control runs, or
    /// `other`, the run to compare the shown one with.
    pub fn start(name: &str) -> Self {
        let part = |part: &str| by_id(&format!("{name}-{part}"));
        let last_said = RefCell::new((None, f64::NEG_INFINITY));
        Self { bar: part("bar"), words: part("words"), said: part("said"), last_said, started_ms: now_ms() }
    }

    /// Shows how far some work is for as long as somebody waits for it, now and then and where what is done
    /// changes.
    pub fn follow<W: 'static>(
        self,
        work: &Rc<W>,
        working: &Working,
        is_over: fn(&W) -> bool,
        progress: fn(&W) -> Progress,
    ) {
        let work = Rc::downgrade(work);
        let show = Rc::new(move || {
            let work = work.upgrade().filter(|work| !is_over(work));
            work.as_ref().inspect(|work| self.show(&progress(work))).is_some()
        });
        let at_once = Rc::clone(&show);
        working.follower.replace(Some(Box::new(move || {
            at_once();
        })));
        spawn_local(async move {
            while show() {
                sleep(EVERY_MS).await;
            }
        });
    }

    /// Shows how far it is.
    fn show(&self, progress: &Progress) {
        let reading = progress.reading;
        let total = progress.total_bytes.max(1) as f64;
        let done = (reading.done_bytes as f64).min(total);
        // How long an analysis takes nobody knows before: a bar that is full would say that it is over.
        let _ = match &progress.analysing {
            Some(_) => self.bar.remove_attribute("value"),
            None => self.bar.set_attribute("value", &format!("{:.4}", done / total)),
        };
        let mut words = match &progress.analysing {
            Some(_) => format!("All {} read", bytes(total)),
            None => format!("{} of {}", bytes(done), bytes(total)),
        };
        // They are counted when a file is over: none does not mean that nothing happens.
        if reading.members > 0 {
            words.push_str(&format!(" · {} · {}", counted(reading.members, "file"), counted(reading.lines, "line")));
        }
        let elapsed_ms = now_ms() - self.started_ms;
        if let Some(doing) = &progress.analysing {
            words.push_str(&format!(" · {doing} · {} so far", duration((elapsed_ms / 1000.0).ceil().max(1.0))));
        } else if elapsed_ms > SETTLED_MS && done > 0.0 {
            let rate = done / elapsed_ms * 1000.0;
            // What follows the reading takes a time that nobody knows before.
            let left = ((total - done) / rate).ceil().max(1.0);
            words.push_str(&format!(" · {}/s · {} of reading left", bytes(rate), duration(left)));
        }
        self.words.set_text_content(Some(&words));
        // The words change ten times a second: nobody could hear them all.
        let mut last = self.last_said.borrow_mut();
        if last.0 != progress.analysing || now_ms() - last.1 >= SAID_EVERY_MS {
            *last = (progress.analysing.clone(), now_ms());
            self.said.set_text_content(Some(&words));
        }
    }
}

fn now_ms() -> f64 {
    window().performance().map_or_else(js_sys::Date::now, |p| p.now())
}
