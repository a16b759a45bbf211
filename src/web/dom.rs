//! Elements and events: the page's whole plumbing.

use crate::base::text::shown;
use std::borrow::Cow;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue, UnwrapThrowExt};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, Event, EventTarget, FocusOptions, HtmlElement, KeyboardEvent, Window};

/// The window. Panics in a worker.
pub fn window() -> Window {
    web_sys::window().expect_throw("this part runs on a page")
}

/// The document.
pub fn document() -> Document {
    window().document().expect_throw("a window has a document")
}

/// The element of `index.html` with this id. Panics if the page was changed and has none.
pub fn by_id(id: &str) -> Element {
    document().get_element_by_id(id).expect_throw(id)
}

thread_local! {
    /// The document that elements are made in, asked for once.
    static DOCUMENT: Document = document();
}

/// A new element.
pub fn el(tag: &str) -> El {
    El(DOCUMENT.with(|document| document.create_element(tag)).expect_throw("tags are constants"))
}

/// The cell that says what its row is of.
pub fn row_head() -> El {
    el("th").attr("scope", "row")
}

/// A table in a box that it may be too large for: the box takes the focus, so that keys scroll it, and has a name.
pub fn scroller(name: &str, table: impl Into<Element>) -> El {
    el("div").class("scroll").attr("tabindex", "0").attr("role", "group").attr("aria-label", name).child(table)
}

/// An element being built.
#[derive(Clone, Debug)]
pub struct El(Element);

impl El {
    /// Sets its classes.
    pub fn class(self, names: &str) -> Self {
        self.0.set_class_name(names);
        self
    }

    /// Sets an attribute.
    pub fn attr(self, name: &str, value: &str) -> Self {
        let _ = self.0.set_attribute(name, value);
        self
    }

    /// Gives it the name that tests know it by.
    pub fn test_id(self, id: &str) -> Self {
        self.attr("data-testid", id)
    }

    /// Sets its text: log text is text, never markup, nor does it turn the direction of what is read.
    pub fn text(self, text: &str) -> Self {
        set_text(&self.0, text);
        self
    }

    /// Adds a child.
    pub fn child(self, child: impl Into<Element>) -> Self {
        let _ = self.0.append_child(&child.into());
        self
    }

    /// Adds children.
    pub fn children<C: Into<Element>>(self, children: impl IntoIterator<Item = C>) -> Self {
        children.into_iter().fold(self, Self::child)
    }

    /// Calls `f` on an event for as long as `listeners` live.
    pub fn on(self, kind: &'static str, listeners: &mut Listeners, f: impl FnMut(Event) + 'static) -> Self {
        listeners.add(&self.0, kind, f);
        self
    }

    /// Another one like it, with children like its own.
    pub fn again(&self) -> Self {
        let copy = self.0.clone_node_with_deep(true).ok().and_then(|node| node.dyn_into().ok());
        Self(copy.expect_throw("a copy of an element is one"))
    }

    /// The element.
    pub fn get(&self) -> &Element {
        &self.0
    }
}

impl From<El> for Element {
    fn from(el: El) -> Self {
        el.0
    }
}

/// A text in which what would do more than stand there is shown as such.
pub fn plain(text: &str) -> Cow<'_, str> {
    let safe = |c: char| if matches!(c, '\n' | '\t') { c } else { shown(c) };
    if text.chars().all(|c| safe(c) == c) { text.into() } else { text.chars().map(safe).collect() }
}

/// Sets an element's text: nothing of it does more than stand there.
pub fn set_text(element: &Element, text: &str) {
    element.set_text_content(Some(&plain(text)));
}

/// Replaces all children.
pub fn fill<C: Into<Element>>(parent: &Element, children: impl IntoIterator<Item = C>) {
    parent.set_text_content(None);
    for child in children {
        let _ = parent.append_child(&child.into());
    }
}

/// Fills a `details` with texts: their title with how many they are, and the texts; without any it is hidden.
pub fn fill_fold(fold: &Element, title: &str, texts: &[String]) {
    let list =
        el("ul").attr("tabindex", "0").attr("aria-label", title).children(texts.iter().map(|text| el("li").text(text)));
    fill(fold, [el("summary").text(&format!("{title} ({})", texts.len())), list]);
    set_shown(fold, !texts.is_empty());
}

/// Lets what is scrolled into sight next begin below the bar of views, which has a line more for each that it needs.
pub fn clear_the_bar() {
    if let Some(root) = document().document_element() {
        set_style(&root, "scroll-padding-top", &format!("{}px", by_id("bar").client_height()));
    }
}

/// Scrolls to an element, whose begin comes below the bar of views.
pub fn scroll_to(element: &Element) {
    clear_the_bar();
    element.scroll_into_view();
}

/// Shows or hides an element.
pub fn set_shown(element: &Element, shown: bool) {
    let _ = element.toggle_attribute_with_force("hidden", !shown);
}

/// Gives an element the focus; the page stays where it is.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let stay = FocusOptions::new();
        stay.set_prevent_scroll(true);
        let _ = element.focus_with_options(&stay);
    }
}

/// Gives the focus to a part that keys do not lead to by themselves: what they lead to next is in it.
pub fn focus_part(part: &Element) {
    let _ = part.set_attribute("tabindex", "-1");
    focus(part);
}

/// Sets a property of an element's style (allowed by the content policy, unlike a `style`
/// attribute).
pub fn set_style(element: &Element, property: &str, value: &str) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.style().set_property(property, value);
    }
}

/// Event listeners that end with their owner.
#[derive(Debug, Default)]
pub struct Listeners(Vec<Listener>);

#[derive(Debug)]
struct Listener {
    target: EventTarget,
    kind: &'static str,
    closure: Closure<dyn FnMut(Event)>,
}

impl Listeners {
    /// Calls `f` on each event of this kind.
    pub fn add(&mut self, target: &EventTarget, kind: &'static str, f: impl FnMut(Event) + 'static) {
        self.keep(target, kind, Closure::new(f));
    }

    /// Once for all closures: each is of a type of its own.
    #[inline(never)]
    fn keep(&mut self, target: &EventTarget, kind: &'static str, closure: Closure<dyn FnMut(Event)>) {
        if target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref()).is_ok() {
            self.0.push(Listener { target: target.clone(), kind, closure });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function = self.closure.as_ref().unchecked_ref();
        let _ = self.target.remove_event_listener_with_callback(self.kind, function);
    }
}

/// Calls `f` once, some time later.
pub fn after_ms(ms: i32, f: impl FnOnce() + 'static) {
    let once = Closure::once_into_js(f);
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(once.unchecked_ref(), ms);
}

/// Waits some time; other tasks run meanwhile.
pub async fn sleep(ms: i32) {
    let timer = js_sys::Promise::new(&mut |done, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&done, ms);
    });
    // A timer does not fail.
    let _ = JsFuture::from(timer).await;
}

/// What a JavaScript error says.
pub fn message_of(error: &JsValue) -> String {
    if let Some(error) = error.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    error.as_string().unwrap_or_else(|| String::from("unknown error"))
}

/// Whether it is this key that was pressed.
pub fn is_key(event: &Event, key: &str) -> bool {
    event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == key)
}

/// A value of a number field or slider.
pub fn number_of(event: &Event) -> Option<f64> {
    let input: web_sys::HtmlInputElement = event.target()?.dyn_into().ok()?;
    Some(input.value_as_number()).filter(|v| v.is_finite())
}
