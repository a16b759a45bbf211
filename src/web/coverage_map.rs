//! The coverage map's figure: asked for from the analyst when there is room to draw it.

use super::client::Failure;
use super::envelope::{Attachments, bytes_of};
use super::figure::Figure;
use super::reading::Session;
use crate::protocol::{FromWorker, ToWorker};
use crate::scene::{Look, Scene, View};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// The figure and who draws it.
#[derive(Debug)]
pub struct CoverageMap {
    session: Rc<Session>,
    figure: Rc<Figure>,
}

impl CoverageMap {
    /// Puts the figure into `root` and draws it.
    pub fn new(session: Rc<Session>, root: &Element) -> Rc<Self> {
        let figure = Figure::new(View::CoverageMap);
        let _ = root.append_child(figure.element());
        let map = Rc::new(Self { session, figure });
        map.refresh();
        map
    }

    /// Draws it for the width there is. What cannot be drawn leaves the tables.
    pub fn refresh(self: &Rc<Self>) {
        let map = Rc::clone(self);
        spawn_local(async move {
            let _ = map.load().await;
        });
    }

    /// Draws it again in the theme's colours.
    pub fn redraw(&self) {
        self.figure.redraw();
    }

    async fn load(&self) -> Result<(), Failure> {
        let nodes = self.session.report.verdict.culprits.iter().map(|c| c.node.clone()).collect();
        let look = Look { kind: None, nodes, width_css_px: self.figure.width_css_px() };
        let question = |request| ToWorker::LayOut { request, view: View::CoverageMap, look };
        let (answer, attached) = self.session.analyst.ask(question, Attachments::default()).await?;
        if let FromWorker::LaidOut { .. } = answer {
            let scene: Scene = postcard::from_bytes(&bytes_of(attached.first())).map_err(|_| Failure::Stale)?;
            self.figure.show(scene);
        }
        Ok(())
    }
}
