//! Sharing: the verdict link with its size and what it leaves out, and the report's file.

use super::address::with_fragment;
use super::dom::{El, Listeners, el, window};
use super::save::BlobUrl;
use crate::report::link::{LinkOf, MAX_CHARACTERS};
use crate::scene::axis::bytes;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Element, HtmlInputElement};

/// The row with the link and the report's file.
pub fn row(link: &LinkOf, json: &[u8], owned: &mut Listeners, urls: &mut Vec<BlobUrl>) -> Element {
    let href = with_fragment(&link.fragment);
    let field = el("input")
        .attr("readonly", "")
        .attr("value", &href)
        .attr("spellcheck", "false")
        .test_id("share-link")
        .on("focus", owned, |event| {
            if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                field.select();
            }
        });
    let copy = el("button").class("button").attr("type", "button").text("Copy link");
    let said = copy.clone();
    let copy = copy.on("click", owned, move |_| copy_text(&href, said.clone()));
    let label = el("label").child(el("span").text("Share this verdict")).child(field);
    let mut row = el("div").class("share").child(label).child(copy);
    if let Ok(url) = BlobUrl::of_bytes(json, "application/json") {
        let save = el("a")
            .class("button")
            .attr("href", url.as_str())
            .attr("download", "oddnode-report.json")
            .test_id("download-report")
            .text(&format!("Save report ({})", bytes(json.len() as f64)));
        row = row.child(save);
        urls.push(url);
    }
    row.child(el("p").class("note").test_id("share-size").text(&size_of(link))).into()
}

fn size_of(link: &LinkOf) -> String {
    let size = format!(
        "The link itself is the report ({} of at most {MAX_CHARACTERS} characters); no server keeps it. \
         Whoever opens it sees node names, job names and the sentences of the verdict, but no logs.",
        link.fragment.len()
    );
    if link.left_out.is_empty() {
        return size;
    }
    format!("{size} To keep it short it leaves out: {}. The saved report has it all.", link.left_out.join(", "))
}

fn copy_text(text: &str, button: El) {
    let copied = JsFuture::from(window().navigator().clipboard().write_text(text));
    spawn_local(async move {
        let said = if copied.await.is_ok() { "Copied" } else { "Select the link and copy it" };
        button.text(said);
    });
}
