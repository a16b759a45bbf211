//! Figures of one view: each asks the analyst for its scene, for the width, the part and the
//! choice that are looked at. While an answer is under way, later wishes wait as one.
//!
//! ```text
//! near the screen     asked for at once
//! elsewhere           asked for one by one while the analyst has nothing else to do;
//!                     of very large logs, when they come near
//! ```
//! So what the reader looks at never waits for more than one figure that is out of sight, and
//! in the end all are there: to be printed, found on the page, read out.

use super::client::Failure;
use super::dom::{after_ms, el, set_shown};
use super::envelope::{Attachments, bytes_of};
use super::figure::{Figure, Wish};
use super::nearness::Nearness;
use super::quotes;
use super::session::Session;
use crate::protocol::Question;
use crate::scene::{Look, Scene, View, origin};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// Time between two looks whether the analyst has time for what is out of sight.
const IDLE_MS: i32 = 60;

/// Of logs of more lines a figure may take the analyst many seconds, in which what the reader
/// looks at would wait: out of sight nothing is laid out then.
const FILLED_IN_LINES: u64 = 1_000_000;

/// What a view adds to a look before a figure is asked for.
type Choose = Box<dyn Fn(View, &mut Look)>;
/// What a view does with a scene that came.
type Shown = Box<dyn Fn(&Figure)>;

/// The figures of a view.
pub struct Figures {
    session: Rc<Session>,
    slots: Vec<Slot>,
    grid: Element,
    trouble: Element,
    choose: RefCell<Choose>,
    shown: RefCell<Shown>,
    nearness: RefCell<Option<Nearness>>,
    /// A look whether the analyst has time is under way.
    waiting: Cell<bool>,
}

struct Slot {
    figure: Rc<Figure>,
    asking: Cell<bool>,
    again: Cell<bool>,
    near: Cell<bool>,
    /// What it shows is not what is chosen.
    stale: Cell<bool>,
    /// It could not be drawn when it was last asked for.
    failed: Cell<bool>,
}

impl std::fmt::Debug for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Figures").field("figures", &self.slots.len()).finish_non_exhaustive()
    }
}

impl Figures {
    /// Empty figures of these views.
    pub fn new(session: Rc<Session>, views: impl IntoIterator<Item = View>) -> Rc<Self> {
        let slot = |view| Slot {
            figure: Figure::new(view, session.settings.part(view)),
            asking: Cell::default(),
            again: Cell::default(),
            near: Cell::default(),
            stale: Cell::default(),
            failed: Cell::default(),
        };
        let slots: Vec<Slot> = views.into_iter().map(slot).collect();
        let trouble = el("p").class("lead");
        set_shown(trouble.get(), false);
        let grid = el("div").class("figures").children(slots.iter().map(|slot| slot.figure.element().clone()));
        let figures = Rc::new(Self {
            session,
            slots,
            grid: grid.into(),
            trouble: trouble.into(),
            choose: RefCell::new(Box::new(|_, _| {})),
            shown: RefCell::new(Box::new(|_| {})),
            nearness: RefCell::default(),
            waiting: Cell::default(),
        });
        let me = Rc::downgrade(&figures);
        let elements = figures.slots.iter().map(|slot| slot.figure.element().clone()).collect();
        let nearness = Nearness::watch(elements, move |i, near| {
            if let Some(figures) = me.upgrade() {
                figures.came_near(i, near);
            }
        });
        // Where nothing tells what is near, everything is.
        figures.slots.iter().for_each(|slot| slot.near.set(nearness.is_none()));
        figures.nearness.replace(nearness);
        for (i, slot) in figures.slots.iter().enumerate() {
            let me = Rc::downgrade(&figures);
            slot.figure.wish(move |wish| {
                if let Some(figures) = me.upgrade() {
                    figures.grant(i, wish);
                }
            });
        }
        figures
    }

    /// Adds to each look what this says.
    pub fn choose(&self, f: impl Fn(View, &mut Look) + 'static) {
        *self.choose.borrow_mut() = Box::new(f);
    }

    /// Calls this with each figure that has a new scene.
    pub fn shown(&self, f: impl Fn(&Figure) + 'static) {
        *self.shown.borrow_mut() = Box::new(f);
    }

    /// Their elements: a line for trouble, and the grid.
    pub fn elements(&self) -> [Element; 2] {
        [self.trouble.clone(), self.grid.clone()]
    }

    /// Shows or hides them.
    pub fn set_shown(&self, shown: bool) {
        set_shown(&self.grid, shown);
    }

    /// Asks for all of them anew, those near the screen first.
    pub fn refresh(self: &Rc<Self>) {
        for (i, slot) in self.slots.iter().enumerate() {
            slot.stale.set(true);
            if slot.near.get() {
                self.ask(i);
            }
        }
        self.fill_in();
    }

    fn came_near(self: &Rc<Self>, i: usize, near: bool) {
        let Some(slot) = self.slots.get(i) else { return };
        slot.near.set(near);
        if near && slot.stale.get() {
            self.ask(i);
        }
    }

    /// Asks for what is out of sight, one figure after another, as soon as the analyst rests.
    fn fill_in(self: &Rc<Self>) {
        let left = |slot: &Slot| slot.stale.get() && slot.figure.width_css_px() > 0.0;
        if self.session.report.sum_of(|file| file.lines) > FILLED_IN_LINES
            || !self.slots.iter().any(left)
            || self.waiting.replace(true)
        {
            return;
        }
        let me = Rc::downgrade(self);
        after_ms(IDLE_MS, move || {
            let Some(figures) = me.upgrade() else { return };
            figures.waiting.set(false);
            let next = figures.slots.iter().position(left);
            match next.filter(|_| figures.session.analyst.is_idle()) {
                Some(i) => figures.ask(i),
                None => figures.fill_in(),
            }
        });
    }

    /// Draws all of them again in the theme's colours.
    pub fn redraw(&self) {
        self.slots.iter().for_each(|slot| slot.figure.redraw());
    }

    /// Moves their threshold.
    pub fn turn(&self, value: f64) {
        self.slots.iter().for_each(|slot| slot.figure.turn(value));
    }

    fn grant(self: &Rc<Self>, i: usize, wish: Wish) {
        match wish {
            Wish::Viewport => self.ask(i),
            Wish::Pick(picked) => self.session.selected.add(&picked),
            Wish::Line(row, at) => spawn_local(quotes::open_below(Rc::clone(&self.session), row, at)),
        }
    }

    /// Asks for one, once more if something changed meanwhile.
    fn ask(self: &Rc<Self>, i: usize) {
        let Some(slot) = self.slots.get(i) else { return };
        slot.stale.set(false);
        if slot.asking.replace(true) {
            slot.again.set(true);
            return;
        }
        let me: Weak<Self> = Rc::downgrade(self);
        spawn_local(async move {
            while let Some(figures) = me.upgrade() {
                let Some(slot) = figures.slots.get(i) else { return };
                slot.again.set(false);
                let loaded = figures.load(slot).await;
                slot.failed.set(loaded.as_ref().is_err_and(|why| *why != Failure::Cancelled));
                if let Err(why) = loaded {
                    let again = if figures.session.analyst.is_alive() { "" } else { ". Drop the logs again to see it" };
                    figures.trouble.set_text_content(Some(&format!("The figure could not be drawn: {why}{again}.")));
                }
                set_shown(&figures.trouble, figures.slots.iter().any(|slot| slot.failed.get()));
                if !slot.again.get() {
                    slot.asking.set(false);
                    figures.fill_in();
                    return;
                }
            }
        });
    }

    async fn load(&self, slot: &Slot) -> Result<(), Failure> {
        let (figure, view) = (&slot.figure, slot.figure.view());
        if figure.width_css_px() <= 0.0 {
            // It is hidden, and has no size to be laid out for until it comes near again.
            slot.stale.set(true);
            return Ok(());
        }
        let selection = self.session.selected.now();
        let (width_css_px, viewport) = (figure.width_css_px(), figure.viewport());
        let (session, chosen) = (Rc::clone(&self.session), selection.clone());
        let mut look = Look { width_css_px, viewport, selection, ..Look::of(&self.session.report) };
        self.session.settings.look_at(view, viewport);
        (self.choose.borrow())(view, &mut look);
        let question = Question::LayOut { view, look };
        let (_, attached) = self.session.analyst.ask(question, Attachments::default()).await?;
        let scene: Scene = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
        figure.chosen.replace(chosen.clone());
        figure.origin.replace(Some(Box::new(move || origin(&session.report, &chosen))));
        figure.show(scene);
        (self.shown.borrow())(figure);
        Ok(())
    }
}
