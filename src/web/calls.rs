//! The view of system calls: its figures, shown where traces were given.

use super::client::Failure;
use super::dom::{el, fill, set_shown};
use super::envelope::{Attachments, bytes_of};
use super::figure::Figure;
use super::reading::Session;
use crate::diagnosis::Method;
use crate::protocol::{FromWorker, ToWorker};
use crate::scene::{Look, Scene, View};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct CallsView {
    session: Rc<Session>,
    figures: Vec<Rc<Figure>>,
    trouble: Element,
}

impl CallsView {
    /// Puts the view into `root`; `None`, and nothing there, where no call was traced.
    pub fn new(session: Rc<Session>, root: &Element) -> Option<Rc<Self>> {
        let name = Method::SyscallStatistical.name();
        if !session.report.witnesses.iter().any(|w| w.method == name) {
            return None;
        }
        let figures: Vec<Rc<Figure>> = View::SYSCALLS.iter().map(|view| Figure::new(*view)).collect();
        let trouble = el("p").class("lead");
        set_shown(trouble.get(), false);
        let grid = el("div").class("figures").children(figures.iter().map(|f| f.element().clone()));
        fill(root, [trouble.clone(), grid]);
        let view = Rc::new(Self { session, figures, trouble: trouble.into() });
        view.refresh();
        Some(view)
    }

    /// Asks for all figures anew, for another width.
    pub fn refresh(self: &Rc<Self>) {
        let view = Rc::clone(self);
        spawn_local(async move {
            if let Err(why) = view.load().await {
                view.trouble.set_text_content(Some(&format!("The figures could not be drawn: {why}")));
                set_shown(&view.trouble, true);
            }
        });
    }

    /// Draws all figures again in the theme's colours.
    pub fn redraw(&self) {
        self.figures.iter().for_each(|figure| figure.redraw());
    }

    async fn load(&self) -> Result<(), Failure> {
        for figure in &self.figures {
            let nodes = self.session.report.verdict.culprits.iter().map(|c| c.node.clone()).collect();
            let look = Look { kind: None, nodes, width_css_px: figure.width_css_px() };
            let view = figure.view();
            let question = |request| ToWorker::LayOut { request, view, look };
            let (answer, attached) = self.session.analyst.ask(question, Attachments::default()).await?;
            if let FromWorker::LaidOut { .. } = answer {
                let scene: Scene = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
                figure.show(scene);
            }
        }
        Ok(())
    }
}
