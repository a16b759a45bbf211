//! The view of system calls as data: what a reader sees of a small cluster whose last node
//! loses packets.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod scene_lines;
mod traced;

use oddnode::diagnosis::Params;
use oddnode::diagnosis::syscalls::{Bands, examine};
use oddnode::model::Trace;
use oddnode::scene::calls::{CallsShown, lay_out};
use oddnode::scene::{Look, MARK_BUDGET, Mark, Role, Scene, View};
use scene_lines::lines;
use traced::{call, cluster, connect};

fn trace(nodes: usize, slow_us: u64) -> Trace {
    let lines = (0..nodes).map(|node| {
        let mut lines = Vec::new();
        for i in 0..8 {
            let at = i * 1_000_000;
            let last = node + 1 == nodes;
            let took = if last && i > 3 { slow_us } else { 700 + i * 10 };
            lines.push(call(7, at, "stat(\"/d\", {st_mode=S_IFDIR|0755, ...}) = 0", 20 + i));
            lines.push(call(7, at + 100, &connect(9, (node + 1 + i as usize % (nodes - 1)) % nodes, "0"), took));
        }
        lines
    });
    cluster(&lines.collect::<Vec<_>>())
}

fn scene(view: View, nodes: usize, controls: bool, width_css_px: f32) -> Scene {
    let (trace, control) = (trace(nodes, 3_000_700), trace(nodes, 900));
    let bands = Bands::learn(&[&control]);
    let e = examine(&trace, &Params::default(), controls.then_some(&bands)).unwrap();
    let look = Look { kind: None, nodes: Vec::new(), width_css_px, ..Look::default() };
    lay_out(view, &CallsShown::new(&trace, &e), &look)
}

fn texts(scene: &Scene) -> String {
    let texts =
        scene.marks.iter().filter_map(|m| if let Mark::Text { text, .. } = m { Some(text.as_str()) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_figure_of_a_small_cluster() {
    for view in View::SYSCALLS {
        insta::assert_snapshot!(view.name(), lines(&scene(view, 4, true, 600.0)));
    }
}

/// A call that returns at once is not what a connection took.
#[test]
fn longest_connection_is_told_with_the_time_until_it_stood() {
    let node = |node: usize| {
        let begin = connect(9, (node + 1) % 4, "-1 EINPROGRESS (Operation now in progress)");
        let stands = "epoll_wait(40, [{events=EPOLLOUT, data={u32=9, u64=9}}], 1024, 9000) = 1";
        vec![call(7, 0, &begin, 80), call(7, 100, stands, 2_999_900)]
    };
    let trace = cluster(&(0..4).map(node).collect::<Vec<_>>());
    let e = examine(&trace, &Params::default(), None).unwrap();
    let look = Look { width_css_px: 600.0, ..Look::default() };
    let scene = lay_out(View::Syscalls, &CallsShown::new(&trace, &e), &look);
    let told = scene.hits.iter().filter(|hit| hit.says[0].contains("connect until ready"));
    let longest: Vec<&String> = told.filter_map(|hit| hit.says.last()).collect();
    assert!(
        longest.len() == 4 && longest.iter().all(|says| says.starts_with("longest single call: 3 s, ")),
        "{longest:?}"
    );
}

#[test]
fn rows_have_all_of_their_numbers_or_none() {
    let numbers = |width_css_px| {
        let scene = scene(View::SyscallsTotals, 4, true, width_css_px);
        let timed = |m: &&Mark| matches!(m, Mark::Text { text, .. } if text.ends_with('s') && text.contains(' '));
        scene.marks.iter().filter(timed).count()
    };
    assert_eq!(numbers(600.0), 4 * 2, "stat and connect of each node");
    for width_css_px in (140..320).step_by(4) {
        assert_eq!(numbers(width_css_px as f32) % 2, 0, "at {width_css_px} px");
    }
}

#[test]
fn steps_name_the_node_in_plain_words() {
    let said = texts(&scene(View::SyscallsSteps, 4, true, 900.0));
    assert!(said.contains("Answer: n4: its network loses packets or is slow."), "{said}");
}

/// The first names nobody where all is as ever; the second acquits nobody where its pairs do not meet (C14).
#[test]
fn steps_that_lead_to_no_node_say_what_that_means() {
    let (trace, control) = (trace(4, 900), trace(4, 900));
    let e = examine(&trace, &Params::default(), Some(&Bands::learn(&[&control]))).unwrap();
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let said = texts(&lay_out(View::SyscallsSteps, &CallsShown::new(&trace, &e), &look));
    assert!(said.contains("Answer: no node stands out.") && said.contains("Answer: no diagnosis."), "{said}");
}

#[test]
fn without_controls_the_command_to_record_them_is_told() {
    let said = texts(&scene(View::SyscallsSteps, 4, false, 900.0));
    assert!(said.contains("strace -f -T -ttt") && said.contains("No baseline"), "{said}");
    let histograms = scene(View::Syscalls, 4, false, 600.0);
    assert!(histograms.how_to_read.contains("no control runs"));
    assert!(!histograms.marks.iter().any(|m| matches!(m, Mark::Rect { role: Role::Grid | Role::Culprit, .. })));
    for view in [View::SyscallsPairs, View::SyscallsTime] {
        assert!(texts(&scene(view, 4, false, 600.0)).contains("No baseline"));
        assert!(texts(&scene(view, 2, true, 600.0)).contains("fewer than three nodes"));
    }
}

#[test]
fn sums_of_calls_have_words_instead_of_an_empty_histogram() {
    let trace = trace(4, 900);
    let mut e = examine(&trace, &Params::default(), None).unwrap();
    e.nodes.values_mut().flat_map(|node| node.calls.values_mut()).for_each(|call| call.buckets.fill(0));
    let look = Look { width_css_px: 600.0, ..Look::default() };
    let scene = lay_out(View::Syscalls, &CallsShown::new(&trace, &e), &look);
    assert!(texts(&scene).starts_with("Only sums of the calls are known"), "{}", texts(&scene));
    assert!(!scene.table.rows.is_empty(), "the sums are in the table");
    // As of strace -c: no call is there to be slow.
    (e.counted, e.abstained) = (true, None);
    for view in [View::SyscallsPairs, View::SyscallsTime, View::SyscallsSteps] {
        let said = texts(&lay_out(view, &CallsShown::new(&trace, &e), &look));
        assert!(said.contains("strace -c gives totals only, not single calls"), "{said}");
    }
}

#[test]
fn slow_calls_lead_to_their_lines() {
    let time = scene(View::SyscallsTime, 4, true, 600.0);
    assert_eq!(time.hits.len(), 4);
    assert!(time.hits[0].says.iter().any(|s| s.starts_with("run/n4/datanode.strace, line ")), "{:?}", time.hits[0]);
    assert_eq!(time.table.rows[0][6], "run/n4/datanode.strace");
}

#[test]
fn many_nodes_and_little_room_stay_within_the_budget() {
    for view in View::SYSCALLS {
        for width in [320.0, 900.0] {
            let scene = scene(view, 60, true, width);
            assert!(scene.marks.len() < MARK_BUDGET && scene.size.1 < 3000.0, "{}", view.name());
            for hit in &scene.hits {
                assert!(hit.at.0 >= -10.0 && hit.at.0 + hit.size.0 <= width + 20.0, "{} {width}: {hit:?}", view.name());
            }
        }
    }
}
