//! Figures of one view: each asks the analyst for its scene, for the width, the part and the
//! choice that are looked at. While an answer is under way, later wishes wait as one.

use super::client::Failure;
use super::dom::{el, set_shown};
use super::envelope::{Attachments, bytes_of};
use super::figure::{Figure, Wish};
use super::reading::Session;
use crate::protocol::{FromWorker, ToWorker};
use crate::scene::{Look, Scene, View};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

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
}

struct Slot {
    figure: Rc<Figure>,
    asking: Cell<bool>,
    again: Cell<bool>,
}

impl std::fmt::Debug for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Figures").field("figures", &self.slots.len()).finish_non_exhaustive()
    }
}

impl Figures {
    /// Empty figures of these views.
    pub fn new(session: Rc<Session>, views: impl IntoIterator<Item = View>) -> Rc<Self> {
        let slot = |view| Slot { figure: Figure::new(view), asking: Cell::default(), again: Cell::default() };
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
        });
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

    /// Asks for all of them anew.
    pub fn refresh(self: &Rc<Self>) {
        for i in 0..self.slots.len() {
            self.ask(i);
        }
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
        }
    }

    /// Asks for one, once more if something changed meanwhile.
    fn ask(self: &Rc<Self>, i: usize) {
        let Some(slot) = self.slots.get(i) else { return };
        if slot.asking.replace(true) {
            slot.again.set(true);
            return;
        }
        let me: Weak<Self> = Rc::downgrade(self);
        spawn_local(async move {
            while let Some(figures) = me.upgrade() {
                let Some(slot) = figures.slots.get(i) else { return };
                slot.again.set(false);
                if let Err(why) = figures.load(slot).await {
                    let again = if figures.session.analyst.is_alive() { "" } else { ". Drop the logs again to see it" };
                    figures.trouble.set_text_content(Some(&format!("The figure could not be drawn: {why}{again}.")));
                    set_shown(&figures.trouble, why != Failure::Cancelled);
                }
                if !slot.again.get() {
                    slot.asking.set(false);
                    return;
                }
            }
        });
    }

    async fn load(&self, slot: &Slot) -> Result<(), Failure> {
        let (figure, view) = (&slot.figure, slot.figure.view());
        let selection = self.session.selected.now();
        let culprits = self.session.report.verdict.culprits.iter().map(|c| c.node.clone());
        let mut nodes: Vec<String> = culprits.collect();
        nodes.extend(selection.node.clone().filter(|node| !nodes.contains(node)));
        let (width_css_px, viewport) = (figure.width_css_px(), figure.viewport());
        let mut look = Look { nodes, width_css_px, viewport, selection, ..Look::default() };
        (self.choose.borrow())(view, &mut look);
        let question = |request| ToWorker::LayOut { request, view, look };
        let (answer, attached) = self.session.analyst.ask(question, Attachments::default()).await?;
        if let FromWorker::LaidOut { .. } = answer {
            let scene: Scene = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
            figure.show(scene);
            (self.shown.borrow())(figure);
        }
        Ok(())
    }
}
