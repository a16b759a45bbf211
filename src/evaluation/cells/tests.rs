use super::*;
use crate::evaluation::{Said, Truth};
use crate::report::{Culprit, OutcomeKind, Report, Verdict};

#[test]
fn mean_of_the_first_five_weighs_ranks() {
    let ranked = |rank| Scored { rank, ..run("r", "CPUHog", Some("a"), &[], 10) };
    let runs = [Some(1), Some(3), Some(5), Some(6), None].map(ranked);
    // AC@1 and AC@2 are 1 of 5, AC@3 and AC@4 2 of 5, AC@5 3 of 5.
    assert_eq!(avg5(runs.iter()), Some(9.0 / 25.0));
    assert_eq!(Summary::of(&runs, 0).avg5, Some(9.0 / 25.0));
    assert_eq!(avg5([run("r", "none", None, &[], 10)].iter()), None);
}

fn run(name: &str, fault: &str, node: Option<&str>, indicted: &[&str], length_s: i64) -> Scored {
    let truth = Truth {
        run: name.into(),
        workload: "sort".into(),
        fault: fault.into(),
        node: node.map(str::to_owned),
        begin_ms: Some(0),
        end_ms: Some(length_s * 1000),
        ..Truth::default()
    };
    let culprit = |n: &&str| Culprit { node: (*n).into(), cause: "cpu".into(), ..Culprit::default() };
    let outcome = if indicted.is_empty() { OutcomeKind::Clean } else { OutcomeKind::Indicted };
    let verdict = Verdict { outcome, culprits: indicted.iter().map(culprit).collect(), ..Verdict::default() };
    Scored::new(&truth, &Report { verdict, ..Report::default() })
}

#[test]
fn wilsons_interval_by_hand() {
    // 8 of 10: (0.8 + 0.19207) / 1.38415 ± 0.22644: the textbook's [0.490, 0.943].
    let (low, high) = wilson(Rate { hits: 8, of: 10 });
    assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4, "{low} {high}");
    let (low, high) = wilson(Rate { hits: 0, of: 10 });
    assert!(low == 0.0 && (high - 0.2775).abs() < 1e-4, "{high}");
    assert_eq!(wilson(Rate::default()), (0.0, 1.0));
}

#[test]
fn cells_count_hits_false_ones_and_slowdown() {
    let runs = [
        run("sort-none-5-0", "none", None, &[], 100),
        run("sort-none-5-1", "none", None, &["b"], 100),
        run("sort-cpuhog-5-0", "CPUHog", Some("a"), &["a"], 130),
        run("sort-cpuhog-5-1", "CPUHog", Some("a"), &["b", "a"], 150),
    ];
    let cells = cells(&runs);
    let hog = cells.iter().find(|c| c.fault == "CPUHog").unwrap();
    assert_eq!((hog.tp, hog.fp), (Rate { hits: 2, of: 2 }, Rate { hits: 1, of: 2 }));
    assert_eq!((hog.ac1, hog.ac3), (Rate { hits: 1, of: 2 }, Rate { hits: 2, of: 2 }));
    assert!((hog.slowdown.unwrap() - 0.4).abs() < 1e-9);
    assert_eq!(hog.nodes, 5);
    let none = cells.iter().find(|c| c.fault == "none").unwrap();
    assert_eq!((none.tp, none.fp), (Rate::default(), Rate { hits: 1, of: 2 }));
    let summary = Summary::of(&runs, 3);
    let expected = Summary {
        runs: 4,
        without_archive: 3,
        with_culprit: 2,
        faulty_nodes: 2,
        faulty_nodes_named: 2,
        right: 1,
        right_cause: 1,
        cause_told: 1,
        wrong: 1,
        ac1: 1,
        ac3: 2,
        avg5: Some(0.9),
        clean: 2,
        clean_false: 1,
        ..Summary::default()
    };
    assert_eq!(summary, expected);
}

#[test]
fn second_faulty_node_that_is_missed_is_counted() {
    let of = |indicted: &[&str]| run("r", "CPUHog+DiskHog", Some("a, b"), indicted, 1);
    let counted = |runs: &[Scored]| {
        let s = Summary::of(runs, 0);
        let cell = cells(runs).remove(0);
        ([s.right, s.right_in_part, s.wrong, s.missed], s.in_part(), cell.tp, cell.named.of_several(cell.tp.of))
    };
    let told = |text: &str| Some(String::from(text));
    let half = "1 of 2 faulty nodes named";
    assert_eq!(
        counted(&[of(&["b"])]),
        ([0, 1, 0, 0], told("1 in part (1 of 2 faulty nodes named)"), Rate { hits: 1, of: 1 }, told(half))
    );
    let (_, both, _, named) = counted(&[of(&["b", "a"])]);
    assert_eq!((both, named), (told("0 in part (2 of 2 faulty nodes named)"), told("2 of 2 faulty nodes named")));
    assert_eq!(counted(&[of(&["b", "c"])]).0, [0, 0, 1, 0]);
    assert_eq!(counted(&[of(&[])]).0, [0, 0, 0, 1]);
    let single = [run("r", "CPUHog", Some("a"), &["a"], 1)];
    assert_eq!(counted(&single), ([1, 0, 0, 0], None, Rate { hits: 1, of: 1 }, None), "nothing is said of one");
}

#[test]
fn size_is_the_names_only_where_it_is_one_of_the_matrix() {
    let size = |name: &str, fault: &str| size_of(&Scored { nodes: 4, ..run(name, fault, None, &[], 1) });
    assert_eq!(size("sort-cpuhog-25-3", "CPUHog"), 25);
    assert_eq!(size("sort-hang1036-x0.5-25-3", "HANG-1036"), 25);
    assert_eq!((size("sort-appbug-25-3", "app-exception"), size("sort-skew-25-3", "app-skew")), (25, 25));
    for name in ["sort-2026-11-21", "sort-none-2026-11-21", "sort-11-21", "sorted-none-11-21", "sort-none-25-b"] {
        assert_eq!(size(name, "none"), 4, "{name}");
    }
    assert_eq!(size("sort-cpuhog-25-3", "DiskHog"), 4);
}

#[test]
fn signal_that_says_nothing_misses_and_names_no_other() {
    let of = |fault: &str, said: Option<(bool, usize, bool)>| {
        let node = (fault != "none").then_some("a");
        let of = |(hit, others, abstained)| Said { signal: "x".into(), hit, others, abstained, ..Said::default() };
        Scored { said: said.map(of).into_iter().collect(), ..run("r", fault, node, &[], 1) }
    };
    let runs = [
        of("CPUHog", Some((true, 1, false))),
        of("CPUHog", Some((false, 0, true))),
        of("CPUHog", None),
        of("none", Some((false, 1, false))),
        of("none", Some((false, 0, true))),
    ];
    let told = Told::by(&runs, &["x"]);
    assert_eq!((told.tp, told.fp), (Rate { hits: 1, of: 3 }, Rate { hits: 2, of: 5 }));
    assert_eq!((told.silent, told.is_silent()), (Rate { hits: 3, of: 5 }, false));
    let both = Told::by(&runs, &["x", "y"]);
    assert_eq!((both.tp, both.fp.of, both.silent.hits), (Rate { hits: 1, of: 6 }, 10, 8));
    assert!(Told::by(&runs, &["y"]).is_silent());
}

#[test]
fn runs_whose_label_tells_no_cause_are_not_counted_for_it() {
    let of = |fault: &str| run("r", fault, Some("a"), &["a"], 1);
    let runs = [of("cpu-hog"), of("disk-hog"), of("gremlins")];
    assert_eq!(Rate::of_causes(&runs), Rate { hits: 1, of: 2 });
    let cells = cells(&runs);
    let unknown = cells.iter().find(|c| c.fault == "gremlins").unwrap();
    assert_eq!((unknown.tp, unknown.cause), (Rate { hits: 1, of: 1 }, Rate::default()));
    let summary = Summary::of(&runs, 0);
    assert_eq!((summary.right, summary.right_cause, summary.cause_told), (3, 1, 2));
}

#[test]
fn miss_without_a_verdict_is_an_abstention() {
    let mut missed = run("r1", "CPUHog", Some("a"), &[], 1);
    missed.mark = Mark::Abstained;
    let summary = Summary::of(&[missed], 0);
    assert_eq!((summary.missed, summary.abstained, summary.right), (1, 1, 0));
}
