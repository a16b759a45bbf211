//! Calls in two halves, cut lines, limits.

use super::*;
use crate::format::Gathered;
use crate::format::tests::{read, rows};
use crate::model::FileDigest;

/// Line, name, arguments, result and duration of each call.
fn calls(text: &str) -> Vec<(u64, String, String, String, Option<u64>)> {
    let mut texts: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for row in rows(&EPOCH, text) {
        match row.event {
            Event::CallText(text) => texts.push(text.into()),
            Event::CallTextsForgotten => texts.clear(),
            Event::Call { name, args, ret, duration_us, .. } => {
                let [name, args, ret] = [name, args, ret].map(|n| texts[n as usize].clone());
                found.push((row.line, name, args, ret, duration_us));
            }
            _ => {}
        }
    }
    found
}

fn issues(text: &str) -> (u64, Vec<(Code, u64)>) {
    let digest = read(&EPOCH, "x", text.as_bytes());
    (digest.skipped, digest.issues.iter().map(|(code, count)| (code, count.count)).collect())
}

const BEGUN: &str = "7 1795233259.000001 accept(34,  <unfinished ...>\n";
const ENDED: &str = "7 1795233260.000001 <... accept resumed>{sa}, [28 => 16]) = 45 <1.000000>\n";

#[test]
fn resumed_call_joins_its_start() {
    let other = "8 1795233259.500000 stat(\"/x\", 0x7f) = 0 <0.000010>\n";
    let text = format!("{BEGUN}{other}{ENDED}");
    let call = |line, name: &str, args: &str, ret: &str, us| (line, name.into(), args.into(), ret.into(), Some(us));
    let stat = call(2, "stat", "\"/x\", 0x7f", "0", 10);
    assert_eq!(calls(&text), [stat, call(3, "accept", "34, {sa}, [28 => 16]", "45", 1_000_000)]);
    let row = rows(&EPOCH, &text).into_iter().next_back();
    assert!(
        matches!(row, Some(row) if row.at.millis() == 1_795_233_259_000 && matches!(row.event, Event::Call { micros: 1, .. }))
    );
    assert_eq!(issues(&text), (0, vec![]));
}

#[test]
fn halves_alone_are_counted() {
    assert_eq!((calls(ENDED), issues(ENDED)), (vec![], (1, vec![(Code::EndWithoutBegin, 1)])));
    assert_eq!((calls(BEGUN), issues(BEGUN)), (vec![], (0, vec![(Code::CallWithoutEnd, 1)])));
    // Another process ends it; then it is begun again.
    let foreign = ENDED.replacen('7', "8", 1);
    let text = format!("{BEGUN}{foreign}{BEGUN}");
    assert_eq!(
        (calls(&text), issues(&text)),
        (vec![], (1, vec![(Code::EndWithoutBegin, 1), (Code::CallWithoutEnd, 2)]))
    );
    // The process is gone; its number comes again.
    let text = format!("{BEGUN}7 1795233259.000002 +++ exited with 0 +++\n{ENDED}");
    assert_eq!(
        (calls(&text), issues(&text)),
        (vec![], (1, vec![(Code::EndWithoutBegin, 1), (Code::CallWithoutEnd, 1)]))
    );
}

#[test]
fn execve_of_a_thread_goes_on_as_its_process() {
    let text = "9 1795233259.000001 execve(\"/bin/ls\", [\"ls\"], 0x7f <unfinished ...>\n\
                7 1795233259.000002 +++ superseded by execve in pid 9 +++\n\
                7 1795233259.000003 <... execve resumed>) = 0 <0.000002>\n";
    assert_eq!(calls(text).len(), 1);
    assert_eq!(issues(text), (0, vec![]));
}

#[test]
fn line_cut_behind_its_result_is_seen_by_its_neighbours() {
    let whole = "7 1795233259.000001 read(3, \"\", 5) = 125 <0.000003>\n";
    let text = format!("{whole}7 1795233259.000001 read(3, \"\", 5) = 12\n");
    assert_eq!((calls(&text).len(), issues(&text)), (1, (1, vec![(Code::CutRecord, 1)])));
    let text = whole.replace(" <0.000003>", "");
    assert_eq!((calls(&text).len(), issues(&text)), (1, (0, vec![(Code::StraceWithoutDurations, 1)])));
}

#[test]
fn calls_beyond_the_limit_are_summed_up() {
    let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
    let mut out = Out::new(&mut digest, &mut gathered);
    let mut parse = Box::new(Calls::new(Kind::Epoch, 1));
    for (number, us) in (1..).zip([1, 2, 16]) {
        let line = format!("7 1795233259.000001 newfstatat(3) = -1 ENOENT (x) <0.0000{us:02}>");
        parse.line(Line { number, offset: 0, bytes: line.as_bytes(), cut: false, ended: true }, &mut out);
    }
    parse.end(&mut out);
    gathered.settle(&mut digest);
    assert_eq!((digest.understood, digest.issues.count(Code::CallsFolded)), (3, 2));
    let last = digest.events.iter().last().map(|row| (row.line, row.event));
    let mut buckets = vec![0; BUCKETS];
    (buckets[1], buckets[3]) = (1, 1);
    let counts = CallCounts { name: "stat".into(), calls: 2, errors: 2, total_us: 18, buckets };
    assert_eq!(last, Some((2, Event::CallsFolded(Box::new(counts)))));
}

/// Of calls that are kept it is told by their arguments, and those are not compared.
#[test]
fn look_ups_of_a_descriptor_are_summed_up_by_themselves() {
    let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
    let mut out = Out::new(&mut digest, &mut gathered);
    let mut parse = Box::new(Calls::new(Kind::Epoch, 0));
    for (number, args) in
        (1..).zip(["39, \"\", {st_mode=S_IFREG|0755, ...}, AT_EMPTY_PATH", "AT_FDCWD, \"/d\", {...}, 0"])
    {
        let line = format!("7 1795233259.000001 newfstatat({args}) = 0 <0.000001>");
        parse.line(Line { number, offset: 0, bytes: line.as_bytes(), cut: false, ended: true }, &mut out);
    }
    parse.end(&mut out);
    gathered.settle(&mut digest);
    let mut folded: Vec<(String, u64)> = (digest.events.iter())
        .filter_map(|row| match row.event {
            Event::CallsFolded(counts) => Some((counts.name.to_string(), counts.calls)),
            _ => None,
        })
        .collect();
    folded.sort();
    assert_eq!(folded, [(OF_DESCRIPTOR.to_owned(), 1), ("stat".to_owned(), 1)]);
}

#[test]
fn names_beyond_those_of_any_system_are_summed_up_together() {
    let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
    let mut out = Out::new(&mut digest, &mut gathered);
    let mut parse = Box::new(Calls::new(Kind::Epoch, 0));
    for number in 0..NAMES_FOLDED as u64 + 3 {
        let line = format!("7 1795233259.000001 made_up_{number}(3) = 0 <0.000001>");
        parse.line(Line { number, offset: 0, bytes: line.as_bytes(), cut: false, ended: true }, &mut out);
    }
    parse.end(&mut out);
    gathered.settle(&mut digest);
    let of_others = digest.events.iter().find_map(|row| match row.event {
        Event::CallsFolded(counts) if &*counts.name == OTHERS => Some(counts.calls),
        _ => None,
    });
    assert_eq!((digest.events.iter().count(), of_others), (NAMES_FOLDED + 1, Some(3)));
}

#[test]
fn full_table_of_texts_is_begun_anew() {
    let lines =
        |n: u32| (0..n).map(|i| format!("7 1795233259.000001 stat(\"/{i}\") = 0 <0.000001>\n")).collect::<String>();
    let many = TEXTS + 10;
    let found = calls(&lines(many));
    assert_eq!(found.len(), many as usize);
    assert!(found.iter().enumerate().all(|(i, call)| call.2 == format!("\"/{i}\"") && call.1 == "stat"));
    let forgotten = rows(&EPOCH, &lines(many)).iter().filter(|r| r.event == Event::CallTextsForgotten).count();
    assert_eq!(forgotten, 1);
}

#[test]
fn lines_out_of_order_at_midnight_keep_their_days() {
    let line = |time: &str| format!("7 {time} close(5) = 0 <0.000010>\n");
    let text = ["23:59:59.900000", "00:00:00.000100", "23:59:59.999000", "00:00:00.002000", "12:30:00.000000"]
        .map(line)
        .concat();
    let times: Vec<_> = rows(&TIME_OF_DAY, &text)
        .iter()
        .filter(|row| matches!(row.event, Event::Call { .. }))
        .map(|row| row.at.millis())
        .collect();
    let midnight = DAY_MS;
    assert_eq!(times, [midnight - 100, midnight, midnight - 1, midnight + 2, midnight + 45_000_000]);
}
