//! Figures to files: SVG as the page saves it, and PNG out of the same drawing.

use super::args::{LookArgs, OutputArgs, WorkerArgs};
use super::input::{Input, STDIN};
use super::opened::{self, Opened};
use super::switches::ParamArgs;
use super::values::{Figures, figures};
use super::{analysed, apart, bad_input, each, notices, output, read_readable, train};
use crate::base::{Gathered, JobId};
use crate::diagnosis::Abstention;
use crate::draw::Theme;
use crate::draw::svg::to_svg;
use crate::model::Trace;
use crate::pipeline::labelled::{self, Labelled};
use crate::pipeline::{Analysis, Lacking, RunBefore, Views};
use crate::report::{Report, WitnessRow};
use crate::scene::carried::Carried;
use crate::scene::evaluation::{self, Evaluated};
use crate::scene::{Look, Scene, View, inputs_of, origin};
use anyhow::{Context, Result};
use resvg::{tiny_skia, usvg};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Pixels of a picture for each of the drawing: sharp on screens of today and in print.
const PNG_SCALE: f32 = 2.0;

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Svg,
    Png,
}

/// The ending of the file, or why it is none of ours; without a file, SVG.
fn ending(path: Option<&Path>) -> Result<Ending> {
    let Some(path) = path else { return Ok(Ending::Svg) };
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Ending::Svg),
        Some("png") => Ok(Ending::Png),
        _ => Err(bad_input(format!("a figure is written to .svg or .png: {}", path.display()))),
    }
}

/// What is drawn, and into which file.
#[derive(Debug, clap::Args)]
pub(super) struct DrawArgs {
    /// Which figure of the page, or which section: its first figure that these logs have data for.
    #[arg(value_name = "VIEW", value_parser = figures())]
    figures: Figures,
    /// Logs, archives, folders or digests; or a report, of which what it carries is drawn.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Logs of another run, such as the one before, drawn above this one: for the three figures of swimlanes, each run from
    /// its own begin, and flows-matrix, on one scale. With --job, of the job of that ID there, else of that name.
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    workers: WorkerArgs,
}

/// Draws a figure into a file.
///
/// # Errors
/// [`super::BadInput`] where these logs, this report or these labelled runs give the figure nothing to show or lack what it
/// shall show, or the file cannot be written.
pub(super) fn draw(args: &DrawArgs) -> Result<()> {
    let DrawArgs { figures, paths, against, look, params, output, workers } = args;
    let to = output.file();
    // What cannot be written is told before anything is read.
    ending(to)?;
    let files = each(paths).chain(against.as_deref()).filter(|path| !path.is_dir());
    apart::require(to, files.chain(params.paths()))?;
    if against.as_deref().is_some_and(is_stdin) && each(paths).any(is_stdin) {
        return Err(bad_input("-: standard input can be one of both runs, not both"));
    }
    if against.is_some() && figures.beside().is_none() {
        return Err(bad_input(format!(
            "{} shows one run: --against is for swimlanes and flows-matrix",
            figures.names()
        )));
    }
    let opened = opened::open_any(paths)?;
    // Neither is read before both are there.
    let against = against.as_deref().map(|path| of_logs(opened::open(path)?)).transpose()?;
    let inputs = match opened {
        Opened::Report(report) if against.is_none() => {
            opened::tell_of_switches(params);
            return draw_carried(figures, &report, look, to);
        }
        opened => of_logs(opened)?,
    };
    apart::require_inputs(to, &inputs)?;
    apart::require_inputs(to, against.as_deref().unwrap_or_default())?;
    let of_labels = figures.are_of_labels();
    let (digest, told) = read_readable(&inputs, workers.count())?;
    if of_labels {
        notices::tell_lost(&digest, &told)
    } else {
        notices::tell(&digest, &told)
    }
    let params = train::params(params, workers.count())?;
    if of_labels {
        return draw_labelled(figures, labelled::evaluate(&digest, &params), look, to);
    }
    let views = Views::new(analysed(&digest, &params, workers.count()));
    match against.zip(figures.beside()) {
        Some((before, view)) => draw_beside(view, &views, &before, args),
        None => draw_analysed(figures, &views, look, to),
    }
}

/// The inputs, where they may be logs: what is drawn beside another run no report holds.
fn of_logs(opened: Opened) -> Result<Vec<Input>> {
    match opened {
        Opened::Logs(inputs) => Ok(inputs),
        Opened::Report(_) => Err(bad_input("a report does not hold what is drawn beside another run: give the logs")),
    }
}

/// Draws what logs say, and above it the same of another run's (M10).
fn draw_beside(view: View, views: &Views, before: &[Input], args: &DrawArgs) -> Result<()> {
    let DrawArgs { look, output, workers, .. } = args;
    let Analysis { trace, report, params, .. } = views.analysis();
    require_known(trace, look)?;
    let (digest, told) = read_readable(before, workers.count())?;
    notices::tell(&digest, &told);
    let run = RunBefore::of(&digest, params.clocks());
    let looked = look.look(report);
    let above = inputs_of(before.iter().map(|input| input.name.as_str()));
    let scene = run.above(view, trace, &looked).map_err(|lacking| {
        let below = inputs_of(report.inputs().into_iter());
        let (figure, of_job) = (view.name(), look.job.map(|job| format!(" of {job}")).unwrap_or_default());
        // Of a run without a job alike, MIROS has another.
        let or_alike = if of_job.is_empty() || view == View::FlowsMatrix { "" } else { " or a job of its name" };
        bad_input(match lacking {
            Lacking::Before => {
                format!("the run of --against holds no data for the figure {figure}{of_job}{or_alike}: {above}")
            }
            Lacking::Now => format!("the run to be drawn below holds no data for the figure {figure}{of_job}: {below}"),
            Lacking::Both => format!("neither run holds data for the figure {figure}{of_job}: {above}; {below}"),
        })
    })?;
    // A job of another id is named.
    let other = look.job.and_then(|job| run.counterpart(trace, job).filter(|other| *other != job));
    let other = other.map(|job| format!(" ({job})")).unwrap_or_default();
    let origin = format!("{}; above: {above}{other}", origin(report, &looked.selection));
    write(&scene.captioned(&scene.provenance(&origin)), look, output.file())
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// Draws what logs say.
fn draw_analysed(figures: &Figures, views: &Views, look: &LookArgs, to: Option<&Path>) -> Result<()> {
    let report = &views.analysis().report;
    require_known(&views.analysis().trace, look)?;
    let looked = look.look(report);
    let Some(scene) = figures.first(&|view| views.lay_out(view, &looked)) else {
        let of_any = Look { kind: None, ..looked.clone() };
        if let Some(kind) = looked.kind.filter(|_| figures.first(&|view| views.lay_out(view, &of_any)).is_some()) {
            let figures = report.figures.peers.iter().map(|figure| figure.kind.as_str());
            let compared: BTreeSet<&str> = figures.gathered();
            let compared: Vec<&str> = compared.into_iter().collect();
            return Err(bad_input(format!(
                "nodes cannot be compared by {}: too few are in these logs; they can by {}",
                kind.name(),
                compared.join(", ")
            )));
        }
        let is_untaught = |w: &WitnessRow| w.abstained.as_deref() == Some(Abstention::NoBaseline.name());
        let of_calls = |w: &&WitnessRow| w.method.starts_with("syscall");
        if figures.are_of_calls() && report.witnesses.iter().filter(of_calls).any(is_untaught) {
            return Err(bad_input(format!(
                "the figure {} shows what control runs do not do: give such runs with --control, or what was learned of them \
                 with --baseline; --syscalls-peer-only compares with the other nodes instead",
                figures.names()
            )));
        }
        let lack = figures.lack(&|view| views.lay_out(view, &looked));
        let lack = lack.map(|text| format!(" ({})", text.trim_end_matches('.'))).unwrap_or_default();
        return Err(bad_input(format!(
            "these logs hold no data for the figure {}{lack}; \"oddnode diagnose\" lists what was read",
            figures.names()
        )));
    };
    write(&scene.captioned(&scene.provenance(&origin(report, &looked.selection))), look, to)
}

/// Draws what a report carries.
fn draw_carried(figures: &Figures, report: &Report, look: &LookArgs, to: Option<&Path>) -> Result<()> {
    let carried = Carried::of(report);
    // A link leaves out names of healthy nodes, and of others where its witnesses tell them.
    let is_told = |name: &String| {
        let judged = report.witnesses.iter().any(|witness| witness.nodes.contains_key(name));
        let drawn = carried.has_node(name);
        judged
            || drawn
            || report.nodes.contains(name)
            || report.verdict.culprits.iter().any(|culprit| culprit.node == *name)
    };
    let node = look.node.as_ref().filter(|name| !is_told(name)).map(|name| format!("node {name}"));
    let knows = |job: &JobId| carried.has_job(*job) || report.jobs.iter().any(|row| row.job == job.to_string());
    let job = look.job.filter(|job| !knows(job)).map(|job| job.to_string());
    let attempt = look.attempt.filter(|id| !carried.has_attempt(*id)).map(|id| id.to_string());
    if let Some(strange) = node.or(job).or(attempt) {
        return Err(bad_input(format!("there is no {strange} in this report")));
    }
    let looked = look.look(report);
    let Some(scene) = figures.first(&|view| carried.lay_out(report, view, &looked)) else {
        let names = figures.names();
        return Err(bad_input(format!("this report does not carry the figure {names}: draw it from the logs")));
    };
    write(&scene.captioned(&scene.provenance(&origin(report, &looked.selection))), look, to)
}

/// Draws how the verdicts on labelled runs went.
fn draw_labelled(figures: &Figures, labelled: Labelled, look: &LookArgs, to: Option<&Path>) -> Result<()> {
    let looked = look.look(&Report::default());
    if !looked.selection.is_empty() {
        return Err(bad_input("the figures of labelled runs show no node, job or attempt"));
    }
    if labelled.runs.is_empty() {
        let none = "no labelled run is among these logs: a truth.json beside the archives says what was done to each";
        return Err(bad_input(none));
    }
    let evaluated = Evaluated::new(labelled.runs, labelled.absent);
    let Some(scene) = figures.first(&|view| evaluation::lay_out(view, &evaluated, &looked)) else {
        return Err(bad_input(format!("the labelled runs hold no data for the figure {}", figures.names())));
    };
    write(&scene.captioned(&scene.provenance("")), look, to)
}

/// Writes a drawing in the form that the file's ending names.
fn write(scene: &Scene, look: &LookArgs, to: Option<&Path>) -> Result<()> {
    let theme = if look.dark { Theme::dark() } else { Theme::light() };
    let svg = to_svg(scene, &theme)?;
    match ending(to)? {
        Ending::Svg => output::write(to, svg.as_bytes()),
        Ending::Png => output::write(to, &png(&svg)?),
    }
}

/// # Errors
/// [`super::BadInput`] where the logs know no such node, job or attempt.
fn require_known(trace: &Trace, look: &LookArgs) -> Result<()> {
    let strange = |what: &str| Err(bad_input(format!("there is no {what} in these logs")));
    if let Some(name) = look.node.as_deref().filter(|name| trace.nodes.iter().all(|node| node.name != *name)) {
        return strange(&format!("node {name}"));
    }
    if let Some(job) = look.job.filter(|job| trace.jobs.iter().all(|of| of.id != *job)) {
        return strange(&job.to_string());
    }
    if let Some(attempt) = look.attempt.filter(|id| trace.tasks_of(id.job).iter().all(|task| task.id != *id)) {
        return strange(&attempt.to_string());
    }
    Ok(())
}

/// The drawing as a picture, in the machine's own fonts.
fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = usvg::Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    if fonts.is_empty() {
        super::say("this machine has no fonts: the picture has no labels; write .svg instead");
    }
    // The drawing asks for the system's own font, which has no name here.
    let face = fonts.faces().find(|face| !face.monospaced).or_else(|| fonts.faces().next());
    if let Some(family) = face.and_then(|face| face.families.first()).map(|(name, _)| name.clone()) {
        fonts.set_sans_serif_family(family);
    }
    let tree = usvg::Tree::from_str(svg, &options).context("the drawing cannot be read back")?;
    let size = tree.size().to_int_size().scale_by(PNG_SCALE).context("the drawing is too large")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).context("the drawing is too large")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(PNG_SCALE, PNG_SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("the picture cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_how_a_figure_is_written() {
        assert_eq!(ending(None).unwrap(), Ending::Svg);
        assert_eq!(ending(Some(Path::new("a.b/c.PNG"))).unwrap(), Ending::Png);
        assert!(ending(Some(Path::new("c.jpg"))).is_err());
        assert!(ending(Some(Path::new("svg"))).is_err());
    }

    #[test]
    fn a_picture_has_two_pixels_for_each_of_the_drawing() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\"/>";
        let png = png(svg).unwrap();
        assert_eq!(png.get(..8), Some(b"\x89PNG\r\n\x1a\n".as_slice()));
        assert_eq!(png.get(16..24), Some([0, 0, 0, 60, 0, 0, 0, 40].as_slice()));
    }
}
