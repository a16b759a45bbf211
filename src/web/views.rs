//! The views of the page that draw figures: each has its section `view-NAME` with a `NAME`
//! element in it, and a link `nav-NAME`; but for `witnesses`, which is in the section of the verdict.
//!
//! Adding one: its file, a line in [`VIEWS`], its section and link in `index.html`.

use super::address::Address;
use super::cluster::ClusterView;
use super::coverage;
use super::dom::{document, fill, set_shown};
use super::figures::Figures;
use super::flows::FlowsView;
use super::jobs_view::JobsView;
use super::peers::PeersView;
use super::session::Session;
use super::swimlanes::SwimlanesView;
use crate::diagnosis::Method;
use crate::scene::View;
use crate::scene::witnesses::judges;
use std::rc::Rc;
use web_sys::Element;

/// A view on the page.
pub trait PageView {
    /// Its figures.
    fn figures(&self) -> &Rc<Figures>;

    /// Asks for its figures anew: another width, another choice.
    fn refresh(&self) {
        self.figures().refresh();
    }
    /// Draws its figures again in the theme's colours.
    fn redraw(&self) {
        self.figures().redraw();
    }
    /// Shows what of it the address has come to name.
    fn follow(&self, _address: &Address) {}
    /// The reader has chosen something in one of the views.
    fn selected(&self) {
        self.refresh();
    }
}

/// A view that is its figures and nothing beside them.
#[derive(Debug)]
pub struct Plain(pub Rc<Figures>);

impl Plain {
    /// Puts figures into `root` and asks for them.
    pub fn make(figures: Rc<Figures>, root: &Element) -> Rc<dyn PageView> {
        fill(root, figures.elements());
        figures.refresh();
        Rc::new(Self(figures))
    }
}

impl PageView for Plain {
    fn figures(&self) -> &Rc<Figures> {
        &self.0
    }
}

/// Puts a view into an element; `None` where the logs give it nothing to show.
type Make = fn(Rc<Session>, &Element) -> Option<Rc<dyn PageView>>;

/// What a view is drawn of.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    /// A report will do, where it carries the figures.
    Report,
    /// The logs themselves.
    Logs,
}

/// The id of a view's element, what it needs, and who fills it; in the order of the page.
const VIEWS: [(&str, Needs, Make); 10] = [
    ("witnesses", Needs::Report, witnesses),
    ("peers", Needs::Report, PeersView::make),
    ("cluster", Needs::Report, ClusterView::make),
    ("jobs", Needs::Report, JobsView::make),
    ("swimlanes", Needs::Report, SwimlanesView::make),
    ("flows", Needs::Report, FlowsView::make),
    ("syscalls", Needs::Logs, syscalls),
    ("system", Needs::Report, system),
    ("evaluation", Needs::Logs, evaluation),
    (coverage::MAP_ID, Needs::Logs, coverage_map),
];

/// Who indicts whom, where any witness judges: within the section of the verdict.
fn witnesses(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
    let is_told = session.report.witnesses.iter().any(judges);
    is_told.then(|| Plain::make(Figures::new(session, [View::Witnesses]), root))
}

/// The view of system calls, where traces were given.
fn syscalls(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
    let name = Method::SyscallStatistical.name();
    let traced = session.report.witnesses.iter().any(|w| w.method == name);
    traced.then(|| Plain::make(Figures::new(session, View::SYSCALLS), root))
}

/// The metrics of the operating system, where there are any.
fn system(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
    let has_metrics = session.measured || session.carried.contains(&View::System);
    has_metrics.then(|| Plain::make(Figures::new(session, [View::System]), root))
}

/// Verdicts counted against labels, where labelled runs were given.
fn evaluation(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
    (session.labelled > 0).then(|| Plain::make(Figures::new(session, View::EVALUATION), root))
}

/// The coverage map: what cannot be drawn leaves the tables beside it.
fn coverage_map(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
    Some(Plain::make(Figures::new(session, [View::CoverageMap]), root))
}

/// Makes the views of a session; the sections of those that have nothing are hidden.
pub fn make(session: &Rc<Session>) -> Vec<Rc<dyn PageView>> {
    let made = VIEWS.iter().filter_map(|(name, needs, make)| {
        let root = document().get_element_by_id(name)?;
        // Figures measure the room they have, so the section is shown before they are made.
        show(name, true);
        // A report that came without its logs draws the figures that it carries.
        let drawn = session.opened.is_none() || *needs == Needs::Report;
        let view = if drawn { make(Rc::clone(session), &root) } else { None };
        show(name, view.is_some());
        view
    });
    made.collect()
}

/// Empties all views and hides those that not every report has.
pub fn clear() {
    for (name, ..) in VIEWS {
        if let Some(root) = document().get_element_by_id(name) {
            root.set_text_content(None);
        }
        show(name, name == "peers");
    }
}

/// Shows or hides a view's section and its link.
fn show(name: &str, shown: bool) {
    for id in [format!("view-{name}"), format!("nav-{name}")] {
        if let Some(element) = document().get_element_by_id(&id) {
            set_shown(&element, shown);
        }
    }
}
