//! The peers view: four figures of one kind of state, and a threshold to try.

use super::address::Address;
use super::chips::Chips;
use super::dom::{Listeners, el, fill, number_of, set_shown};
use super::figure::Figure;
use super::figures::Figures;
use super::session::Session;
use super::views::PageView;
use crate::model::StateKind;
use crate::scene::View;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Steps of the slider: finer than a pixel of it.
const SLIDER_STEP: &str = "0.001";

/// The kind of state that the address names, else the most telling one.
fn kind_of(address: &Address, session: &Session) -> Option<StateKind> {
    let named = address.kind.filter(|kind| session.kinds.contains(kind));
    named.or_else(|| session.kinds.first().copied())
}

/// The view.
#[derive(Debug)]
pub struct PeersView {
    session: Rc<Session>,
    kind: Cell<Option<StateKind>>,
    figures: Rc<Figures>,
    kinds: Chips,
    slider: Element,
    says: Element,
    /// The threshold that the method found, while the slider shows another.
    found: Cell<Option<f64>>,
    /// The threshold that is tried on this kind of state.
    tried: Cell<Option<f64>>,
    listeners: RefCell<Listeners>,
}

impl PeersView {
    /// Puts the view into `root`.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        let chosen = kind_of(&Address::current(), &session);
        let is_there = |view: &View| session.opened.is_none() || session.draws(*view);
        let beside: Vec<View> = View::BESIDE_PEERS.into_iter().filter(is_there).collect();
        let some = !session.kinds.is_empty();
        let of_kind = if some { View::PEERS.as_slice() } else { &[] };
        let figures = Figures::new(Rc::clone(&session), of_kind.iter().chain(&beside).copied());
        let slider = el("input").attr("type", "range").attr("id", "threshold").attr("step", SLIDER_STEP);
        let says = el("output").attr("for", "threshold");
        let none = el("p").class("lead").text(match session.opened {
            None => "No kind of state has two or more on each of three nodes, which a comparison needs.",
            Some(_) => "This link is too short to carry these figures; a longer one, or the report's file, does.",
        });
        set_shown(none.get(), !some);
        figures.set_shown(some || !beside.is_empty());
        let view = Rc::new_cyclic(|me: &Weak<Self>| {
            let me = Weak::clone(me);
            let names = session.kinds.iter().map(|kind| kind.name().to_owned());
            let pressed = session.kinds.iter().position(|kind| chosen == Some(*kind));
            let kinds = Chips::new("Kind of state", names, pressed, move |i| {
                if let Some(view) = me.upgrade() {
                    view.choose(i);
                }
            });
            Self {
                session,
                kind: Cell::new(chosen),
                figures,
                kinds,
                slider: slider.clone().into(),
                says: says.clone().into(),
                found: Cell::default(),
                tried: Cell::default(),
                listeners: RefCell::default(),
            }
        });
        let threshold = el("label").attr("for", "threshold").text("Threshold").child(slider).child(says);
        let controls = el("div").class("controls").child(view.kinds.element().clone()).child(threshold);
        set_shown(controls.get(), some);
        fill(root, [none.into(), controls.into()].into_iter().chain(view.figures.elements()));
        view.listen();
        let me = Rc::downgrade(&view);
        view.figures.choose(move |_, look| look.kind = me.upgrade().and_then(|view| view.kind.get()));
        let me = Rc::downgrade(&view);
        view.figures.shown(move |figure| {
            if let Some(view) = me.upgrade() {
                view.take(figure);
            }
        });
        view.refresh();
        Some(view)
    }

    /// Takes a figure's new scene: the threshold that was tried stays.
    fn take(&self, figure: &Figure) {
        let Some((range, found)) = figure.dial() else { return };
        let tried = self.tried.get();
        if let Some(value) = tried {
            figure.turn(value);
        }
        if figure.view() == View::Peers {
            self.found.set(Some(found));
            self.set_slider(range, tried.unwrap_or(found));
        }
    }

    fn set_slider(&self, (low, high): (f64, f64), value: f64) {
        if let Some(slider) = self.slider.dyn_ref::<HtmlInputElement>() {
            slider.set_min(&low.to_string());
            slider.set_max(&format!("{high:.3}"));
            slider.set_value(&format!("{value:.3}"));
        }
        self.say(value);
    }

    fn say(&self, value: f64) {
        let found = self.found.get().unwrap_or(value);
        let text = if (value - found).abs() < 0.0006 {
            format!("{found:.3}, as found")
        } else {
            format!("{value:.3} (found: {found:.3})")
        };
        self.says.set_text_content(Some(&text));
    }

    fn listen(self: &Rc<Self>) {
        let mut listeners = self.listeners.borrow_mut();
        let me = Rc::downgrade(self);
        listeners.add(&self.slider, "input", move |event| {
            if let (Some(view), Some(value)) = (me.upgrade(), number_of(&event)) {
                view.tried.set(Some(value));
                view.figures.turn(value);
                view.say(value);
            }
        });
    }

    fn choose(&self, i: usize) {
        let Some(kind) = self.session.kinds.get(i).copied() else { return };
        self.turn_to(Some(kind));
        Address { view: Some(String::from("peers")), kind: Some(kind), ..Address::current() }.replace();
    }

    /// Compares by another kind of state, whose threshold is its own.
    fn turn_to(&self, kind: Option<StateKind>) {
        if self.kind.replace(kind) != kind {
            self.tried.take();
        }
        self.refresh();
    }
}

impl PageView for PeersView {
    fn follow(&self, address: &Address) {
        let kind = kind_of(address, &self.session);
        if kind != self.kind.get() {
            self.kinds.press(self.session.kinds.iter().position(|one| Some(*one) == kind));
            self.turn_to(kind);
        }
    }

    fn figures(&self) -> &Rc<Figures> {
        &self.figures
    }
}
