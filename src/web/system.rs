//! The system view: one figure of all metrics.

use super::client::Failure;
use super::dom::{el, fill};
use super::envelope::{Attachments, bytes_of};
use super::figure::Figure;
use super::reading::Session;
use crate::protocol::{FromWorker, ToWorker};
use crate::scene::{Look, Scene, View};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct SystemView {
    session: Rc<Session>,
    figure: Rc<Figure>,
    says: Element,
}

impl SystemView {
    /// Puts the view into `root`.
    pub fn new(session: Rc<Session>, root: &Element) -> Rc<Self> {
        let figure = Figure::new(View::System);
        let says = el("p").class("lead");
        fill(root, [says.clone(), el("div").class("figures").child(figure.element().clone())]);
        let view = Rc::new(Self { session, figure, says: says.into() });
        view.refresh();
        view
    }

    /// Asks for the figure anew: another width.
    pub fn refresh(self: &Rc<Self>) {
        let view = Rc::clone(self);
        spawn_local(async move {
            if let Err(why) = view.load().await {
                view.says.set_text_content(Some(&format!("The figure could not be drawn: {why}")));
            }
        });
    }

    /// Draws it again in the theme's colours.
    pub fn redraw(&self) {
        self.figure.redraw();
    }

    async fn load(&self) -> Result<(), Failure> {
        let nodes = self.session.report.verdict.culprits.iter().map(|c| c.node.clone()).collect();
        let look = Look { kind: None, nodes, width_css_px: self.figure.width_css_px() };
        let question = |request| ToWorker::LayOut { request, view: View::System, look };
        let (answer, attached) = self.session.analyst.ask(question, Attachments::default()).await?;
        if let FromWorker::LaidOut { .. } = answer {
            let scene: Scene = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
            self.figure.show(scene);
        }
        Ok(())
    }
}
