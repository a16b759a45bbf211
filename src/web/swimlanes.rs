//! The swimlanes: three figures, the order of their rows, and a file for other viewers.

use super::chips::Chips;
use super::client::Failure;
use super::dom::{Listeners, el, fill, set_shown};
use super::envelope::Attachments;
use super::figures::Figures;
use super::save::BlobUrl;
use super::session::Session;
use super::views::PageView;
use crate::protocol::Question;
use crate::scene::View;
use crate::scene::swimlanes::Order;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// What the file is called.
const FILE_NAME: &str = "oddnode-trace-events.json";

/// The view.
#[derive(Debug)]
pub struct SwimlanesView {
    session: Rc<Session>,
    figures: Rc<Figures>,
    orders: Chips,
    says: Element,
    listeners: RefCell<Listeners>,
    saved: RefCell<Option<BlobUrl>>,
}

impl SwimlanesView {
    /// Puts the view into `root`; `None` where there is nothing to draw it of.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        let drawn: Vec<View> = View::SWIMLANES.into_iter().filter(|view| session.draws(*view)).collect();
        if drawn.is_empty() {
            return None;
        }
        let says = el("p").class("lead").attr("role", "status");
        set_shown(says.get(), false);
        let view = Rc::new_cyclic(|me: &Weak<Self>| {
            let me = Weak::clone(me);
            let names = Order::ALL.map(|order| order.name().to_owned());
            let pressed = Order::ALL.iter().position(|order| *order == session.settings.order.get());
            let orders = Chips::new("Order of the rows", names, pressed, move |i| {
                if let (Some(view), Some(order)) = (me.upgrade(), Order::ALL.get(i)) {
                    view.session.settings.order.set(*order);
                    view.refresh();
                }
            });
            Self {
                figures: Figures::new(Rc::clone(&session), drawn),
                session,
                orders,
                says: says.clone().into(),
                listeners: RefCell::default(),
                saved: RefCell::default(),
            }
        });
        let me = Rc::downgrade(&view);
        let save = el("button").attr("type", "button").class("button").attr("data-testid", "save-trace-events");
        let save =
            save.text("Save for Perfetto (trace events)").on("click", &mut view.listeners.borrow_mut(), move |_| {
                if let Some(view) = me.upgrade() {
                    view.save();
                }
            });
        let controls = el("div").class("controls").child(el("span").text("Sorted by"));
        // What a report carries of them is in its own file.
        set_shown(save.get(), view.session.opened.is_none());
        let controls = controls.child(view.orders.element().clone()).child(save);
        fill(root, [controls.into(), says.into()].into_iter().chain(view.figures.elements()));
        let settings = Rc::clone(&view.session.settings);
        view.figures.choose(move |_, look| look.order = settings.order.get());
        view.refresh();
        Some(view)
    }

    fn save(self: &Rc<Self>) {
        let me = Rc::clone(self);
        spawn_local(async move {
            let trouble = match me.session.analyst.ask(Question::TraceEvents, Attachments::default()).await {
                Ok((_, attached)) => {
                    let url = attached.first().and_then(|file| BlobUrl::of(file.dyn_ref()?).ok());
                    match url {
                        Some(url) => {
                            url.save_as(FILE_NAME);
                            // The browser reads it after this call: it lives until the next one.
                            me.saved.replace(Some(url));
                            None
                        }
                        None => Some(String::from("the browser has no room for it")),
                    }
                }
                Err(Failure::Cancelled) => None,
                Err(why) => Some(why.to_string()),
            };
            set_shown(&me.says, trouble.is_some());
            me.says.set_text_content(trouble.map(|why| format!("The file could not be made: {why}")).as_deref());
        });
    }
}

impl PageView for SwimlanesView {
    fn figures(&self) -> &Rc<Figures> {
        &self.figures
    }
}
