//! What happens to the page as a whole, and what it does then.

use super::super::address::{Address, view_of};
use super::super::compiled;
use super::super::dom::{by_id, document, focus, is_key, window};
use super::super::intake::{self, Dropped, Input, Kind};
use super::super::parameters;
use super::super::theme;
use super::settling::{MOVES, links};
use super::{Page, State};
use crate::base::quantity::grouped;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{
    CustomEvent, DragEvent, Element, Event, EventTarget, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent, Node,
};

/// `www/kept.js` says so when a kept run is to be opened; its detail is the file.
const OPEN_EVENT: &str = "oddnode-open";

/// Fields whose files are logs to read.
const LOGS: [&str; 2] = ["choose-files", "choose-folder"];

/// What Escape is for first: a tooltip, words in a field, a list that is open.
const ESCAPES_FIRST: &str = ".tip:not([hidden]), :is(:read-write, select):focus";
/// And then: it refuses what another page hands over.
const REFUSES: &str = "#handed:not([hidden]) #handed-refuse";

/// What takes files that are dropped: new logs, runs to learn from, and runs to compare.
const INTAKE: &str = "intake";
const CONTROLS: &str = "controls";
const COMPARE: &str = "compare";

impl Page {
    /// Listens to all that can happen to the page as a whole.
    pub(super) fn listen(self: &Rc<Self>) {
        for id in LOGS {
            self.when(&by_id(id), "click", |_, _| compiled::begin());
            self.when(&by_id(id), "change", |page, event| page.begin(chosen(event.target()), Vec::new()));
        }
        self.when(&by_id("choose-controls"), "change", |page, event| page.learn(Some(chosen(event.target())), &[]));
        self.when(&by_id("choose-compare"), "change", |page, event| page.compare(chosen(event.target()), Vec::new()));
        self.when(&document(), OPEN_EVENT, |page, event| {
            let file = event.dyn_ref::<CustomEvent>().and_then(|e| e.detail().dyn_into::<web_sys::File>().ok());
            if let Some(file) = file {
                page.begin(vec![Input { name: file.name(), file }], Vec::new());
            }
        });
        self.when(&by_id("forget-controls"), "click", |page, _| page.learn(None, &[]));
        self.when(&by_id(parameters::FOLD), "toggle", |page, _| page.furnish_parameters());
        self.when(&by_id("parameter-form"), "submit", |page, event| {
            event.prevent_default();
            page.apply_parameters(false);
        });
        self.when(&by_id("usual-parameters"), "click", |page, _| {
            page.apply_parameters(true);
        });
        for id in ["sample", "other-samples"] {
            self.when(&by_id(id), "click", |page, event| {
                let button = event.target().and_then(|t| t.dyn_into::<Element>().ok());
                if let Some(name) = button.and_then(|button| button.get_attribute("data-sample")) {
                    page.begin_sample(name);
                }
            });
        }
        for id in ["cancel", "back"] {
            self.when(&by_id(id), "click", |page, _| page.go_back());
        }
        self.when(&by_id("cancel-lesson"), "click", |page, _| {
            if let Some(lesson) = &*page.lesson.borrow() {
                lesson.cancel();
                compiled::give_up();
            }
        });
        self.when(&by_id("cancel-other"), "click", |page, _| {
            page.cancel_other();
            compiled::give_up();
            focus(&by_id("choose-compare"));
        });
        self.when(&by_id("retry"), "click", |page, _| {
            let ((inputs, refused), again) = page.failed.take();
            page.begin_again(inputs, refused, again);
        });
        self.when(&by_id("reload"), "click", |_, _| {
            let _ = window().location().reload();
        });
        self.when(&window(), "resize", |page, _| page.resized());
        self.when(&window(), "hashchange", |page, _| page.follow_address());
        for kind in MOVES {
            self.when(&window(), kind, |page, event| page.settle_by(event));
        }
        // Before the figures listen: they end the tooltip that Escape is for first.
        self.when(&document(), "keydown", |page, event| page.escape(event));
        self.listen_to_looks();
        self.listen_to_links();
        self.listen_to_drops();
    }

    /// Escape ends one thing each time that it is pressed, at last the choice.
    fn escape(&self, event: &Event) {
        let is_held = || event.dyn_ref::<KeyboardEvent>().is_some_and(KeyboardEvent::repeat);
        let first = |selector| document().query_selector(selector).ok().flatten();
        if !is_key(event, "Escape") || is_held() || first(ESCAPES_FIRST).is_some() {
            return;
        }
        if let Some(refuse) = first(REFUSES).and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            refuse.click();
        } else if let Some(session) = &*self.session.borrow() {
            session.selected.end();
        }
    }

    /// Takes what was chosen before the page listened.
    pub(super) fn take_chosen(self: &Rc<Self>) {
        for inputs in LOGS.map(|id| chosen(Some(by_id(id).into()))) {
            if !inputs.is_empty() {
                self.begin(inputs, Vec::new());
            }
        }
    }

    fn listen_to_looks(self: &Rc<Self>) {
        self.when(&by_id("theme"), "click", |page, _| {
            theme::toggle();
            page.redraw();
        });
        if let Some(dark) = theme::system() {
            self.when(&dark, "change", |page, _| page.redraw());
        }
        for kind in ["beforeprint", "afterprint"] {
            self.when(&window(), kind, |page, event| {
                theme::set_printing(event.type_() == "beforeprint");
                page.redraw();
            });
        }
    }

    fn listen_to_links(self: &Rc<Self>) {
        self.when(&document(), "scroll", |page, _| page.follow_scroll());
        for link in links() {
            self.when(&link, "click", |page, event| {
                let Some(link) = event.current_target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
                // The fragment may hold a shared report, which must stay in it.
                event.prevent_default();
                page.go_to(&Address { view: view_of(&link), ..page.address() });
            });
        }
        // A link in the text names what it adds to what is chosen.
        self.when(&by_id("report"), "click", |page, event| {
            let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
            let Some(link) = target.and_then(|t| t.closest("a[href^='#v=']").ok().flatten()) else { return };
            if event.default_prevented() || event.dyn_ref::<MouseEvent>().is_some_and(opens_elsewhere) {
                return;
            }
            event.prevent_default();
            let (now, named) = (page.address(), Address::of(&link.get_attribute("href").unwrap_or_default()));
            page.go_to(&Address { view: named.view, selection: now.selection.and(&named.selection), ..now });
        });
    }

    fn listen_to_drops(self: &Rc<Self>) {
        for kind in ["dragenter", "dragover"] {
            self.when(&document(), kind, |page, event| {
                if !intake::are_files(event) {
                    return;
                }
                event.prevent_default();
                compiled::begin();
                mark(Some(page.zone_of(event)));
            });
        }
        self.when(&document(), "dragleave", |_, event| {
            // Out of the window, not only from one element to the next.
            if event.dyn_ref::<DragEvent>().is_some_and(|e| e.related_target().is_none()) {
                mark(None);
            }
        });
        self.when(&document(), "drop", |page, event| {
            if !intake::are_files(event) {
                return;
            }
            event.prevent_default();
            mark(None);
            page.take_dropped(event);
        });
    }

    fn take_dropped(self: &Rc<Self>, event: &Event) {
        let dropped = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
        let Some(dropped) = dropped.as_ref().map(Dropped::of) else { return };
        let zone = self.zone_of(event);
        let page = Rc::clone(self);
        let is_intake = zone == INTAKE;
        let (number, work) = match is_intake {
            true => (self.get_ready("Starting"), None),
            false => (self.turn.get(), Some(self.work_beside())),
        };
        spawn_local(async move {
            let _work = work;
            let is_awaited = || if is_intake { page.is_last_given(number) } else { page.is_turn(number) };
            let looking = |files: usize| {
                let is_awaited = is_awaited();
                if is_intake && is_awaited && files > 0 && page.state.get() != State::Working {
                    let words = format!("Looking for files, {} so far", grouped(files as u64));
                    by_id("progress-words").set_text_content(Some(&words));
                }
                is_awaited
            };
            let (inputs, refused) = intake::walk(dropped, looking).await;
            // A baseline is no run: it is compared with in its own way.
            let zone = match inputs.as_slice() {
                [only] if zone == COMPARE && page.session.borrow().is_some() => match intake::kind_of(&only.file).await
                {
                    Kind::Baseline => CONTROLS,
                    _ => COMPARE,
                },
                _ => zone,
            };
            match zone {
                // Other logs were given while these were looked for, and they belong to what was there before.
                _ if !is_awaited() => {}
                COMPARE => page.compare(inputs, refused),
                CONTROLS => page.learn(Some(inputs), &refused),
                _ => page.begin(inputs, refused),
            }
        });
    }

    /// What takes the files that are held over this place.
    fn zone_of(&self, event: &Event) -> &'static str {
        let on = event.target().and_then(|t| t.dyn_into::<Node>().ok());
        let is_on = |id: &str| by_id(id).contains(on.as_ref());
        if is_on(COMPARE) {
            COMPARE
        } else if self.session.borrow().is_some() && is_on(CONTROLS) {
            CONTROLS
        } else {
            INTAKE
        }
    }

    /// Does this whenever that happens, as long as the page is there.
    fn when(self: &Rc<Self>, target: &EventTarget, kind: &'static str, act: fn(&Rc<Self>, &Event)) {
        let page = Rc::clone(self);
        self.listeners.borrow_mut().add(target, kind, move |event| act(&page, &event));
    }
}

/// Whether a click asks for another tab or window.
fn opens_elsewhere(click: &MouseEvent) -> bool {
    click.ctrl_key() || click.meta_key() || click.shift_key() || click.button() != 0
}

/// Marks what takes files that are held over the page, and nothing else.
fn mark(zone: Option<&str>) {
    for id in [INTAKE, CONTROLS, COMPARE] {
        let _ = by_id(id).toggle_attribute_with_force("data-over", zone == Some(id));
    }
}

/// The files of a field, which forgets them: the same may be chosen again.
fn chosen(field: Option<EventTarget>) -> Vec<Input> {
    let Some(field) = field.and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) else { return Vec::new() };
    let inputs = field.files().map(|list| intake::from_list(&list)).unwrap_or_default();
    field.set_value("");
    inputs
}
