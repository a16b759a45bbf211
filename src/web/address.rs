//! The page's fragment: a shared report (`#r=…`, `#url=…`) or what is looked at (`#v=peers&kind=Map&node=h103`).

use super::dom::{document, window};
use super::selected::in_words;
use crate::base::{AttemptId, JobId, TimeZone, Timestamp};
use crate::model::StateKind;
use crate::report::link;
use crate::scene::Selection;
use wasm_bindgen::JsValue;
use web_sys::Element;

/// What a fragment asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// A shared report, `#r=…` in full.
    pub report: Option<String>,
    /// Where a shared report lies, `#url=…`.
    pub url: Option<String>,
    /// The section to show, without `view-`.
    pub view: Option<String>,
    /// The kind of state to compare peers by.
    pub kind: Option<StateKind>,
    /// What is chosen.
    pub selection: Selection,
}

impl Address {
    /// The one that the browser shows.
    pub fn current() -> Self {
        Self::of(&window().location().hash().unwrap_or_default())
    }

    /// The one of a fragment.
    pub fn of(hash: &str) -> Self {
        let mut address = Self::default();
        // Some programs write `%3D` for the `=` of a link.
        let decoded = || js_sys::decode_uri_component(hash).ok().map(String::from);
        let hash = if hash.contains('=') { hash.to_owned() } else { decoded().unwrap_or_else(|| hash.to_owned()) };
        for part in hash.trim_start_matches('#').split('&') {
            match part.split_once('=') {
                Some(("r", report)) => address.report = Some(format!("{}{report}", link::PREFIX)),
                Some(("url", url)) => {
                    address.url = js_sys::decode_uri_component(url).ok().map(String::from);
                }
                Some(("v", view)) => address.view = Some(view.to_owned()),
                Some(("kind", name)) => {
                    address.kind = StateKind::ALL.iter().copied().find(|kind| kind.name() == name);
                }
                Some(("node", name)) => {
                    let name = js_sys::decode_uri_component(name).ok().map(String::from);
                    address.selection.node = name.filter(|name| !name.is_empty());
                }
                Some(("job", id)) => address.selection.job = JobId::named(id.as_bytes()),
                Some(("attempt", id)) => address.selection.attempt = AttemptId::named(id.as_bytes()),
                Some(("t", span)) => address.selection.span = span_of(span),
                _ => {}
            }
        }
        address
    }

    /// Leaves what has a pseudonym out of the browser's address: the node, the job and the attempt.
    pub fn without_names() {
        let now = Self::current();
        let selection = now.selection.without_names();
        if selection != now.selection {
            Self { selection, ..now }.replace();
        }
    }

    /// Number of parsers that the address asks for (`?workers=1`): results do not depend on
    /// it, and this is how to see that they do not.
    pub fn workers() -> Option<usize> {
        let query = window().location().search().ok()?;
        query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix("workers=")?.parse().ok())
    }

    /// Puts it into the browser's address, without a new entry in its history.
    pub fn replace(&self) {
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&self.fragment()));
        }
    }

    /// Puts it into the browser's address, so that Back leads to the one before.
    pub fn push(&self) {
        let fragment = self.fragment();
        if window().location().hash().is_ok_and(|hash| hash.trim_start_matches('#') == fragment.trim_start_matches('#'))
        {
            return;
        }
        if let Ok(history) = window().history() {
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&fragment));
        }
    }

    /// What of it is a report.
    pub fn shared(self) -> (Option<String>, Option<String>) {
        (self.report, self.url)
    }

    /// What it shows of logs, where they are not there; `None` where it asks for nothing.
    pub fn awaited(&self) -> Option<String> {
        let is_name = |view: &&String| view.bytes().all(|c| c.is_ascii_lowercase());
        let link = |view: &String| document().query_selector(&format!("nav a[href='#v={view}']")).ok().flatten();
        let view = self.view.as_ref().filter(is_name).and_then(link).and_then(|link| link.text_content());
        let parts =
            std::iter::once(view.filter(|name| !name.is_empty())).chain(in_words(&self.selection, TimeZone::Unknown));
        let parts: Vec<String> = parts.flatten().collect();
        let told = (!parts.is_empty()).then(|| parts.join("; "))?;
        Some(format!(
            "This address leads to: {told}. It does not carry the logs: drop the same logs again to see this."
        ))
    }

    fn fragment(&self) -> String {
        let report = self.report.as_deref().and_then(|r| r.strip_prefix(link::PREFIX)).map(|r| format!("r={r}"));
        let url = self.url.as_ref().map(|url| format!("url={}", js_sys::encode_uri_component(url)));
        let view = self.view.as_ref().map(|view| format!("v={view}"));
        let kind = self.kind.map(|kind| format!("kind={}", kind.name()));
        let chosen = &self.selection;
        let node = chosen.node.as_ref().map(|name| format!("node={}", js_sys::encode_uri_component(name)));
        let job = chosen.job.map(|id| format!("job={id}"));
        let attempt = chosen.attempt.map(|id| format!("attempt={id}"));
        let span = chosen.span.map(|(from, to)| format!("t={}..{}", from.millis(), to.millis()));
        let parts: Vec<String> = [report, url, view, kind, node, job, attempt, span].into_iter().flatten().collect();
        format!("#{}", parts.join("&"))
    }
}

/// The link of the bar that leads to where the reader is.
pub fn marked() -> Option<Element> {
    document().query_selector("nav [aria-current]").ok().flatten()
}

/// The view where the reader is.
pub fn marked_view() -> Option<String> {
    view_of(&marked()?)
}

/// The view that a link leads to.
pub fn view_of(link: &Element) -> Option<String> {
    link.get_attribute("href")?.strip_prefix("#v=").map(str::to_owned)
}

/// `1795227884210..1795227890000`, epoch milliseconds.
fn span_of(text: &str) -> Option<(Timestamp, Timestamp)> {
    let (from, to) = text.split_once("..")?;
    let [from, to] = [from, to].map(|ms| ms.parse().ok().map(Timestamp::from_millis));
    from.zip(to).filter(|(from, to)| from < to)
}

/// The page's own address with another fragment.
pub fn with_fragment(fragment: &str) -> String {
    let href = window().location().href().unwrap_or_default();
    let base = href.split('#').next().unwrap_or_default();
    format!("{base}{fragment}")
}
