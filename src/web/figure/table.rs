//! The table twin of a figure: its words for who does not see it, and each line it speaks of a button.

use super::{Figure, Wish};
use crate::base::quantity::grouped;
use crate::draw::html::COLUMNS;
use crate::report::LineRef;
use crate::scene::Table;
use crate::web::dom::{El, el, fill, row_head, set_text};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Cells of a table twin on the page: a document of more elements is slow to lay out, and the
/// saved table has all of them.
const CELLS_TOLD: usize = 8_000;

impl Figure {
    /// Elements are dear: a table that stays as it is, as in a pan, is not made again.
    pub(super) fn write_table(&self) {
        let scene = self.scene.borrow();
        if *self.told.borrow() != scene.table {
            fill(&self.table, table_of(&scene.table, scene.log_columns));
            self.told.replace(scene.table.clone());
        }
    }

    /// Whoever clicks on a line's number sees the line.
    pub(super) fn listen_to_lines(self: &Rc<Self>) {
        self.on(&self.table, "click", |figure, event| {
            let button = event.target().and_then(|t| t.dyn_into::<Element>().ok());
            let button = button.and_then(|t| t.closest("button.line").ok().flatten());
            let place = |button: &Element| {
                let (file, line) = (button.get_attribute("data-file")?, button.text_content()?.parse().ok()?);
                Some((button.closest("tr").ok().flatten()?, LineRef { file, line }))
            };
            if let Some((row, at)) = button.as_ref().and_then(place) {
                figure.want(Wish::Line(row, at));
            }
        });
    }
}

fn table_of(table: &Table, log_columns: usize) -> Vec<El> {
    // Of a large cluster some tables have a column a node.
    let headers = table.headers.get(..COLUMNS).unwrap_or(&table.headers);
    let head = el("tr").children(headers.iter().map(|h| el("th").attr("scope", "col").text(h)));
    let shown = CELLS_TOLD / headers.len().max(1);
    let file = headers.len().checked_sub(2).filter(|_| log_columns > 0);
    let of_line = file.map(|file| (file, file + 1));
    // Every row is a copy of this one with other words.
    let blank = el("tr").children(headers.iter().enumerate().map(|(i, _)| match of_line {
        _ if i == 0 => row_head(),
        Some((_, line)) if i == line => {
            el("td").class("number").child(el("button").class("line").attr("type", "button"))
        }
        _ => el("td").class("number"),
    }));
    let rows = table.rows.iter().take(shown).map(|row| {
        let filled = blank.again();
        let mut cell = filled.get().first_element_child();
        for (i, text) in row.iter().enumerate() {
            let Some(at) = cell else { break };
            match of_line.filter(|(_, line)| *line == i).zip(at.first_element_child()) {
                Some(((file, _), open)) => {
                    let _ = open.set_attribute("data-file", row.get(file).map_or("", String::as_str));
                    let _ = open.set_attribute("aria-label", &format!("Show line {text}"));
                    set_text(&open, text);
                }
                None => set_text(&at, text),
            }
            cell = at.next_element_sibling();
        }
        filled
    });
    let mut parts = vec![el("thead").child(head), el("tbody").children(rows.collect::<Vec<_>>())];
    let mut cut = Vec::new();
    for (what, shown, all) in [("rows", shown, table.rows.len()), ("columns", headers.len(), table.headers.len())] {
        if shown < all {
            cut.push(format!("the first {shown} of {} {what}", grouped(all as u64)));
        }
    }
    if !cut.is_empty() {
        parts.insert(0, el("caption").text(&format!("Showing {}; CSV saves all.", cut.join(" and "))));
    }
    parts
}
