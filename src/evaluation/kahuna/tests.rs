use super::*;
use crate::evaluation::{Mark, Said, Truth};
use crate::report::Report;

pub(super) fn run(name: &str, workload: &str, fault: &str, hit: bool, length_s: i64) -> Scored {
    let truth = Truth {
        run: name.into(),
        workload: workload.into(),
        fault: fault.into(),
        node: (fault != "none").then(|| "a".to_owned()),
        begin_ms: Some(0),
        end_ms: Some(length_s * 1000),
        ..Truth::default()
    };
    let mut scored = Scored::new(&truth, &Report::default());
    scored.said = vec![Said { signal: BLACK_BOX.into(), hit, ..Said::default() }];
    scored.mark = if hit { Mark::Hit } else { Mark::Miss };
    scored
}

#[test]
fn run_is_compared_with_the_control_of_its_round() {
    let runs = [
        run("sort-none-9-0", "sort", "none", false, 100),
        run("sort-none-9-1", "sort", "none", false, 200),
        run("sort-x-9-1", "sort", "x", false, 300),
        run("pig-x-9-1", "pig", "x", false, 300),
        run("sort-x-9-7", "sort", "x", false, 300),
    ];
    let slower: Vec<Option<f64>> = runs.iter().map(|r| slowdown(r, &runs)).collect();
    assert_eq!(slower, [Some(0.0), Some(0.0), Some(0.5), None, Some(1.0)]);
}

/// Rounds of jobs of half the size have the numbers of those of the whole.
#[test]
fn control_has_the_same_name_but_for_the_fault() {
    let runs = [
        run("sort-none-25-0", "sort", "none", false, 100),
        run("sort-none-x0.5-25-0", "sort", "none", false, 50),
        run("sort-cpuhog-25-0", "sort", "CPUHog", false, 150),
        run("sort-cpuhog-x0.5-25-0", "sort", "CPUHog", false, 60),
        // Its control's length is not known: the median of the two that are.
        run("sort-none-25-1", "sort", "none", false, 0),
        run("sort-hang1036-25-1", "sort", "HANG-1036", false, 90),
    ];
    let slower: Vec<Option<f64>> = runs.iter().map(|r| Some((slowdown(r, &runs)? * 100.0).round())).collect();
    assert_eq!(slower, [Some(0.0), Some(0.0), Some(50.0), Some(20.0), None, Some(20.0)]);
}

#[test]
fn run_is_compared_with_the_controls_made_as_it_was() {
    let made = |name: &str, fault: &str, length_s: i64, parameters: serde_json::Value| {
        let told = serde_json::json!({"run": name, "workload": "sort", "fault": fault, "parameters": parameters});
        let Truth { parameters, .. } = serde_json::from_value(told).unwrap();
        Scored { parameters, ..run(name, "sort", fault, false, length_s) }
    };
    let runs = [
        made("a", "none", 80, serde_json::json!({"begin": null, "disk": 10})),
        made("b", "none", 100, serde_json::json!({"disk": 10, "strace": "trace"})),
        made("c", "none", 50, serde_json::json!({"disk": 10, "strace": "trace", "quota": 30})),
        made("d", "none", 60, serde_json::json!({"disk": 10, "strace": "trace", "quota": 30})),
        made("e", "x", 120, serde_json::json!({"begin": 15, "disk": 10, "procs": 3})),
        made("f", "x", 120, serde_json::json!({"disk": 10, "strace": "trace", "procs": 3})),
        made("g", "x", 110, serde_json::json!({"disk": 10, "strace": "trace", "quota": 30})),
        made("h", "x", 180, serde_json::json!("unknown")),
    ];
    let slower: Vec<Option<f64>> = runs.iter().map(|r| slowdown(r, &runs).map(|s| (s * 100.0).round())).collect();
    let of_faulty = [Some(50.0), Some(20.0), Some(100.0), Some(125.0)];
    assert_eq!(slower.get(4..), Some(&of_faulty[..]));
}
