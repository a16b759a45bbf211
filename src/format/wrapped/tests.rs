use super::*;
use crate::base::{Code, Timestamp};
use crate::format::FileReader;
use crate::model::{Event, FileDigest, FileKey, Row};
use crate::source::Limits;

/// Two records of a run's DataNode, and a trace.
const LOG: [&str; 4] = [
    "2026-11-21 02:15:48,209 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving BP-1788024524-10.77.3.10-1795226328902:blk_1073741995_1171 src: /10.77.3.15:50300 dest: /10.77.3.11:9866",
    "java.io.IOException: Premature EOF",
    "\tat org.apache.hadoop.hdfs.server.datanode.BlockReceiver.receivePacket(BlockReceiver.java:529)",
    "2026-11-21 02:15:49,511 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving BP-1788024524-10.77.3.10-1795226328902:blk_1073741996_1172 src: /10.77.3.15:50302 dest: /10.77.3.11:9866",
];

fn read(text: &str) -> FileDigest {
    let mut reader = FileReader::new("a/x.txt", &Limits::default());
    reader.feed(text.as_bytes());
    reader.finish().1
}

/// The rows that lines have, without what is told of clocks.
fn rows(digest: &FileDigest) -> impl Iterator<Item = Row> {
    digest.events.iter().filter(|row| !matches!(row.event, Event::EpochTold { .. }))
}

/// What is read of these lines, each wrapped: format, lines that fit, rows by line, hosts.
fn told(wrap: impl Fn(usize, &str) -> String) -> (String, u64, Vec<u64>, Vec<String>) {
    let text: String = LOG.iter().enumerate().map(|(at, line)| wrap(at, line) + "\n").collect();
    let digest = read(&text);
    let rows = rows(&digest).map(|row| row.line).collect();
    let hosts = digest.hosts.iter().map(|claim| claim.name.to_string()).collect();
    (digest.format.clone(), digest.understood, rows, hosts)
}

#[test]
fn lines_with_something_before_them_are_read() {
    let plain = told(|_, line| line.to_owned());
    assert_eq!(plain, ("datanode".to_owned(), 4, vec![1, 4], vec![]));
    let with = |host: &str| (plain.0.clone(), 4, vec![1, 4], vec![host.to_owned()]);
    for (before, after) in [
        ("Nov 21 02:15:48 h301 datanode[4242]: ", "Dec  1 00:00:01 h301 datanode[17]: "),
        ("Nov 21 02:15:48 h301 datanode: ", "Nov 21 02:15:49 h301 datanode: "),
        ("2026-11-21T02:15:48.209000+00:00 h301 dn[1]: ", "2026-11-21T02:15:49+00:00 h301 dn[1]: "),
        ("<14>1 2026-11-21T02:15:48.209Z h301 dn 4242 - - ", "<11>1 2026-11-21T02:15:49.5Z h301 dn 4243 - - "),
        ("[pod/h301/datanode] ", "[pod/h301/datanode] "),
        ("h301: ", "h301: "),
    ] {
        let wrap = |at: usize, line: &str| format!("{}{line}", if at < 2 { before } else { after });
        assert_eq!(told(wrap), with("h301"), "{before}");
    }
    for (before, after) in [
        ("datanode-1  | ", "datanode-1  | "),
        ("2026-11-21T02:15:48.209000123Z ", "2026-11-21T02:15:49.5Z "),
        ("2026-11-21T02:15:48.209000123Z stdout F ", "2026-11-21T02:15:49.511000123Z stdout P "),
        ("/var/log/h301/x.log:", "/var/log/h301/x.log:"),
        ("/var/log/h301/x.log:9:", "/var/log/h301/x.log:10:"),
        ("10.77.3.11: ", "10.77.3.11: "),
    ] {
        let wrap = |at: usize, line: &str| format!("{}{line}", if at < 2 { before } else { after });
        assert_eq!(told(wrap), plain, "{before}");
    }
    assert_eq!(told(|_, line| format!("\"{line}\",\"2026-11-21T02:15:48.000+0000\",h301,main")), plain, "CSV");
}

#[test]
fn lines_in_objects_are_read() {
    let quote = |line: &str| serde_json::to_string(line).unwrap();
    let plain = told(|_, line| line.to_owned());
    let docker = |_: usize, line: &str| {
        format!("{{\"log\":{},\"stream\":\"stdout\",\"time\":\"x\"}}", quote(&format!("{line}\n")))
    };
    assert_eq!(told(docker), plain);
    let with = |host: &str| (plain.0.clone(), 4, vec![1, 4], vec![host.to_owned()]);
    for (begin, end) in [
        ("{\"_HOSTNAME\":\"h301\",\"SYSLOG_IDENTIFIER\":\"datanode\",\"MESSAGE\":", "}"),
        ("{\"host\":{\"name\":\"h301\"},\"log\":{\"file\":{\"path\":\"/x.log\"}},\"message\":", ",\"agent\":{}}"),
        ("2026-11-21T02:15:47+00:00\thadoop.dn\t{\"message\":", ",\"hostname\":\"h301\"}"),
    ] {
        assert_eq!(told(|_, line| format!("{begin}{}{end}", quote(line))), with("h301"), "{begin}");
    }
    // Many lines in one object, and the rest of the file's.
    let whole = format!("{{\"message\":{}}}\n{{\"message\":{}}}\n", quote(&LOG[..3].join("\n")), quote(LOG[3]));
    let digest = read(&whole);
    assert_eq!((digest.understood, digest.lines), (2, 2));
    assert_eq!(digest.events.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2]);
}

/// A record's time, logger and message.
fn parts(record: &str) -> [&str; 3] {
    let (date, rest) = record.split_at("2026-11-21 02:15:48,209".len());
    let (logger, message) = rest.strip_prefix(" INFO ").unwrap().split_once(": ").unwrap();
    [date, logger, message]
}

#[test]
fn lines_in_pieces_are_read_from_objects() {
    let plain = read(&[LOG[0], LOG[3]].join("\n"));
    let seen = |digest: &FileDigest| {
        let rows: Vec<_> = rows(digest).map(|row| (row.line, row.at, format!("{:?}", row.event))).collect();
        (digest.format.clone(), digest.understood, digest.lines, rows)
    };
    let millis = |date: &str| if date.ends_with("48,209") { 1_795_227_348_209_i64 } else { 1_795_227_349_511 };
    let second = |date: &str| (millis(date) / 1000, millis(date) % 1000 * 1_000_000);
    let iso = |date: &str| date.replace(' ', "T").replace(',', ".") + "Z";
    type Layout<'a> = &'a dyn Fn([&str; 3]) -> serde_json::Value;
    let objects: [(&str, Layout<'_>); 6] = [
        ("Log4Json", &|[date, logger, message]| {
            serde_json::json!({
                "name": logger, "time": 1, "date": date, "level": "INFO", "thread": "main", "message": message,
                "exceptionclass": "java.io.IOException", "stack": ["a", "b"],
            })
        }),
        ("JsonLayout", &|[date, logger, message]| {
            let (second, nanos) = second(date);
            serde_json::json!({
                "instant": {"epochSecond": second, "nanoOfSecond": nanos}, "thread": "main", "level": "INFO",
                "loggerName": logger, "message": message, "endOfBatch": false,
            })
        }),
        (
            "JsonLayout until 2.10",
            &|[date, logger, message]| serde_json::json!({"timeMillis": millis(date), "level": "INFO", "loggerName": logger, "message": message}),
        ),
        ("json_event", &|[date, logger, message]| {
            serde_json::json!({
                "@timestamp": iso(date), "@version": 1, "level": "INFO", "thread_name": "main", "class": "x.Y",
                "logger_name": logger, "message": message, "stack_trace": "java.io.IOException: x\n\tat a.B",
            })
        }),
        ("ECS", &|[date, logger, message]| {
            serde_json::json!({
                "@timestamp": iso(date), "log.level": "INFO", "log.logger": logger, "message": message,
                "process.thread.name": "main", "error.stack_trace": "java.io.IOException: x",
            })
        }),
        ("ECS, with objects inside", &|[date, logger, message]| {
            serde_json::json!({
                "@timestamp": iso(date), "log": {"level": "info", "logger": logger}, "message": message,
                "process": {"thread": {"name": "main"}},
            })
        }),
    ];
    for (name, object) in objects {
        let text: String = [LOG[0], LOG[3]].map(|record| format!("{}\n", object(parts(record)))).concat();
        assert_eq!(seen(&read(&text)), seen(&plain), "{name}");
    }
    let [date, logger, message] = parts(LOG[0]);
    for lacks in [
        serde_json::json!({"level": "INFO", "name": logger, "message": message}),
        serde_json::json!({"date": date, "level": "INFO", "message": message}),
        serde_json::json!({"date": date, "level": "some", "name": logger, "message": message}),
        serde_json::json!({"date": date, "level": "INFO", "name": logger}),
        serde_json::json!({"timeMillis": i64::MAX, "level": "INFO", "name": logger, "message": message}),
        serde_json::json!({"instant": {"epochSecond": i64::MIN}, "level": "INFO", "name": logger, "message": message}),
    ] {
        assert!(Wrapping::of(format!("{lacks}\n").repeat(3).as_bytes()).is_none(), "{lacks}");
    }
}

/// Records and their traces as `XMLLayout` has them.
fn in_elements(records: &[(&str, &str)]) -> String {
    let element = |(record, trace): &(&str, &str)| {
        let [date, logger, message] = parts(record);
        let millis = if date.ends_with("48,209") { 1_795_227_348_209_i64 } else { 1_795_227_349_511 };
        let trace = match trace.is_empty() {
            true => String::new(),
            false => format!("<log4j:throwable><![CDATA[{trace}]]></log4j:throwable>\r\n"),
        };
        format!(
            "<log4j:event logger=\"{logger}\" timestamp=\"{millis}\" level=\"INFO\" thread=\"a &lt;b&gt;\">\r\n\
             <log4j:message><![CDATA[{message}]]></log4j:message>\r\n<log4j:NDC><![CDATA[x]]></log4j:NDC>\r\n\
             {trace}</log4j:event>\r\n\r\n"
        )
    };
    records.iter().map(element).collect()
}

#[test]
fn lines_in_xml_elements_are_read() {
    let text = in_elements(&[(LOG[0], &LOG[1..3].join("\n")), (LOG[3], "")]);
    let digest = read(&text);
    assert_eq!((digest.format.as_str(), digest.understood, digest.lines), ("datanode", 12, 12), "{text}");
    let rows: Vec<_> = rows(&digest).map(|row| (row.line, row.at.to_string())).collect();
    assert_eq!(rows, [(2, "2026-11-21 02:15:48,209".to_owned()), (9, "2026-11-21 02:15:49,511".to_owned())]);
}

#[test]
fn banner_in_an_element_is_no_log_of_its_own() {
    let banner = "2026-11-21 02:15:48,209 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: STARTUP_MSG: \n/****\nSTARTUP_MSG: Starting DataNode\nSTARTUP_MSG:   host = h301/10.77.3.11\n****/";
    let digest = read(&in_elements(&[(banner, ""), (LOG[3], "")]));
    assert_eq!((digest.format.as_str(), digest.understood, digest.lines), ("datanode", 14, 14));
    let hosts: Vec<_> = digest.hosts.iter().map(|claim| claim.name.to_string()).collect();
    assert!(hosts.contains(&"h301".to_owned()) && digest.events.iter().count() > 0, "{hosts:?}");
}

#[test]
fn end_of_a_section_in_a_message_is_told_from_its_own() {
    let mut events = events::Events::default();
    let mut take = |line: &str| {
        let mut text = Vec::new();
        events.take(line.as_bytes(), &mut text).then(|| String::from_utf8(text).unwrap())
    };
    assert_eq!(take("<log4j:event logger=\"a.B\" timestamp=\"0\" level=\"WARN\" thread=\"t\">"), None);
    let head = "1970-01-01 00:00:00,000Z WARN [t] a.B: ";
    assert_eq!(take("<log4j:message><![CDATA[x[]]>]]&gt;<![CDATA[y"), Some(format!("{head}x[]]>y")));
    assert_eq!(take(""), Some(String::new()), "an empty line of the message");
    assert_eq!(take("z]]></log4j:message>"), Some("z".to_owned()));
    assert_eq!(take("</log4j:event>"), None);
    assert_eq!(take("<log4j:event logger=\"a.B\" timestamp=\"x\" level=\"WARN\" thread=\"t\">"), None);
}

/// The row that tells of the zone, and what makes UTC of its time.
fn zone_told(text: &str) -> Option<(u64, i64)> {
    let of_row = |row: Row| match row.event {
        Event::EpochTold { epoch } => Some((row.line, epoch.millis_since(row.at))),
        _ => None,
    };
    read(text).events.iter().find_map(of_row)
}

#[test]
fn zone_of_the_lines_themselves_is_told() {
    let with = |zone: &str| zone_told(&format!("{}{zone}{}\n", &LOG[0][..23], &LOG[0][23..]));
    assert_eq!([with(""), with("Z"), with("-0500")], [None, Some((1, 0)), Some((1, 18_000_000))]);
    let [_, logger, message] = parts(LOG[0]);
    let object = serde_json::json!({"timeMillis": 1, "level": "INFO", "loggerName": logger, "message": message});
    assert_eq!(zone_told(&format!("{object}\n")), Some((1, 0)));
    assert_eq!(zone_told(&in_elements(&[(LOG[0], "")])), Some((1, 0)));
}

#[test]
fn times_at_which_lines_were_taken_tell_the_zone() {
    const FIVE_HOURS_MS: i64 = 5 * 3_600_000;
    type Taker = fn(&str, Timestamp) -> String;
    fn iso(at: Timestamp) -> String {
        at.to_string().replace(' ', "T").replace(',', ".")
    }
    let takers: [Taker; 4] = [
        |line, at| format!("{}Z stdout F {line}", iso(at)),
        |line, at| format!("dn-1  | {}+00:00 {line}", iso(at)),
        |line, at| serde_json::json!({"log": line, "stream": "stdout", "time": iso(at) + "Z"}).to_string(),
        |line, at| {
            serde_json::json!({"MESSAGE": line, "__REALTIME_TIMESTAMP": format!("{}000", at.millis())}).to_string()
        },
    ];
    for taker in takers {
        // The records' times, read as UTC.
        let told = |first_ms: i64, last_ms: i64| {
            let records = [(LOG[0], 1_795_227_348_209 + first_ms), (LOG[3], 1_795_227_349_511 + last_ms)];
            let text: String =
                records.iter().map(|(line, ms)| taker(line, Timestamp::from_millis(*ms)) + "\n").collect();
            zone_told(&text).map(|(line, ms)| (line, ms / 1_000 * 1_000))
        };
        let sample = taker("x", Timestamp::from_millis(0));
        assert_eq!(told(FIVE_HOURS_MS + 700, FIVE_HOURS_MS + 500), Some((2, FIVE_HOURS_MS)), "{sample}");
        assert_eq!(told(100, 500), Some((2, 0)), "{sample}");
        assert_eq!(told(FIVE_HOURS_MS + 60_000, FIVE_HOURS_MS), None, "a backlog: {sample}");
        assert_eq!(told(FIVE_HOURS_MS + 100_000, FIVE_HOURS_MS + 100_000), None, "no zone: {sample}");
        assert_eq!(told(4 * FIVE_HOURS_MS, 4 * FIVE_HOURS_MS), None, "no zone so far: {sample}");
    }
    let filebeat = serde_json::json!({"@timestamp": "2026-11-21T07:15:49.600Z", "message": LOG[0]});
    assert_eq!(zone_told(&format!("{filebeat}\n")), None, "when it was read");
}

/// The logs that are read of a text.
fn logs_of(text: &str) -> Vec<(FileKey, FileDigest)> {
    let mut reader = FileReader::new("a/x.txt", &Limits::default());
    reader.feed(text.as_bytes());
    let mut logs = Vec::new();
    reader.finish_each(&mut |key, digest| logs.push((key, digest)));
    logs
}

#[test]
fn lines_of_several_processes_are_logs_of_their_own() {
    let said = |host: &str, at: usize| format!("{host}: {}\n", LOG[at]);
    let text = [said("h301", 0), said("h302", 0), said("h302", 1), said("h301", 1), said("h301", 3), said("h302", 3)];
    let logs = logs_of(&text.concat());
    let rows = |log: &FileDigest| log.events.iter().map(|row| row.line).collect::<Vec<_>>();
    let hosts = |log: &FileDigest| log.hosts.iter().map(|claim| claim.name.to_string()).collect::<Vec<_>>().join(" ");
    let told: Vec<_> = logs.iter().map(|(_, log)| (log.understood, rows(log), hosts(log))).collect();
    assert_eq!(told, [(3, vec![1, 5], "h301".to_owned()), (3, vec![2, 6], "h302".to_owned())]);
    let [first, second] = [0, 1].map(|nth| logs[nth].0.clone());
    assert_eq!((first.path.as_str(), &first.path), ("a/x.txt", &second.path));
    assert_eq!(first.bytes + second.bytes, text.concat().len() as u64, "each has its part");
    assert_ne!(first, second);
    // By address, by the host that objects name, and by the tag of a journal.
    let address = ["10.77.3.11", "10.77.3.12"].map(|host| said(host, 0)).concat();
    assert_eq!(logs_of(&address).len(), 2);
    let object = |host: &str| format!("{{\"host\":\"{host}\",\"message\":\"{}\"}}\n", LOG[0]);
    assert_eq!(logs_of(&["h301", "h302", "h301"].map(object).concat()).len(), 2);
    let message = LOG[0];
    let by: [fn(&str) -> serde_json::Value; 5] = [
        |one| serde_json::json!({"_HOSTNAME": "h301", "SYSLOG_IDENTIFIER": "java", "_SYSTEMD_UNIT": one}),
        |one| serde_json::json!({"container_name": one}),
        |one| serde_json::json!({"container": {"name": one}}),
        |one| serde_json::json!({"kubernetes": {"pod_name": "h301", "container_name": one}}),
        |one| serde_json::json!({"kubernetes": {"pod": {"name": "h301"}, "container": {"name": one}}}),
    ];
    for of in by {
        let line = |one| {
            let mut object = of(one);
            object["message"] = message.into();
            format!("{object}\n")
        };
        assert_eq!(logs_of(&["dn", "nm", "dn"].map(line).concat()).len(), 2, "{}", of("dn"));
    }
    let tag = |tag: &str| format!("Nov 21 02:15:48 h301 {tag}: {}\n", LOG[0]);
    assert_eq!(logs_of(&["datanode[7]", "tasktracker[8]", "datanode[9]"].map(tag).concat()).len(), 2);
}

#[test]
fn logs_in_no_known_format_are_one_beside_the_others() {
    let other = |host: &str| format!("{host}: 2026-11-21 02:15:48,209 INFO a.b.Some: words\n");
    let text = [format!("h301: {}\n", LOG[0]), other("h302"), other("h303"), other("h302")].concat();
    let logs = logs_of(&text);
    assert_eq!(logs.iter().map(|(_, log)| log.format.as_str()).collect::<Vec<_>>(), ["datanode", ""]);
    let unread = &logs[1].1;
    assert_eq!((unread.lines, unread.skipped, unread.issues.count(Code::UnknownFormat)), (3, 3, 1));
    // What has no time goes with the record before it.
    let text = [format!("h301: {}\n", LOG[0]).repeat(2), format!("{}\n", LOG[1])].concat();
    let logs = logs_of(&text);
    assert_eq!((logs.len(), logs[0].1.understood, logs[0].1.lines), (1, 3, 3));
}

#[test]
fn more_processes_than_are_kept_apart_are_counted() {
    let said = |host: usize| format!("h{host}: {}\n", LOG[0]);
    let text: String = (0..SPEAKERS_MAX + 2).map(said).collect();
    let logs = logs_of(&text);
    assert_eq!((logs.len(), logs[0].1.issues.count(Code::MixedLog)), (SPEAKERS_MAX, 2));
}

#[test]
fn text_that_is_no_wrapped_log_stays_unread() {
    for text in ["", "x", "x\n", "{\"log\":\"x\"}\n", "a b c\nd e f\n", "{\n", "h301: 2026-11-21 02:15:48,209 INFO\n"] {
        assert!(Wrapping::of(text.as_bytes()).is_none(), "{text}");
    }
    let mostly_other = "some words\n".repeat(5) + "h301: " + LOG[0] + "\n";
    assert!(Wrapping::of(mostly_other.as_bytes()).is_none());
}

proptest::proptest! {
    #[test]
    fn any_lines_are_taken(lines in proptest::collection::vec("[ a:{}\"0-9\\[,]{0,12}", 0..9), before in "[ a:<0-9.\"\\[]{1,9}") {
        let text: String = lines.iter().map(|line| format!("{before}{line}\n")).collect();
        read(&format!("{before}{}\n{text}", LOG[0]));
    }
}
