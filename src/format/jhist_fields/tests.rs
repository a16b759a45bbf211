use super::*;

fn of(text: &str) -> Fields<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn record_is_found_in_its_union_and_without() {
    for text in [
        r#"{"type":"T","event":{"org.x.TaskFinished":{"taskid":"t","finishTime":5}}}"#,
        r#"{"event":{"TaskFinished":{"finishTime":{"long":5},"taskid":{"string":"t"}}},"type":"T"}"#,
        r#"{"type":"T","event":{"taskid":"t","other":{"taskid":"no"},"finishTime":5}}"#,
        r#"{"type":"T","event":{"other":{"taskid":"no","status":"no"},"taskid":"t","finishTime":5}}"#,
        r#"{"type":"T","event":{"X":{"taskid":"no","taskid":"t","finishTime":9,"finishTime":5}}}"#,
    ] {
        let fields = of(text);
        assert_eq!((fields.kind.as_deref(), fields.is_event), (Some("T"), true), "{text}");
        assert_eq!((fields.text("taskid"), fields.number("finishTime")), (Some("t"), Some(5)), "{text}");
        assert_eq!(fields.text("status"), None, "{text}");
    }
}

#[test]
fn values_of_another_kind_are_absent() {
    let fields = of(r#"{"type":7,"event":{"X":{"taskid":5,"finishTime":"5","status":null,"error":{"a":"b"}}}}"#);
    assert_eq!((fields.kind.as_deref(), fields.is_event), (None, true));
    assert_eq!((fields.text("taskid"), fields.number("finishTime")), (None, None));
    assert_eq!((fields.text("status"), fields.text("error")), (None, None));
    assert!(!of(r#"{"type":"T","event":[1]}"#).is_event);
    assert!(of(r#"{"type":"record","fields":[]}"#).is_schema);
    // 2^63 is no time.
    assert_eq!(of(r#"{"event":{"X":{"finishTime":9223372036854775808}}}"#).number("finishTime"), None);
}

#[test]
fn counters_are_found_in_any_union() {
    let groups = r#"{"name":"MAP","groups":[{"name":"g","counts":[{"name":"SPILLED_RECORDS","displayName":"x","value":3},
            {"value":9,"name":"PHYSICAL_MEMORY_BYTES"},{"name":"GC_TIME_MILLIS","value":-1}]}]}"#;
    for counters in [groups.to_owned(), format!(r#"{{"JhCounters":{groups}}}"#)] {
        let text = format!(r#"{{"event":{{"X":{{"counters":{counters},"taskid":"t"}}}}}}"#);
        let fields = of(&text);
        let kept = fields.counters.unwrap();
        assert_eq!(
            (kept.spilled_records.get(), kept.gc_ms.get(), fields.memory),
            (Some(3), Some(-1), Some(9)),
            "{text}"
        );
    }
    assert_eq!(of(r#"{"event":{"X":{"counters":null}}}"#).counters, None);
    let empty = of(r#"{"event":{"X":{"counters":{"groups":[]}}}}"#);
    assert_eq!(empty.counters, Some(Counters::default()));
    // Those of a task are passed over, as far as they are JSON.
    let of_a = |kind: &str| format!(r#"{{"type":"{kind}","event":{{"X":{{"counters":{groups},"finishTime":5}}}}}}"#);
    let (task, attempt) = (of_a("TASK_FINISHED"), of_a("MAP_ATTEMPT_FINISHED"));
    assert_eq!((of(&task).counters, of(&task).number("finishTime")), (None, Some(5)));
    assert!(of(&attempt).counters.is_some());
    assert!(serde_json::from_str::<Fields<'_>>(&task.replace("[{", "[{,")).is_err());
}

#[test]
fn texts_with_escapes_are_read() {
    assert_eq!(of(r#"{"event":{"X":{"error":"a\nb\u00e9"}}}"#).text("error"), Some("a\nbé"));
}
