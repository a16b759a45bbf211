//! What the report says of clocks, and how to say better: the zone of the logs, whether
//! skews are taken out. Both analyse again what was read; nothing is read again.

use super::dom::{El, Listeners, el};
use super::session::{Session, of_analysis};
use crate::base::quantity::{grouped, of_millis};
use crate::base::{Arrange, TimeZone, zone_name, zone_offset_ms};
use crate::model::{ClockChoice, ZoneSource};
use crate::report::{Report, SkewRow, ZoneRow};
use crate::scene::axis::date_and_clock;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Zones and nodes listed, the most telling first: a person reads no more.
const LISTED: usize = 20;

/// What is done with a choice; `false` if it cannot be done now.
pub type Apply = Rc<dyn Fn(ClockChoice) -> bool>;

/// The panel: what is known, and, where the logs are at hand (`apply`), what can be said.
pub fn panel(session: &Session, choice: ClockChoice, apply: Option<Apply>, owned: &mut Listeners) -> El {
    let report = &session.report;
    let mut panel = el("div").class("clocks").test_id("clocks").child(el("h3").text("Clocks"));
    panel = panel.child(el("p").class("lead").text(&zone_sentence(report)));
    let zones = report.clock.zones.iter().filter(|z| report.clock.zones.len() > 1 || !z.changes.is_empty());
    let zones: Vec<El> = zones.take(LISTED).map(zone_item).collect();
    if !zones.is_empty() {
        panel = panel.child(el("ul").class("plain").children(zones));
    }
    if let Some(said) = skew_sentence(report) {
        panel = panel.child(el("p").class("lead").text(&said));
    }
    let mut off: Vec<&SkewRow> = report.skew.nodes.iter().filter(|s| s.certain).collect();
    off.arrange(|a, b| b.skew_ms.abs().cmp(&a.skew_ms.abs()).then_with(|| a.node.cmp(&b.node)));
    if !off.is_empty() {
        let items = off.iter().take(LISTED).map(|s| el("li").attr("data-node", &s.node).text(&skew_words(s)));
        panel = panel.child(el("ul").class("plain").test_id("skews").children(items.collect::<Vec<_>>()));
    }
    match apply {
        Some(apply) => panel.child(form(session, choice, apply, owned)),
        None => panel,
    }
}

/// Where the zone is known from.
fn zone_sentence(report: &Report) -> String {
    let clock = &report.clock;
    let zone = zone_name(clock.offset_ms);
    match clock.source() {
        Some(ZoneSource::NotNeeded) => String::from("All times in the input are epoch times; no zone is needed."),
        Some(ZoneSource::Given) => format!("The logs are read as {zone}, as you set it."),
        Some(ZoneSource::Found) => {
            format!("The logs are in {zone}, by {}.", clock.found_by())
        }
        Some(ZoneSource::Assumed) => String::from(
            "The logs name no zone, and nothing in the input tells it: they are read as UTC. Set the time zone below \
             if you know it.",
        ),
        // A link of an earlier version.
        None if clock.pairs > 0 => format!("The logs are in {zone}."),
        None => String::from("The logs are read as UTC."),
    }
}

fn zone_item(zone: &ZoneRow) -> El {
    let mut text = [Some(zone.archive.as_str()), zone.node.as_deref(), zone.file.as_deref()]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    text.push_str(&format!(": {}", zone_name(zone.offset_ms)));
    for change in &zone.changes {
        text.push_str(&format!(
            ", from {} on {}",
            date_and_clock(change.at_ms, TimeZone::Utc),
            zone_name(change.offset_ms)
        ));
    }
    let evidence: Vec<String> = zone.evidence.iter().map(|(kind, n)| format!("{} {kind}", grouped(*n))).collect();
    if !evidence.is_empty() {
        text.push_str(&format!(" ({})", evidence.join(", ")));
    }
    el("li").text(&text)
}

fn skew_sentence(report: &Report) -> Option<String> {
    let nodes = &report.skew.nodes;
    if nodes.is_empty() {
        return None;
    }
    let against = match report.skew.reference.as_str() {
        "median" => String::from("the nodes' median"),
        "master" => String::from("the master"),
        node => node.to_owned(),
    };
    let widest = nodes.iter().map(|s| s.uncertainty_ms).max().unwrap_or_default();
    // The one that they are compared with agrees with itself.
    let compared = nodes.iter().filter(|s| s.node != report.skew.reference).count();
    let off = nodes.iter().filter(|s| s.certain).count();
    let sureness = of_millis(widest as f64);
    Some(if off == 0 {
        let agree = if compared == 1 { "The clock of 1 node agrees" } else { "The clocks of all nodes agree" };
        format!("{agree} with {against}, as far as messages tell (to {sureness}).")
    } else {
        let done = if nodes.iter().any(|s| s.corrected) { "corrected" } else { "not corrected" };
        format!("{off} of {compared} clocks are off against {against}; {done}:")
    })
}

fn skew_words(s: &SkewRow) -> String {
    let seconds = |ms: i64| of_millis(ms.unsigned_abs() as f64);
    format!(
        "{} is {} {}, give or take {} ({} messages)",
        s.node,
        seconds(s.skew_ms),
        s.side(),
        seconds(s.uncertainty_ms),
        grouped(s.messages)
    )
}

/// The fields, with what was asked.
fn fields(choice: ClockChoice) -> [HtmlInputElement; 2] {
    let zone = el("input")
        .attr("type", "text")
        .attr("id", "zone")
        .attr("placeholder", "±HH:MM, or empty to find it")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("aria-describedby", "zone-says")
        .test_id("zone");
    let fix = el("input").attr("type", "checkbox").attr("id", "fix-clocks").test_id("fix-clocks");
    let [zone, fix] = [zone, fix].map(|field| Element::from(field).unchecked_into::<HtmlInputElement>());
    let given = choice.tz_offset_ms.map(|ms| zone_name(ms).trim_start_matches("UTC").to_owned());
    zone.set_value(given.map(|z| if z.is_empty() { String::from("+00:00") } else { z }).as_deref().unwrap_or(""));
    fix.set_checked(choice.fix_clocks);
    [zone, fix]
}

/// The form, built anew for each verdict; on the same logs its fields stay, with what is typed.
fn form(session: &Session, choice: ClockChoice, apply: Apply, owned: &mut Listeners) -> El {
    let [zone, fix] = session.settings.clocks.get_or_init(|| fields(choice)).clone();
    // What was said of it is gone.
    let _ = zone.remove_attribute("aria-invalid");
    let says: Element = el("output").attr("id", "zone-says").attr("for", "zone").into();
    let local = session.report.clock.source() != Some(ZoneSource::NotNeeded);
    let run = {
        let (zone, fix, says) = (zone.clone(), fix.clone(), says.clone());
        move || {
            let text = zone.value();
            let tz_offset_ms = zone_offset_ms(&text);
            let _ = zone.remove_attribute("aria-invalid");
            if tz_offset_ms.is_none() && !text.trim().is_empty() {
                says.set_text_content(Some("Write the time zone as its offset from UTC: +05:30, -08:00."));
                let _ = zone.set_attribute("aria-invalid", "true");
                return;
            }
            let begun = apply(ClockChoice { tz_offset_ms, fix_clocks: fix.checked() });
            says.set_text_content(Some(of_analysis(begun)));
        }
    };
    let button = el("button").class("button").attr("type", "submit").test_id("apply-clocks").text("Analyse again");
    let mut form = el("form").class("controls clock-form");
    if local {
        form = form.child(el("label").attr("for", "zone").text("Zone of the logs").child(zone));
    }
    let label = el("span").text("Correct clocks that are off");
    form.child(el("label").attr("for", "fix-clocks").child(fix).child(label)).child(button).child(says).on(
        "submit",
        owned,
        move |event| {
            event.prevent_default();
            run();
        },
    )
}
