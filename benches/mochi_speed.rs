//! How long a frame of swimlanes takes: 300 nodes, and the 1.85 million tasks of Theia's month
//! (T21), at every zoom. A frame may take 50 ms; steadier than milliseconds is the ratio to
//! filling the same pixels, in the same run.
//!
//! A measurement, which takes a minute: `cargo bench --features cli --bench mochi_speed`.
#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use oddnode::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::model::{Node, Outcome, State, StateKind, States, Trace};
use oddnode::pipeline::mochi::MochiScenes;
use oddnode::scene::{Look, View, Viewport};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A frame may take so long, on a machine that does other things too. In the page it is the
/// worker that lays out, so that its frames do not wait for it.
const FRAME: Duration = Duration::from_millis(50);

/// Tasks of `jobs` jobs one after another on `nodes` nodes of four slots.
fn trace(nodes: u32, jobs: u32, tasks: u32) -> Trace {
    let mut rows = Vec::with_capacity((jobs * tasks) as usize);
    for j in 0..jobs {
        let job = JobId { cluster: 202_611_202_124, number: j + 1 };
        for t in 0..tasks {
            let is_map = t % 5 != 4;
            let wave = i64::from(t / (nodes * 4));
            let start = i64::from(j) * 1_500_000 + wave * 30_000 + i64::from(t * 37 % 9_000);
            let took = if is_map { 20_000 + i64::from(t * 7919 % 9_000) } else { 90_000 };
            let letter = if is_map { TaskLetter::Map } else { TaskLetter::Reduce };
            let kind = if is_map { StateKind::Map } else { StateKind::Reduce };
            let place = Place { file: FileId(0), line: u64::from(t) };
            rows.push(State {
                start: Some(Timestamp::from_millis(start)),
                job: Some(job),
                attempt: Some(AttemptId { job, letter, task: t, attempt: 0 }),
                outcome: Some(if t % 211 == 7 { Outcome::Failed } else { Outcome::Success }),
                ..State::of(kind, Some(NodeId(t % nodes)), Timestamp::from_millis(start + took), place)
            });
        }
    }
    Trace {
        nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
        states: States::from_rows(rows),
        ..Trace::default()
    }
}

/// The least of five.
fn least(mut f: impl FnMut()) -> Duration {
    let once = |_| {
        let begin = Instant::now();
        f();
        begin.elapsed()
    };
    (0..5).map(once).min().unwrap()
}

fn measure(name: &str, t: &Trace) {
    let mut scenes = MochiScenes::default();
    let mut pixels = vec![0_u8; 1200 * 480 * 4];
    let fill = least(|| {
        black_box(&mut pixels).fill(black_box(7));
    });
    for view in View::SWIMLANES {
        let mut look = Look { width_css_px: 1200.0, ..Look::default() };
        let begin = Instant::now();
        scenes.lay_out(view, t, &look).unwrap();
        let built = begin.elapsed();
        let mut worst = (Duration::ZERO, String::new());
        for zoom_x in (0..22).step_by(3) {
            for zoom_y in (0..22).step_by(3) {
                let (x, y) = (1.0 / f64::from(1_u32 << zoom_x), 1.0 / f64::from(1_u32 << zoom_y));
                for from in [0.0, 0.4, 1.0] {
                    let part = |span: f64| ((1.0 - span) * from, (1.0 - span) * from + span);
                    look.viewport = Viewport { x: part(x), y: part(y) };
                    let took = least(|| {
                        black_box(scenes.lay_out(view, t, &look).unwrap());
                    });
                    if took > worst.0 {
                        worst = (
                            took,
                            format!("1/{} of the time, 1/{} of the rows, at {from}", 1_u32 << zoom_x, 1_u32 << zoom_y),
                        );
                    }
                }
            }
        }
        let ratio = worst.0.as_secs_f64() / fill.as_secs_f64();
        println!(
            "{name} {}: index {built:.1?}, slowest frame {:.1?} = {ratio:.0} x fill of the pixels, {}",
            view.name(),
            worst.0,
            worst.1
        );
        assert!(worst.0 < FRAME, "{name} {}: {:?}, {}", view.name(), worst.0, worst.1);
    }
}

fn main() {
    measure("300 nodes, 60 000 tasks", &trace(300, 20, 3_000));
    measure("1.85 million tasks", &trace(64, 1_373, 1_348));
}
