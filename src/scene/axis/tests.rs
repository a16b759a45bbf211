use super::*;
use crate::base::quantity::trimmed;

#[test]
fn ticks_are_round() {
    let axis = Axis::linear((0.0, 0.87), (0.0, 100.0));
    assert_eq!(axis.ticks(5).iter().map(|v| trimmed(*v, 2)).collect::<Vec<_>>(), ["0", "0.2", "0.4", "0.6", "0.8"]);
}

#[test]
fn durations_on_an_axis_are_round_and_two_at_least() {
    let told = |axis: Axis| axis.duration_ticks().into_iter().map(duration).collect::<Vec<_>>();
    let log = |from, to, width: f32| told(Axis::log((from, to), (0.0, width)));
    assert_eq!(log(0.3, 40.0, 700.0), ["500 ms", "1 s", "2 s", "5 s", "10 s", "30 s"]);
    assert_eq!(log(0.3, 40.0, 280.0), ["1 s", "10 s"]);
    assert_eq!(log(0.005, 25.0, 260.0), ["10 ms", "1 s"]);
    assert_eq!(log(8.0, 240.0, 500.0), ["10 s", "30 s", "60 s", "2 min"]);
    // Within two steps of the ladder: equal steps.
    assert_eq!(log(12.0, 28.0, 280.0), ["15 s", "20 s", "25 s"]);
    assert_eq!(log(61.0, 110.0, 280.0), ["70 s", "90 s", "1 min 50 s"]);
    assert_eq!(told(Axis::linear((0.0, 100.0), (0.0, 400.0))), ["0 µs", "30 s", "60 s", "90 s"]);
    for from in [0.003, 0.02, 0.7, 3.0, 59.0, 100.0, 601.0, 3599.0, 40_000.0, 300_000.0] {
        for ratio in [1.06, 1.5, 4.0, 70.0, 3000.0] {
            for width in [220.0, 900.0] {
                let axis = Axis::log((from, from * ratio), (0.0, width));
                let ticks = axis.duration_ticks();
                assert!(ticks.len() >= 2, "{from} s × {ratio} on {width} px: {ticks:?}");
                let px: Vec<f32> = ticks.iter().map(|s| axis.px(*s)).collect();
                let near = |two: &[f32]| two[1] - two[0] < 40.0;
                assert!(!px.windows(2).any(near), "{from} s × {ratio} on {width} px: {px:?}");
                let mut words = told(axis);
                words.dedup();
                assert_eq!(words.len(), ticks.len(), "{words:?}");
            }
        }
    }
}

#[test]
fn ratios_are_round() {
    let axis = Axis::log((0.4, 12.0), (0.0, 100.0));
    let ticks = |most| axis.ratio_ticks(most).iter().map(|v| trimmed(*v, 3)).collect::<Vec<_>>();
    assert_eq!(ticks(5), ["0.5", "1", "2", "5", "10"]);
    assert_eq!(ticks(4), ["1", "10"]);
}

#[test]
fn words_are_wrapped_and_long_ones_broken() {
    // Room for ten letters.
    let width = label_width_css_px("0123456789") + 0.1;
    assert_eq!(wrapped("one two three, four", width), ["one two", "three,", "four"]);
    assert_eq!(wrapped("a trace=open,read,write b", width), ["a", "trace=open", ",read,writ", "e b"]);
    assert_eq!(wrapped("5\u{202f}000\u{a0}MB of it", width), ["5\u{202f}000\u{a0}MB", "of it"], "numbers stay whole");
    assert_eq!(wrapped("it takes × 7.78", width), ["it takes", "× 7.78"], "signs stay with their numbers");
    assert_eq!(wrapped("it took 2 min 37 s, 152 MB)", width), ["it took", "2 min", "37 s,", "152 MB)"], "and units");
    assert_eq!(wrapped("for 12 s in all", width), ["for 12 s", "in all"]);
    assert!(wrapped("  ", width).is_empty());
    assert_eq!(wrapped("ab", 0.0), ["a", "b"]);
}

#[test]
fn sentences_are_cut_between_words_and_never_in_a_number() {
    let room = |characters: usize| characters as f32 * CHARACTER_WIDTH * FONT_CSS_PX + 0.1;
    let text = "shuffle: 1.5 MB in 8.74 s, after waiting 8.74 s";
    assert_eq!(ended(text, room(60)), text);
    assert_eq!(ended(text, room(44)), "shuffle: 1.5 MB in 8.74 s, after waiting…");
    assert_eq!(ended("2.94 s", 0.0).chars().last(), Some('…'));
    assert_eq!(fitted("after waiting 8.74 s, 12 times", room(20)).find("8…"), None, "a domain is a host's");
}

#[test]
fn degenerate_axes_have_finite_pixels() {
    for axis in [Axis::linear((3.0, 3.0), (0.0, 10.0)), Axis::log((0.0, 0.0), (0.0, 10.0))] {
        assert!(axis.px(3.0).is_finite());
        assert!(axis.ticks(5).len() <= 101);
        assert!(axis.duration_ticks().len() <= 101);
    }
}

#[test]
fn times_are_round_and_few() {
    let ticks = time_ticks(1_000, 301_000, 6);
    assert_eq!(ticks, [60_000, 120_000, 180_000, 240_000, 300_000]);
    assert!(time_ticks(0, i64::MAX / 4, 6).len() <= 7);
    assert_eq!(time_ticks(0, 10_000, 10).len(), 11, "both ends are round");
    assert_eq!(date_and_clock(1_795_227_884_210, TimeZone::Utc), "2026-11-21 02:24:44 UTC");
    assert_eq!(date_and_clock(1_795_227_884_210, TimeZone::Unknown), "2026-11-21 02:24:44 (zone unknown)");
}

#[test]
fn axes_over_several_days_tell_the_days() {
    let labels = |from_ms, to_ms, width: f32| -> Vec<String> {
        time_ticks_within(from_ms, to_ms, width).into_iter().map(|(_, label)| label).collect()
    };
    // From 2026-11-21 02:24:44.
    let from = 1_795_227_884_210;
    assert_eq!(labels(from, from + 300_000, 320.0), ["02:26:00", "02:28:00"]);
    assert_eq!(labels(from, from + DAY_MS, 320.0), ["06:00:00", "12:00:00", "18:00:00", "11-22"]);
    assert_eq!(labels(from, from + 3 * DAY_MS, 320.0), ["11-22", "11-23", "11-24"]);
    let years = labels(from, from + 400 * DAY_MS, 320.0);
    assert!(years.iter().all(|day| day.len() == 10) && years[0].starts_with("2026-"), "{years:?}");
    // A day that begins at midnight.
    assert_eq!(labels(DAY_MS, DAY_MS + 5000, 100.0), ["00:00:00", "00:00:05"]);
    assert_eq!(elapsed(95_045_000), "26:24:05");
}

#[test]
fn a_stretch_has_the_date_of_its_end_where_that_is_another() {
    let at = 1_795_227_884_210;
    assert_eq!(from_to(at, at + 30_000, TimeZone::Utc), "2026-11-21 02:24:44 to 02:25:14 UTC");
    assert_eq!(from_to(at, at + DAY_MS, TimeZone::Utc), "2026-11-21 02:24:44 to 2026-11-22 02:24:44 UTC");
}

#[test]
fn names_are_told_apart_when_they_are_cut() {
    let room = |characters: usize| characters as f32 * CHARACTER_WIDTH * FONT_CSS_PX + 0.1;
    assert_eq!(fitted("h101", room(4)), "h101");
    assert_eq!(fitted("node-17.example.org", room(10)), "node-17…");
    assert_eq!(fitted("hdp-prod-worker-017.dc1.example.org", room(11)), "hdp-p…r-017");
    assert_eq!(fitted("executor-12", room(8)), "exec…-12");
    assert_eq!(fitted("10.77.112.113", room(10)), "10.77….113");
    assert_eq!(fitted("04dn8iq.corp.example.com", room(10)), "04dn8iq…", "a digit makes no address");
    assert_eq!(fitted("100.77.112.113", room(5)), "10…13");
    assert_eq!(fitted("ab", 0.0), "…");
}
