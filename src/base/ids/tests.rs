use super::*;
use proptest::prelude::*;

#[test]
fn ids_print_as_they_were_read() {
    for text in [
        "attempt_202611202124_0001_m_000037_0",
        "attempt_1795226467746_12345_r_000004_1000",
        "attempt_local_0001_m_000000_0",
        "attempt_local1234_0001_r_000000_0",
    ] {
        let id = AttemptId::parse(text.as_bytes()).map(|id| id.to_string());
        assert_eq!(id.as_deref(), Some(text));
    }
    for text in ["container_1795226467746_0009_01_000028", "container_e17_1795226467746_0009_01_000028"] {
        let id = ContainerId::find(text.as_bytes()).map(|id| id.to_string());
        assert_eq!(id.as_deref(), Some(text));
    }
}

#[test]
fn pseudonyms_of_jobs_are_ids_of_their_own() {
    for text in ["job-01", "job-1373"] {
        assert_eq!(JobId::named(text.as_bytes()).map(|id| id.to_string()).as_deref(), Some(text));
    }
    let attempt = AttemptId::named(b"attempt-07_m_000001_0").unwrap();
    assert_eq!(
        (attempt.to_string().as_str(), attempt.job),
        ("attempt-07_m_000001_0", JobId::named(b"job-07").unwrap())
    );
    assert_ne!(JobId::named(b"job_0007"), Some(attempt.job));
    for text in ["job-", "job-7x", "job-07_1", "job_4611686018427387905_0001"] {
        assert_eq!(JobId::named(text.as_bytes()), None, "{text}");
    }
    assert_eq!((JobId::parse(b"job-07"), AttemptId::parse(b"attempt-07_m_000001_0")), (None, None), "no log has one");
    assert_eq!(AttemptId::parse_prefix(b"attempt-07_m_000001_0"), None, "no log has one");
}

#[test]
fn ids_of_before_018_are_read() {
    let attempt = |text: &[u8]| AttemptId::parse(text).map(|id| id.to_string());
    assert_eq!(attempt(b"task_0001_m_000003_0").as_deref(), Some("attempt_0001_m_000003_0"));
    assert_eq!(attempt(b"attempt_0001_m_000003_0").as_deref(), Some("attempt_0001_m_000003_0"));
    assert_eq!(attempt(b"task_200803051120_0007_r_000003_1").as_deref(), Some("attempt_200803051120_0007_r_000003_1"));
    assert_eq!(attempt(b"task_202611202124_0001_m_000037"), None);
    assert_eq!(JobId::parse(b"job_0007").map(|id| id.to_string()).as_deref(), Some("job_0007"));
    assert_eq!(JobId::parse(b"job_202611202124"), None);
}

#[test]
fn attempt_is_found_inside_a_client_id() {
    let id = AttemptId::find(b"DFSClient_attempt_1795226467746_0009_m_000000_0_-1756796757_1");
    assert_eq!(id.map(|id| id.to_string()).as_deref(), Some("attempt_1795226467746_0009_m_000000_0"));
    assert_eq!(AttemptId::find(b"DFSClient_NONMAPREDUCE_176600108_1"), None);
}

#[test]
fn block_drops_pool_and_stamp() {
    let id = |text: &[u8]| BlockId::parse_prefix(text).map(|(b, rest)| (b.0, rest.len()));
    assert_eq!(id(b"blk_-4693506771893277444_1763 src"), Some((-4_693_506_771_893_277_444, 4)));
    assert_eq!(id(b"BP-1-10.0.0.1-2:blk_1073741995_1171"), Some((1_073_741_995, 0)));
    assert_eq!(id(b"blk_38865049064139660"), Some((38_865_049_064_139_660, 0)));
    assert_eq!(id(b"blk_99999999999999999999"), None);
    assert_eq!(id(b"blk_-9223372036854775808"), Some((i64::MIN, 0)));
    assert_eq!((id(b"blk_9223372036854775808"), id(b"blk_-9223372036854775809")), (None, None));
}

#[test]
fn numbers_are_those_that_fit() {
    for text in ["7", "9999999999999999999", "18446744073709551615", "0000000000000000000000000012"] {
        assert_eq!(number(format!("{text}_x").as_bytes()), Some((text.parse().unwrap(), &b"_x"[..])), "{text}");
    }
    assert_eq!((number(b"18446744073709551616"), number(b"184467440737095516150")), (None, None));
    assert_eq!((number(b""), number(b"x1")), (None, None));
}

proptest! {
    #[test]
    fn usual_attempt_is_what_its_parts_are(
        cluster in "(local)?[0-9]{0,20}",
        job in "[0-9]{3,5}",
        letter in "[mrscx]",
        task in "[0-9]{5,7}",
        attempt in "[0-9]{1,2}",
        sign in "[_-]",
        behind in "[_ x0-9]{0,3}",
    ) {
        let text = format!("attempt_{cluster}_{job}_{letter}_{task}{sign}{attempt}{behind}");
        let by_parts = JobId::parse_digits(&text.as_bytes()["attempt_".len()..]).and_then(AttemptId::parse_behind);
        prop_assert_eq!(AttemptId::parse_prefix(text.as_bytes()), by_parts);
    }

    #[test]
    fn numbers_end_where_digits_do(digits in "[0-9]{1,19}", behind in "([^0-9].{0,9})?") {
        let text = format!("{digits}{behind}");
        prop_assert_eq!(number(text.as_bytes()), Some((digits.parse().unwrap(), behind.as_bytes())));
    }

    #[test]
    fn four_digits_are_those_alone(text in prop::array::uniform4(0x2a_u8..0x42)) {
        let expected = text.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + u64::from(b - b'0')));
        prop_assert_eq!(four_digits(u32::from_le_bytes(text)), expected);
    }

    #[test]
    fn eight_digits_are_those_alone(text in prop::array::uniform8(0x2a_u8..0x42)) {
        let expected = text.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + u64::from(b - b'0')));
        prop_assert_eq!(eight_digits(u64::from_le_bytes(text)), expected);
    }
}
