//! The command from outside: exit codes, messages, and the same bytes for any number of
//! workers and any order.
#![cfg(feature = "cli")]
#![allow(clippy::disallowed_methods, reason = "starts the command on files of its own")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod command;
mod packing;

use command::{code, command, fed, folder, log, oddnode, stderr, stdout};
use packing::{gz, tar};
use std::fs;
use std::process::Stdio;

fn tar_gz(members: &[(&str, &[u8])]) -> Vec<u8> {
    gz(&tar(members))
}

fn noise() -> Vec<u8> {
    (0..100_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn bad_usage_is_code_2() {
    let folder = folder("usage");
    fs::write(folder.join("x"), log(0)).unwrap();
    // With what the refusal names.
    for (args, named) in [
        (&[][..], "Usage"),
        (&["diagnose"], "<PATH>"),
        (&["diagnose", "x", "--threshold", "2"], "--threshold"),
        (&["diagnose", "x", "--threshold", "-1"], "takes auto or a number from 0 to 1"),
        (&["diagnose", "x", "--window", "-1"], "not a number of seconds above 0"),
        (&["extract", "states"], "<PATH>"),
        (&["diagnose", "x", "--workers", "0"], "--workers"),
        (&["digest", "x", "--fetch", "cat"], "--fetch"),
        (&["digest", "x", "--below", "y"], "--below"),
        (&["matrix", "--state", "s", "-o", "m", "--page-only", "--runs", "0"], "--runs"),
        (&["matrix", "--state", "s", "-o", "m", "--page-only", "--nodes", "10,2"], "--nodes"),
        (&["matrix", "--state", "s", "-o", "m", "--page-only", "--size", "nan"], "--size"),
        (&["matrix", "--state", "s", "-o", "m", "--page-only"], "s: "),
        (&["extract", "trace-events", "x", "--format", "csv"], "--format"),
        (&["simulate", "-o", "y", "--fault", "CPU-Hog"], "--fault"),
        (&["diagnose", "x", "--set", "wb_alpha=0.1", "--set", "wb_alpha=0.2"], "wb_alpha cannot be set multiple times"),
        (&["diagnose", "x", "--workers", "-1"], "not a whole number of 1 or more"),
        (&["draw", "flows", "x", "--width", "-5"], "not a whole number from 200"),
        (&["simulate", "-o", "y", "--nodes", "-5"], "not a whole number from 3"),
        (&["simulate", "-o", "y", "--seed", "-5"], "not a whole number of 0 or more"),
        (&["simulate", "-o", "y", "--size", "-5"], "not a number from 0.1"),
        (&["simulate", "-o", "y", "--generation", "-1"], "neither 1 nor 3"),
        (&["matrix", "--state", "s", "-o", "m", "--nodes", "-5"], "not a whole number from 3"),
        (&["matrix", "--state", "s", "-o", "m", "--runs", "-5"], "not a whole number from 1"),
        (&["matrix", "--state", "s", "-o", "m", "--controls", "-5"], "not a whole number from 0"),
        (&["matrix", "--state", "s", "-o", "m", "--size", "-5"], "not a number from 0.1"),
    ] {
        let output = oddnode(&folder, args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(named), "{args:?}: {}", stderr(&output));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is written");
    assert_eq!(code(&oddnode(&folder, &["--help"])), 0);
}

#[test]
fn rows_of_an_unknown_zone_say_so() {
    let folder = folder("zone");
    fs::write(folder.join("t.log"), log(0)).unwrap();
    let told = |args: &[&str]| {
        let output = oddnode(&folder, &[&["extract", "states", "t.log"], args].concat());
        assert_eq!(code(&output), 0);
        stderr(&output).contains("notice: log times carry no zone") && stderr(&output).contains("--tz")
    };
    assert!(told(&[]));
    assert!(!told(&["--tz", "-05:00"]) && !told(&["--tz-offset", "-05:00"]));
    let help = String::from_utf8(oddnode(&folder, &["extract", "--help"]).stdout).unwrap();
    assert!(help.contains("--tz-offset"));
}

#[test]
fn input_without_any_log_is_code_2_and_named() {
    let folder = folder("unreadable");
    fs::create_dir(folder.join("hollow")).unwrap();
    let digest = {
        fs::write(folder.join("t.log"), log(1)).unwrap();
        oddnode(&folder, &["digest", "t.log"]).stdout
    };
    let bad_digest = digest.iter().enumerate().map(|(i, b)| if i == 30 { b ^ 1 } else { *b }).collect();
    let cases: &[(&str, Option<Vec<u8>>, &str)] = &[
        ("nosuch.tar.gz", None, "nosuch.tar.gz: cannot be read"),
        ("hollow", None, "hollow: folder holds no file"),
        ("noise.bin", Some(noise()), "noise.bin: is not in a format that oddnode reads (100000 bytes read)"),
        ("noise.tar.gz", Some(gz(&noise())), "noise.tar.gz: is not in a format that oddnode reads"),
        ("broken.tar.gz", Some([&[0x1f, 0x8b, 8, 0][..], &noise()].concat()), "broken.tar.gz: is damaged"),
        ("empty.tar.gz", Some(tar_gz(&[])), "empty.tar.gz: holds no file"),
        ("zeros.log", Some(vec![0; 4096]), "zeros.log: holds nothing but zeros"),
        (
            "deep.gz",
            Some((0..12).fold(log(1).into_bytes(), |bytes, _| gz(&bytes))),
            "outer archives and give the folder",
        ),
        ("empty.log", Some(Vec::new()), "empty.log: is empty (0 bytes read)"),
        (
            "packed.rar",
            Some(b"Rar!\x1a\x07 and so on".to_vec()),
            "packed.rar: is an archive of a kind that is not unpacked",
        ),
        ("cut.odd", Some(digest[..30].to_vec()), "cut.odd: is a damaged digest (30 bytes read)"),
        ("bad.odd", Some(bad_digest), "bad.odd: is a damaged digest at byte 16"),
    ];
    for (name, bytes, message) in cases {
        if let Some(bytes) = bytes {
            fs::write(folder.join(name), bytes).unwrap();
        }
        for command in [&["diagnose", name][..], &["extract", "jobs", name], &["digest", name]] {
            let output = oddnode(&folder, command);
            assert_eq!(code(&output), 2, "{command:?}");
            assert_eq!(stderr(&output).matches(message).count(), 1, "{command:?}: {}", stderr(&output));
            assert!(!stderr(&output).contains("native command"), "it is that: {}", stderr(&output));
            // A part of a whole tells what could not be read of it, and others have the logs.
            let is_part = command[0] == "digest" && bytes.is_some();
            assert_eq!(output.stdout.is_empty(), !is_part, "{command:?}");
        }
    }
}

#[test]
fn what_is_readable_of_a_cut_archive_is_used_and_the_rest_told() {
    let folder = folder("cut");
    let archive = tar_gz(&[("h1/tasktracker.log", log(1).as_bytes()), ("h2/noise", &noise())]);
    fs::write(folder.join("cut.tar.gz"), &archive[..archive.len() / 2]).unwrap();
    let output = oddnode(&folder, &["diagnose", "cut.tar.gz", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("cut.tar.gz: ends too early"), "{}", stderr(&output));
    assert!(stderr(&output).contains("cut.tar.gz/h2/noise: ends too early"), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cut = report["issues"].as_array().unwrap().iter().find(|row| row["code"] == "truncated").unwrap();
    let places: Vec<_> = cut["lines"].as_array().unwrap().iter().map(|at| at["file"].as_str().unwrap()).collect();
    assert_eq!((cut["count"].as_u64(), places), (Some(1), vec!["cut.tar.gz"]), "one cut is one loss");
}

#[test]
fn digest_is_the_same_bytes_for_any_workers_order_and_partition() {
    let folder = folder("workers");
    let dir = folder.join("logs");
    for node in ["h1", "h2", "h3"] {
        fs::create_dir_all(dir.join(node)).unwrap();
        for part in 0..4 {
            fs::write(dir.join(node).join(format!("tasktracker.log.{part}")), log(part)).unwrap();
        }
    }
    fs::write(folder.join("a.tar.gz"), tar_gz(&[("h4/t.log", log(9).as_bytes())])).unwrap();
    let whole = oddnode(&folder, &["digest", "logs", "a.tar.gz", "--workers", "1"]);
    assert_eq!(code(&whole), 0, "{}", stderr(&whole));
    for workers in ["2", "7", "100000"] {
        let output = oddnode(&folder, &["digest", "a.tar.gz", "logs", "--workers", workers]);
        assert_eq!(output.stdout, whole.stdout, "{workers} workers");
    }
    assert_eq!(code(&oddnode(&folder, &["digest", "logs", "-o", "1.odd"])), 0);
    assert_eq!(code(&oddnode(&folder, &["digest", "a.tar.gz", "-o", "2.odd"])), 0);
    assert_eq!(oddnode(&folder, &["merge", "2.odd", "1.odd"]).stdout, whole.stdout);
    assert_eq!(oddnode(&folder, &["digest", "2.odd", "logs"]).stdout, whole.stdout);
    let text =
        String::from_utf8_lossy(&oddnode(&folder, &["diagnose", "1.odd", "--format", "json"]).stdout).into_owned();
    assert_eq!(text, String::from_utf8_lossy(&oddnode(&folder, &["diagnose", "logs", "--format", "json"]).stdout));
}

#[test]
fn merge_takes_digests_only() {
    let folder = folder("merge");
    fs::write(folder.join("t.log"), log(1)).unwrap();
    let output = oddnode(&folder, &["merge", "t.log"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("t.log: not an oddnode digest"), "{}", stderr(&output));
}

#[test]
fn standard_input_is_an_input() {
    let folder = folder("stdin");
    let piped = fed(&folder, &["digest", "-"], &gz(log(1).as_bytes())).stdout;
    fs::write(folder.join("stdin"), log(1)).unwrap();
    assert_eq!(piped, oddnode(&folder, &["digest", "stdin"]).stdout);
    let twice = oddnode(&folder, &["diagnose", "-", "-"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("can be read once"));
}

#[test]
fn tables_say_the_same_as_rows_and_as_objects() {
    const JOB: &str = "www/samples/full-disk.tar.gz";
    let tables = [
        ("states", "kind,node,start_ms,end_ms,open,job,attempt,peer,bytes,outcome", JOB),
        (
            "tasks",
            "job,attempt,type,node,start_ms,shuffle_end_ms,sort_end_ms,finish_ms,outcome,hdfs_read,hdfs_written,file_read,file_written",
            JOB,
        ),
        ("jobs", "job,name,user,submit_ms,start_ms,finish_ms,status,maps,reduces", JOB),
        ("flows", "kind,src,dest,start_ms,end_ms,bytes,block,attempt", JOB),
        ("complaints", "kind,by,of,time_ms,job,attempt,block,took_ms,file,line", JOB),
        (
            "samples",
            "node,time_ms,user,system,iowait,ctxt,runq_sz,plist_sz,ldavg_1,eth_rxbyt,eth_txbyt,pgpgin,pgpgout,fault,bread,bwrtn",
            "tests/logs/sadf-d/12.6.1/epoch.log",
        ),
        ("calls", "node,pid,time_s,syscall,ret,duration_s,args", "tests/logs/strace-ttt"),
    ];
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::Bool(is_so) => u8::from(*is_so).to_string(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let number = |text: &str| text.parse().ok().map(f64::to_bits);
    for (what, header, input) in tables {
        let extract = |format| {
            let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            String::from_utf8(oddnode(repository, &["extract", what, input, "--format", format]).stdout).unwrap()
        };
        let (table, objects) = (extract("csv"), extract("jsonl"));
        assert!(table.starts_with(header), "{table}");
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        let names = rows.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty(), "{what}");
        assert_eq!(objects.lines().count(), rows.len(), "{what}");
        for (line, row) in objects.lines().zip(&rows) {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            for (name, said) in names.iter().zip(row) {
                let other = cell(&object[name]);
                let is_same = said == other || number(said).is_some_and(|bits| number(&other) == Some(bits));
                assert!(is_same, "{what}: {name} is {said} in a row and {other} in {line}");
            }
        }
    }
}

#[test]
fn reader_who_has_seen_enough_ends_it_quietly() {
    use std::io::Read;
    let folder = folder("head");
    // More than a pipe and the buffers before it hold.
    let maps: Vec<String> = (0..5000).map(log).collect();
    fs::write(folder.join("t.log"), maps.concat()).unwrap();
    for format in ["csv", "jsonl"] {
        let mut child = command(&folder, &["extract", "states", "t.log", "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output).contains("cannot be written")), (0, false), "{}", stderr(&output));
    }
}

#[test]
fn runs_without_archive_are_left_out_of_the_evaluation() {
    let folder = folder("evaluate");
    let output = oddnode(&folder, &["evaluate", "."]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("truth.json: cannot be read"), "{}", stderr(&output));
    fs::write(folder.join("truth.json"), "[{\"run\": 5}]").unwrap();
    let output = oddnode(&folder, &["evaluate", "."]);
    assert!(stderr(&output).contains("line 1 column"), "{}", stderr(&output));
    let truth = r#"[{"run":"r1","workload":"sort","fault":"none","node":null,"hadoop":"0.20"},
                    {"run":"r2","workload":"sort","fault":"CPUHog","node":"h1"}]"#;
    fs::write(folder.join("truth.json"), truth).unwrap();
    fs::write(folder.join("r1.tar.gz"), tar_gz(&[("h1/t.log", log(1).as_bytes())])).unwrap();
    let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["summary"]["runs"], 1);
    assert_eq!(result["summary"]["without_archive"], 1);
    assert_eq!(result["summary"]["clean_false"], 0);
    assert_eq!(result["runs"][0]["mark"], "quiet");
    assert_eq!(result["summary"]["avg5"], serde_json::Value::Null, "no faulty node among those read");
}

#[test]
fn figures_that_a_report_carries_are_drawn_from_it_as_from_the_logs() {
    let folder = folder("draw-carried");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    assert_eq!(code(&oddnode(&folder, &["diagnose", sample, "--format", "json", "-o", "report.json"])), 3);
    let of_tasks = ["cluster", "jobs-stream", "peers-stripes", "swimlanes-nodes", "flows-matrix", "flows-diagram"];
    for figure in ["verdict", "peers", "peers-distance"].into_iter().chain(of_tasks) {
        let [of_report, of_logs] = ["report.json", sample].map(|path| oddnode(&folder, &["draw", figure, path]));
        assert_eq!(code(&of_report), 0, "{}", stderr(&of_report));
        assert!(of_report.stdout == of_logs.stdout, "{figure}");
    }
    for (args, says) in [
        (vec!["system"], "does not carry the figure system"),
        (vec!["evaluation"], "does not carry the figure evaluation"),
        (vec!["verdict", "--node", "nosuch"], "no node nosuch"),
        (vec!["verdict", "--job", "job_199901010000_0001"], "no job_199901010000_0001"),
        (
            vec!["swimlanes", "--attempt", "attempt_199901010000_0001_m_000000_0"],
            "no attempt_199901010000_0001_m_000000_0",
        ),
        (vec!["swimlanes-detailed"], "does not carry the figure swimlanes-detailed"),
    ] {
        let refused = oddnode(&folder, &[&["draw"], &args[..1], &["report.json"], &args[1..]].concat());
        assert_eq!(code(&refused), 2, "{args:?}");
        assert!(stderr(&refused).contains(says), "{}", stderr(&refused));
    }
}

#[test]
fn labelled_runs_are_drawn_as_the_page_draws_them() {
    let folder = folder("draw-labelled");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let none = oddnode(&folder, &["draw", "evaluation", sample]);
    assert_eq!(code(&none), 2);
    assert!(stderr(&none).contains("no labelled run"), "{}", stderr(&none));
    let runs = folder.join("runs");
    fs::create_dir(&runs).unwrap();
    fs::copy(sample, runs.join("r1.tar.gz")).unwrap();
    let truth = r#"[{"run":"r1","workload":"sort","fault":"CPUHog","node":"h103"}]"#;
    fs::write(runs.join("truth.json"), truth).unwrap();
    for (figure, says) in [("evaluation", "1 of 1 faulty nodes named"), ("evaluation-runs", ">right<")] {
        let drawn = oddnode(&folder, &["draw", figure, "runs"]);
        assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
        assert!(!stderr(&drawn).contains("labels"), "they are what is drawn: {}", stderr(&drawn));
        let svg = String::from_utf8(drawn.stdout).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains(says), "{figure}: {svg}");
    }
    let strange = oddnode(&folder, &["draw", "evaluation", "runs", "--node", "h103"]);
    assert_eq!(code(&strange), 2);
    assert!(stderr(&strange).contains("no node, job or attempt"), "{}", stderr(&strange));
}

#[test]
fn labels_may_be_a_table() {
    let folder = folder("labels");
    for run in ["r1", "r2"] {
        fs::write(folder.join(format!("{run}.tar.gz")), tar_gz(&[("h1/t.log", log(1).as_bytes())])).unwrap();
    }
    fs::write(folder.join("labels.csv"), "run,fault,node\r\nr1,None,\r\n\"r2\", CPUHog ,h1\r\n").unwrap();
    let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = |at: usize, name: &str| result["runs"][at][name].as_str().map(str::to_owned);
    assert_eq!([0, 1].map(|at| told(at, "fault")), [Some("none".into()), Some("CPUHog".into())]);
    assert_eq!([0, 1].map(|at| told(at, "node")), [None, Some("h1".into())]);
    assert_eq!(result["summary"]["avg5"], 0.0);
    fs::write(folder.join("labels.csv"), "run,node\nr1,h1\n").unwrap();
    let output = oddnode(&folder, &["evaluate", "."]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("labels.csv: cannot be read") && stderr(&output).contains("fault"),
        "{}",
        stderr(&output)
    );
    // Where the column of the nodes is called otherwise, no label would name one.
    for (head, missing) in [("run,fault,Node", "node"), ("run,fault", "node"), ("Run,fault,node", "run")] {
        fs::write(folder.join("labels.csv"), format!("{head}\nr2,CPUHog,h1\n")).unwrap();
        let output = oddnode(&folder, &["evaluate", "."]);
        assert_eq!(code(&output), 2, "{head}");
        assert!(stderr(&output).contains(&format!("names no column {missing};")), "{}", stderr(&output));
    }
    // The fuller of the two counts.
    for truth in [
        r#"[{"run":"r1","workload":"w","fault":"none","node":null}]"#,
        r#"[{"run":"r1","fault":"none","node":null}]"#,
        r#" {"run":"r1","fault":"none","node":null}"#,
        r#"[{"run":"r1","workload":null,"fault":"none","node":null,"begin_ms":1.5,"start_ms":2,"params":{},"parameters":{}}]"#,
    ] {
        fs::write(folder.join("truth.json"), truth).unwrap();
        let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["runs"][0]["run"], "r1", "{truth}");
    }
}

#[test]
fn evaluation_of_no_run_is_bad_input() {
    let folder = folder("evaluate-none");
    let truth = r#"[{"run":"r1","workload":"sort","fault":"none","node":null},
                    {"run":"r2","workload":"sort","fault":"CPUHog","node":"h1"}]"#;
    fs::create_dir(folder.join("runs")).unwrap();
    fs::write(folder.join("runs/truth.json"), truth).unwrap();
    let output = oddnode(&folder, &["evaluate", "runs", "--format", "json"]);
    assert_eq!((code(&output), output.stdout.is_empty()), (2, true), "{}", stderr(&output));
    let says = "runs/truth.json: none of its 2 runs has an archive beside it";
    assert!(stderr(&output).contains(says), "{}", stderr(&output));
}

#[test]
fn labels_that_cannot_be_right_are_told() {
    let folder = folder("evaluate-labels");
    fs::write(folder.join("r1.tar.gz"), tar_gz(&[("h1/t.log", log(1).as_bytes())])).unwrap();
    fs::copy(folder.join("r1.tar.gz"), folder.join("r2.tar.gz")).unwrap();
    let truth = r#"[{"run":"r1","workload":"sort","fault":"none","node":null},
                    {"run":"r1","workload":"sort","fault":"CPUHog","node":"h1"},
                    {"run":"r2","workload":"sort","fault":"CPUHog","node":"h9"},
                    {"run":"r3","workload":"sort","fault":"None","node":""}]"#;
    fs::copy(folder.join("r1.tar.gz"), folder.join("r3.tar.gz")).unwrap();
    fs::write(folder.join("truth.json"), truth).unwrap();
    let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let faults = result["runs"].as_array().unwrap().iter().map(|run| run["fault"].as_str().unwrap());
    assert_eq!(faults.collect::<Vec<_>>(), ["none", "CPUHog", "none"]);
    assert_eq!(result["runs"][2]["mark"], "quiet");
    assert!(!said.contains("run r3"), "{said}");
    for told in ["run r1 is labelled twice", "run r2: its label names a node that is none of the 0 of its logs: h9"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let said = stderr(&oddnode(&folder, &["evaluate", ".", "--control", "./r1.tar.gz"]));
    assert!(said.contains("run r1 is a control run as well") && !said.contains("run r2 is a control"), "{said}");
    fs::write(folder.join("truth.json"), truth.replace("\"r2\"", "\"\"")).unwrap();
    let output = oddnode(&folder, &["evaluate", "."]);
    assert_eq!((code(&output), stderr(&output).contains("truth.json: cannot be read: a run has no name")), (2, true));
}

#[test]
fn archive_without_logs_is_no_healthy_run() {
    let folder = folder("evaluate-empty");
    let truth = r#"[{"run":"r1","workload":"sort","fault":"none","node":null}]"#;
    fs::write(folder.join("truth.json"), truth).unwrap();
    for bytes in [Vec::new(), noise()] {
        fs::write(folder.join("r1.tar.gz"), bytes).unwrap();
        let output = oddnode(&folder, &["evaluate", "."]);
        assert_eq!(code(&output), 2, "{}", String::from_utf8_lossy(&output.stdout));
        assert!(stderr(&output).contains("r1.tar.gz"), "{}", stderr(&output));
    }
}

#[test]
fn a_control_run_is_one_path_and_those_behind_it_are_inputs() {
    let folder = folder("controls");
    for seed in ["1", "2"] {
        let made = ["simulate", "--nodes", "4", "--size", "0.2", "--seed", seed, "-o", &format!("c{seed}.tar.gz")];
        assert_eq!(code(&oddnode(&folder, &made)), 0);
    }
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let controls = ["--control", "c1.tar.gz", "--control", "c2.tar.gz"];
    for args in [
        [&["diagnose"], &controls[..], &[sample]].concat(),
        [&["diagnose", sample], &controls[..]].concat(),
        [&["compare"], &controls[..], &[sample, sample]].concat(),
        [&["draw", "peers-time"], &controls[..], &[sample]].concat(),
        [&["evaluate"], &controls[..], &["."]].concat(),
    ] {
        let output = oddnode(&folder, &args);
        let expected = if ["diagnose", "compare"].contains(&args[0]) { 3 } else { 0 };
        assert_eq!(code(&output), expected, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("baseline: 2 control runs"), "{args:?}: {}", stderr(&output));
    }
}

/// To the letter metrics are compared by profiles of control runs alone (K23), and by none that were learned otherwise.
#[test]
fn profiles_of_another_reading_are_not_compared_with() {
    let folder = folder("readings");
    let made = ["simulate", "--nodes", "4", "--size", "0.2", "-o", "run.tar.gz"];
    assert_eq!(code(&oddnode(&folder, &made)), 0);
    for (reading, to) in [("usual", "usual"), ("literal", "literal")] {
        let trained = oddnode(&folder, &["train", "run.tar.gz", "--profiles", reading, "-o", to]);
        assert_eq!(code(&trained), 0, "{}", stderr(&trained));
    }
    // The signals by which metrics are compared, with why they say nothing, and whether another reading is told.
    let said = |args: &[&str]| {
        let output = oddnode(&folder, &[&["diagnose", "run.tar.gz", "--format", "json"], args].concat());
        assert!([0, 3].contains(&code(&output)), "{}", stderr(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let witnesses = report["witnesses"].as_array().unwrap().iter().filter(|w| w["method"] == "kahuna-bb");
        let witnesses = witnesses.filter(|w| w["signal"].as_str().unwrap().starts_with("profiles"));
        let said =
            witnesses.map(|w| (w["signal"].as_str().unwrap().to_owned(), w["abstained"].as_str().map(str::to_owned)));
        (said.collect::<Vec<_>>(), report["controls"]["other_profiles"] == true)
    };
    let (own, controls) = ("profiles of these logs".to_owned(), "profiles of control runs".to_owned());
    let abstains = Some("no-baseline".to_owned());
    assert_eq!(said(&[]), (vec![(own.clone(), None)], false));
    assert_eq!(said(&["--baseline", "usual"]), (vec![(own.clone(), None), (controls.clone(), None)], false));
    assert_eq!(said(&["--baseline", "literal"]), (vec![(own, None), (controls.clone(), abstains.clone())], true));
    let literal = |more: &[&str]| said(&[&["--profiles", "literal"], more].concat());
    assert_eq!(literal(&[]), (vec![(controls.clone(), abstains.clone())], false));
    assert_eq!(literal(&["--baseline", "usual"]), (vec![(controls.clone(), abstains)], true));
    assert_eq!(literal(&["--baseline", "literal"]), (vec![(controls, None)], false));
}

/// What one cluster teaches need not hold for another: it is said, and refused nowhere.
#[test]
fn control_runs_of_different_clusters_are_told() {
    let folder = folder("clusters");
    for (nodes, generation, name) in
        [("4", "1", "small.tar.gz"), ("8", "1", "alike.tar.gz"), ("5", "3", "other.tar.gz")]
    {
        let made = ["simulate", "--nodes", nodes, "--generation", generation, "--size", "0.2", "-o", name];
        assert_eq!(code(&oddnode(&folder, &made)), 0);
    }
    // Of the nodes of one cluster some may be idle.
    let doubt = "The control runs are of different clusters (some have no node in common; ";
    let told = |args: &[&str]| {
        let output = oddnode(&folder, args);
        assert!([0, 3].contains(&code(&output)), "{}", stderr(&output));
        (stderr(&output).contains(doubt), String::from_utf8(output.stdout).unwrap().contains(doubt))
    };
    assert_eq!(told(&["train", "small.tar.gz", "alike.tar.gz", "-o", "one"]), (false, false));
    assert_eq!(told(&["train", "small.tar.gz", "other.tar.gz", "-o", "two"]), (true, false));
    assert_eq!(told(&["diagnose", "alike.tar.gz", "--baseline", "one"]), (false, false));
    assert_eq!(told(&["diagnose", "alike.tar.gz", "--baseline", "two"]), (true, true));
    // The cluster of what extends it counts too.
    assert_eq!(told(&["train", "one", "other.tar.gz", "-o", "three"]), (true, false));
    assert_eq!(told(&["diagnose", "alike.tar.gz", "--baseline", "one", "--control", "other.tar.gz"]), (true, true));
}

#[test]
fn two_runs_are_drawn_one_above_the_other() {
    let folder = folder("against");
    for (seed, name) in [("1", "was.tar.gz"), ("2", "is.tar.gz")] {
        let made = ["simulate", "--nodes", "4", "--size", "0.2", "--seed", seed, "-o", name];
        assert_eq!(code(&oddnode(&folder, &made)), 0);
    }
    for figure in ["swimlanes", "swimlanes-nodes", "swimlanes-detailed", "flows-matrix"] {
        let drawn = oddnode(&folder, &["draw", figure, "is.tar.gz", "--against", "was.tar.gz"]);
        assert_eq!(code(&drawn), 0, "{figure}: {}", stderr(&drawn));
        let svg = String::from_utf8(drawn.stdout).unwrap();
        assert!(svg.contains("above: was.tar.gz"), "{figure}: {svg}");
        if figure == "flows-matrix" {
            assert_eq!(svg.matches("Strongest: in ").count(), 2, "{figure}");
        } else {
            assert!(svg.contains(">now</text>") && svg.contains("time since the first task of each run"), "{figure}");
        }
    }
    assert_eq!(code(&oddnode(&folder, &["diagnose", "was.tar.gz", "--format", "json", "-o", "r.json"])), 0);
    for (args, says) in [
        (["draw", "peers", "is.tar.gz", "--against", "was.tar.gz"], "--against is for swimlanes and flows-matrix"),
        (["draw", "swimlanes", "is.tar.gz", "--against", "r.json"], "a report does not hold what is drawn"),
        (["draw", "swimlanes", "r.json", "--against", "is.tar.gz"], "a report does not hold what is drawn"),
        (["draw", "swimlanes", "-", "--against", "-"], "standard input can be one of both runs"),
    ] {
        let refused = oddnode(&folder, &args);
        assert_eq!(code(&refused), 2, "{args:?}");
        assert!(stderr(&refused).contains(says), "{args:?}: {}", stderr(&refused));
    }
}

/// A history of a job's maps on so many hosts, whose clocks are ahead by so much.
fn history(number: u32, name: &str, maps: u32, ahead_ms: &[i64]) -> String {
    let job = format!("202611210200_{number:04}");
    let mut records = format!("Meta VERSION=\"1\" .\nJob JOBID=\"job_{job}\" JOBNAME=\"{name}\" .\n");
    for i in 0..maps {
        let host = i as usize % ahead_ms.len();
        let (latency, at) = (3 + i64::from(i * 7 % 37), 1_795_226_400_000 + 10_000 * i64::from(i));
        let [begin, end] = [at + latency, at + 8_000].map(|at| at + ahead_ms[host]);
        let task = format!("TASKID=\"task_{job}_m_{i:06}\"");
        let attempt = format!("TASK_TYPE=\"MAP\" {task} TASK_ATTEMPT_ID=\"attempt_{job}_m_{i:06}_0\"");
        let task = format!("{task} TASK_TYPE=\"MAP\"");
        records.push_str(&format!(
            "Task {task} START_TIME=\"{at}\" .\n\
             MapAttempt {attempt} START_TIME=\"{begin}\" TRACKER_NAME=\"tracker_h{host}:x\" .\n\
             MapAttempt {attempt} TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"{end}\" HOSTNAME=\"/rack/h{host}\" .\n\
             Task {task} TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"{}\" .\n",
            at + 8_000 + latency
        ));
    }
    records
}

/// The texts of a drawing, in one line.
fn texts(drawn: &std::process::Output) -> String {
    assert_eq!(code(drawn), 0, "{}", stderr(drawn));
    let svg = command::stdout(drawn);
    let texts = svg.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

#[test]
fn which_of_two_runs_holds_no_data_is_told() {
    let folder = folder("against-none");
    fs::write(folder.join("some"), history(1, "sort", 6, &[0; 3])).unwrap();
    fs::write(folder.join("none"), history(1, "sort", 0, &[0; 3])).unwrap();
    for figure in ["swimlanes", "swimlanes-nodes", "flows-matrix"] {
        for (now, before, says) in [
            ("some", "none", format!("the run of --against holds no data for the figure {figure}: none")),
            ("none", "some", format!("the run to be drawn below holds no data for the figure {figure}: none")),
            ("none", "none", format!("neither run holds data for the figure {figure}: none; none")),
        ] {
            let refused = oddnode(&folder, &["draw", figure, now, "--against", before]);
            assert_eq!((code(&refused), refused.stdout.len()), (2, 0), "{figure} {now} {before}");
            assert!(stderr(&refused).contains(&says), "{figure} {now} {before}: {}", stderr(&refused));
        }
    }
}

#[test]
fn a_chosen_job_is_drawn_above_by_its_id_or_name() {
    let folder = folder("against-job");
    for (run, jobs) in [("was", [(1, "sort", 6), (2, "grep", 9)]), ("is", [(2, "grep", 9), (3, "sort", 6)])] {
        fs::create_dir(folder.join(run)).unwrap();
        for (number, name, maps) in jobs {
            fs::write(folder.join(format!("{run}/{number}")), history(number, name, maps, &[0; 3])).unwrap();
        }
    }
    let draw =
        |figure: &str, job: &[&str]| oddnode(&folder, &[&["draw", figure, "is", "--against", "was"], job].concat());
    for figure in ["swimlanes", "swimlanes-nodes"] {
        let all = texts(&draw(figure, &[]));
        assert!(all.contains(" time: 30 in ") && all.contains("above: was") && !all.contains("above: was ("), "{all}");
        let same = texts(&draw(figure, &["--job", "job_202611210200_0002"]));
        assert!(same.contains(" time: 18 in ") && !same.contains("above: was ("), "{same}");
        let other = texts(&draw(figure, &["--job", "job_202611210200_0003"]));
        assert!(other.contains(" time: 12 in ") && other.contains("above: was (job_202611210200_0001)"), "{other}");
    }
    fs::write(folder.join("is/3"), history(3, "join", 6, &[0; 3])).unwrap();
    let refused = draw("swimlanes", &["--job", "job_202611210200_0003"]);
    let says = "holds no data for the figure swimlanes of job_202611210200_0003 or a job of its name: was";
    assert_eq!((code(&refused), stderr(&refused).contains(says)), (2, true), "{}", stderr(&refused));
}

#[test]
fn clocks_of_both_runs_are_taken_alike() {
    let folder = folder("against-clocks");
    fs::write(folder.join("h"), history(1, "sort", 30, &[-977_000, -500_000, 0])).unwrap();
    let span = |args: &[&str]| {
        let told = texts(&oddnode(&folder, &[&["draw", "swimlanes", "h"], args].concat()));
        let (_, rest) = told.split_once(" over time: ").unwrap();
        rest.split_once(" in ").unwrap().1.split_once(", by start").unwrap().0.to_owned()
    };
    let straight = span(&["--fix-clocks"]);
    assert_ne!(span(&[]), straight, "the case");
    assert_eq!(span(&["--fix-clocks", "--against", "h"]), straight);
}

#[test]
fn both_runs_are_looked_for_before_either_is_read() {
    let folder = folder("against-first");
    fs::write(folder.join("noise"), noise()).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let made = oddnode(&folder, &["diagnose", sample, "--format", "json", "-o", "r.json"]);
    assert_eq!(code(&made), 3, "{}", stderr(&made));
    for (before, says) in [("gone", "gone: cannot be read"), ("r.json", "a report does not hold what is drawn")] {
        let refused = oddnode(&folder, &["draw", "swimlanes", "noise", "--against", before]);
        assert_eq!(code(&refused), 2, "{before}");
        assert!(stderr(&refused).contains(says) && !stderr(&refused).contains("noise"), "{}", stderr(&refused));
    }
}

#[test]
fn a_folder_is_one_name_in_the_caption_of_two_runs() {
    let folder = folder("against-folder");
    fs::create_dir(folder.join("was")).unwrap();
    for number in 1..=5 {
        fs::write(folder.join(format!("was/{number}")), history(number, "sort", 3, &[0; 3])).unwrap();
    }
    let told = texts(&oddnode(&folder, &["draw", "swimlanes", "was/1", "--against", "was"]));
    assert!(told.ends_with("above: was") && !told.contains("was/"), "{told}");
}

/// As browsers show it, and as some programs write it.
#[test]
fn link_opens_as_it_stands_in_an_address() {
    let folder = folder("address");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let made = oddnode(&folder, &["diagnose", sample, "--format", "json", "-o", "report.json", "--link"]);
    assert_eq!(code(&made), 3, "{}", stderr(&made));
    let link = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    // A page's address stands before it.
    assert!(link.starts_with("#r=") && link.len() <= 1_900, "{}", link.len());
    let plain = oddnode(&folder, &["diagnose", &link]);
    assert_eq!(code(&plain), 3, "{}", stderr(&plain));
    for written in [format!("{link}&v=peers&node=node-01"), link.replacen("#r=", "https://x/#r%3D", 1)] {
        let opened = oddnode(&folder, &["diagnose", &written]);
        assert_eq!((code(&opened), opened.stdout == plain.stdout), (3, true), "{}", stderr(&opened));
    }
}

#[test]
fn of_a_refused_report_nothing_is_printed_or_passed_on() {
    let folder = folder("refused");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let report = oddnode(&folder, &["diagnose", "--format", "json", sample]);
    assert_eq!(code(&report), 3, "{}", stderr(&report));
    let forged = String::from_utf8(report.stdout).unwrap().replacen("\"indicted\"", "\"clean\"", 1);
    fs::write(folder.join("forged.json"), forged).unwrap();
    let formats = ["text", "json", "html", "markdown", "ticket"].map(|format| ["--format", format]);
    for asked in formats.iter().chain(&[["--link", "--real-names"]]) {
        let opened = oddnode(&folder, &[&["diagnose", "forged.json"], &asked[..]].concat());
        assert_eq!((code(&opened), String::from_utf8_lossy(&opened.stdout).as_ref()), (2, ""), "{asked:?}");
        assert!(stderr(&opened).contains("Refused"), "{}", stderr(&opened));
    }
    let drawn = oddnode(&folder, &["draw", "agreement", "forged.json"]);
    assert_eq!((code(&drawn), drawn.stdout.len()), (2, 0), "{}", stderr(&drawn));
    for both in [["forged.json", sample], [sample, "forged.json"]] {
        let compared = oddnode(&folder, &[&["compare"], &both[..]].concat());
        assert_eq!((code(&compared), compared.stdout.len()), (2, 0), "{both:?}: {}", stderr(&compared));
    }
}

#[cfg(unix)]
#[test]
fn digest_tells_what_was_lost_in_every_form() {
    let folder = folder("digest-lost");
    fs::create_dir_all(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/x.log"), log(1)).unwrap();
    fs::write(folder.join("list"), "cut.gz\n").unwrap();
    let packed = gz(log(2).repeat(50).as_bytes());
    fs::write(folder.join("cut.gz"), &packed[..packed.len() - 9]).unwrap();
    for args in [&["cut.gz"][..], &["cut.gz", "--lines"], &["cut.gz", "--keep-going"], &["--list", "list"]] {
        let output = oddnode(&folder, &[&["digest", "-o", "d"], args].concat());
        assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("cut.gz: ends too early"), "{args:?}: {}", stderr(&output));
    }
    std::os::unix::fs::symlink("nowhere", folder.join("logs/y.log")).unwrap();
    for (args, expected) in [(&["logs"][..], 2), (&["logs", "--lines"], 2), (&["logs", "--keep-going"], 0)] {
        let output = oddnode(&folder, &[&["digest", "-o", "d"], args].concat());
        assert_eq!(code(&output), expected, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("y.log"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn comparison_tells_by_its_code_whether_the_second_run_has_a_culprit() {
    let folder = folder("compared");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    fs::write(folder.join("t.log"), log(0)).unwrap();
    for (a, b, expected) in [("t.log", sample, 3), (sample, "t.log", 0)] {
        let compared = oddnode(&folder, &["compare", a, b]);
        assert_eq!(code(&compared), expected, "{}", stderr(&compared));
    }
}

#[test]
fn runs_are_compared_by_their_real_names_where_their_keys_are_given() {
    let folder = folder("compared-by-key");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    for (page, key) in [("a.html", "a.key"), ("b.html", "b.key")] {
        let made = oddnode(&folder, &["diagnose", sample, "--format", "html", "--key", key, "-o", page]);
        assert_eq!(code(&made), 3, "{}", stderr(&made));
    }
    let compared = |args: &[&str]| {
        let output = oddnode(&folder, &[&["compare", "--format", "json"], args].concat());
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        let difference: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (difference["notes"].as_array().unwrap().len(), difference["only_a"].as_array().unwrap().len())
    };
    assert!(compared(&["a.html", sample]).1 > 0);
    assert_eq!(compared(&["a.html", "b.html"]).0, 1);
    for args in [
        &["a.html", sample, "--key", "a.key"][..],
        &["a.html", "a.html", "--key", "a.key"],
        &["a.html", "b.html", "--key", "b.key", "--key", "a.key"],
    ] {
        assert_eq!(compared(args), (0, 0), "{args:?}");
    }
    let strange = oddnode(&folder, &["compare", "a.html", sample, "--key", "b.key"]);
    assert_eq!(code(&strange), 2);
    assert!(stderr(&strange).contains("b.key: neither run has pseudonyms of this key"), "{}", stderr(&strange));
}

#[test]
fn lines_are_quoted_whatever_their_file_is_called() {
    let folder = folder("odd-names");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let quoted = |path: &str| {
        let said = stdout(&oddnode(&folder, &["diagnose", path]));
        let quoted = said.lines().filter(|line| line.starts_with("        2")).map(str::to_owned);
        (quoted.collect::<Vec<_>>(), said)
    };
    let (expected, _) = quoted(sample);
    assert!(!expected.is_empty());
    for name in ["a\u{1}b.tar.gz", "a\u{202e}b.tar.gz"] {
        fs::copy(sample, folder.join(name)).unwrap();
        let (lines, said) = quoted(name);
        assert_eq!(lines, expected, "{said}");
        assert!(said.contains("a\u{FFFD}b.tar.gz/"), "{said}");
    }
}

/// A job's name may be meant for the terminal, or to look like a line of ours.
#[test]
fn comparison_gives_a_terminal_no_orders() {
    let folder = folder("orders");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let args = ["diagnose", "--format", "json", sample, "-o", "r.json"];
    assert_eq!(code(&oddnode(&folder, &args)), 3);
    let report = fs::read_to_string(folder.join("r.json")).unwrap();
    let odd = report.replace("\"sorter\"", "\"\\u001b[2J\\nNOW     all is well\"");
    assert_ne!(odd, report);
    fs::write(folder.join("odd.json"), odd).unwrap();
    let said = String::from_utf8(oddnode(&folder, &["compare", "odd.json", "r.json"]).stdout).unwrap();
    assert!(said.contains("all is well"), "{said}");
    assert!(!said.contains('\u{1b}') && said.lines().filter(|line| line.starts_with("NOW")).count() == 1, "{said}");
}

#[cfg(unix)]
#[test]
fn keys_are_for_their_owner_alone_and_read_to_their_limit() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("keys");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let output = oddnode(&folder, &["diagnose", sample, "--link", "--key", "key.json"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let mode = fs::metadata(folder.join("key.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let endless = oddnode(&folder, &["diagnose", sample, "--link", "--key", "/dev/zero"]);
    assert_eq!(code(&endless), 2, "{}", stderr(&endless));
}

#[test]
fn options_that_change_nothing_are_told() {
    let folder = folder("unused");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let kept = oddnode(&folder, &["diagnose", "--format", "json", sample, "--key", "key.json", "-o", "r.json"]);
    assert!(stderr(&kept).contains("no key is kept") && !folder.join("key.json").exists(), "{}", stderr(&kept));
    let said = |args: &[&str]| stderr(&oddnode(&folder, args)).contains("a saved report cannot be diagnosed again");
    assert!(!said(&["diagnose", "r.json"]) && !said(&["compare", "r.json", "r.json"]));
    assert!(!said(&["diagnose", "--threshold", "0.5", sample]));
    for switch in [&["--threshold", "0.5"], &["--set", "wb_alpha=0.5"], &["--tz", "+1"], &["--baseline", "nothing"]] {
        assert!(said(&[&["diagnose", "r.json"], &switch[..]].concat()), "{switch:?}");
    }
    assert!(said(&["compare", "r.json", "r.json", "--window", "9"]));
    let named = |args: &[&str]| {
        let output = oddnode(&folder, &[&["diagnose", "r.json", "--real-names"], args].concat());
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        stderr(&output).contains("--real-names does nothing")
    };
    assert!(named(&[]) && named(&["--format", "json"]) && named(&["--format", "ticket"]));
    assert!(!named(&["--format", "html"]) && !named(&["--link"]));
}

#[test]
fn what_comes_from_outside_gives_a_terminal_no_orders() {
    let folder = folder("terminal");
    let history = "Meta VERSION=\"1\" .\n\
        Job JOBID=\"job_202611210224_0001\" JOBNAME=\"\x1b[31mred\u{202e}\" USER=\"u\" SUBMIT_TIME=\"1795228000000\" .\n\
        Job JOBID=\"job_202611210224_0001\" FINISH_TIME=\"1795228001000\" JOB_STATUS=\"SUCCESS\" .\n";
    fs::write(folder.join("h_1_job_202611210224_0001_u"), history).unwrap();
    fs::write(folder.join("x.log"), log(1)).unwrap();
    let output = oddnode(&folder, &["diagnose", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\u{FFFD}[31mred\u{FFFD}"), "{text}");
    assert!(!text.contains(['\x1b', '\u{202e}']), "{text}");
}

#[cfg(unix)]
#[test]
fn what_a_folder_has_and_cannot_be_read_is_named_and_the_rest_used() {
    let folder = folder("unreadable-in-folder");
    fs::create_dir_all(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/x.log"), log(1)).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("logs/y.log")).unwrap();
    let _ = fs::remove_file(folder.join("logs/z.sock"));
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("logs/z.sock")).unwrap();
    let output = oddnode(&folder, &["diagnose", "--format", "json", "logs"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("y.log: cannot be read"), "{}", stderr(&output));
    assert!(stderr(&output).contains("z.sock: cannot be read: it is neither"), "{}", stderr(&output));
    for name in ["y.log", "z.sock"] {
        assert_eq!(stderr(&output).matches(name).count(), 1, "{}", stderr(&output));
    }
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let issues = report["issues"].as_array().unwrap();
    assert!(issues.iter().any(|issue| issue["code"] == "unreadable"), "{issues:?}");
    let by_many = oddnode(&folder, &["diagnose", "--format", "json", "--workers", "8", "logs"]);
    assert_eq!((code(&by_many), by_many.stdout == output.stdout), (0, true), "{}", stderr(&by_many));
}

#[test]
fn keeping_going_passes_what_is_not_there() {
    let folder = folder("keep-going");
    fs::write(folder.join("x.log"), log(1)).unwrap();
    fs::write(folder.join("noise"), noise()).unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    assert_eq!(code(&oddnode(&folder, &["digest", "none", "x.log", "-o", "d"])), 2);
    let output = oddnode(&folder, &["digest", "--keep-going", "none", "x.log", "-o", "d"]);
    assert_eq!((code(&output), stderr(&output).contains("none: cannot be read")), (0, true), "{}", stderr(&output));
    assert_eq!(code(&oddnode(&folder, &["merge", "none", "noise", "empty", "d", "-o", "m"])), 2);
    let output = oddnode(&folder, &["merge", "--keep-going", "none", "noise", "empty", "d", "-o", "m"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for told in ["none: cannot be read", "noise: ", "empty: is empty"] {
        assert!(stderr(&output).contains(told), "{told}: {}", stderr(&output));
    }
    let rows = oddnode(&folder, &["extract", "states", "m"]);
    assert!(String::from_utf8(rows.stdout).unwrap().contains("attempt_202611210224_0001_m_000001_0"));
}

#[test]
fn baseline_errors_are_bad_input() {
    let folder = folder("baseline");
    fs::write(folder.join("x.log"), log(1)).unwrap();
    let output = oddnode(&folder, &["train", "x.log"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("nothing can be learned"), "{}", stderr(&output));
    // Who diagnoses does so without what they cannot teach.
    let alone = oddnode(&folder, &["diagnose", "x.log"]);
    let output = oddnode(&folder, &["diagnose", "x.log", "--control", "x.log"]);
    assert_eq!((code(&output), &output.stdout), (code(&alone), &alone.stdout));
    assert!(stderr(&output).contains("no job to compare others with; diagnosed without them"), "{}", stderr(&output));
    fs::write(folder.join("noise"), noise()).unwrap();
    assert_eq!(code(&oddnode(&folder, &["diagnose", "x.log", "--control", "noise"])), 2);
    let output = oddnode(&folder, &["diagnose", "x.log", "--baseline", "x.log"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("not a baseline"), "{}", stderr(&output));
}

#[test]
fn figures_are_drawn_as_the_ending_says() {
    let folder = folder("figures");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let drawn = oddnode(&folder, &["draw", "peers-time", sample]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    let svg = String::from_utf8(drawn.stdout).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains(">h103</text>"), "{svg}");
    assert_eq!(code(&oddnode(&folder, &["draw", "peers-time", sample, "-o", "peers.png"])), 0);
    assert!(std::fs::read(folder.join("peers.png")).unwrap().starts_with(b"\x89PNG"));
    for (args, says) in [
        (["draw", "syscalls", sample, "-o", "x.svg"], "no data for the figure syscalls"),
        (["draw", "peers", sample, "-o", "x.jpg"], ".svg or .png"),
        (["draw", "pears", sample, "-o", "x.svg"], "peers-time"),
        (["draw", "peers", sample, "--kind", "ReadBlock"], "cannot be compared by ReadBlock"),
    ] {
        let refused = oddnode(&folder, &args);
        assert_eq!(code(&refused), 2);
        assert!(stderr(&refused).contains(says), "{}", stderr(&refused));
    }
}

#[test]
fn section_of_the_page_is_drawn_by_its_first_figure_with_data() {
    let folder = folder("sections");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    for (section, figure) in [("jobs", "jobs-stream"), ("flows", "flows-paths"), ("coverage", "coverage-map")] {
        let [by_section, by_figure] = [section, figure].map(|name| oddnode(&folder, &["draw", name, sample]));
        assert_eq!(code(&by_section), 0, "{}", stderr(&by_section));
        assert_eq!(by_section.stdout, by_figure.stdout, "{section}");
    }
    let log = "2026-11-20 21:24:44,119 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n";
    fs::write(folder.join("x.log"), log).unwrap();
    let empty = oddnode(&folder, &["draw", "flows", "x.log"]);
    assert_eq!(code(&empty), 2);
    assert!(stderr(&empty).contains("the figure flows-paths or flows-path or"), "{}", stderr(&empty));
}

#[test]
fn figure_that_only_tells_what_it_lacks_is_not_drawn() {
    let folder = folder("empty-figures");
    let log = "2026-11-20 21:24:44,119 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n";
    fs::write(folder.join("x.log"), log).unwrap();
    for figure in ["system", "cluster", "jobs", "peers-transfers"] {
        let empty = oddnode(&folder, &["draw", figure, "x.log", "-o", "x.svg"]);
        assert_eq!((code(&empty), folder.join("x.svg").exists()), (2, false), "{figure}");
        assert!(stderr(&empty).contains("no data for the figure"), "{}", stderr(&empty));
    }
}

#[test]
fn what_a_figure_needs_is_told() {
    let folder = folder("needs");
    let made = oddnode(&folder, &["simulate", "--nodes", "4", "--size", "0.1", "--strace", "-o", "r.tar.gz"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    for figure in ["syscalls-pairs", "syscalls-time"] {
        let output = oddnode(&folder, &["draw", figure, "r.tar.gz", "-o", "x.svg"]);
        assert_eq!(code(&output), 2, "{figure}");
        for option in ["--control", "--baseline", "--syscalls-peer-only"] {
            assert!(stderr(&output).contains(option), "{option}: {}", stderr(&output));
        }
    }
    let healthy = oddnode(&folder, &["draw", "syscalls-pairs", "r.tar.gz", "--control", "r.tar.gz", "-o", "x.svg"]);
    assert_eq!(code(&healthy), 2);
    assert!(stderr(&healthy).contains("(No call took far longer than it should)"), "{}", stderr(&healthy));
}

#[test]
fn figures_of_what_is_not_there_are_refused() {
    let folder = folder("strange-figures");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    for (switch, value) in [
        ("--node", "nosuch"),
        ("--job", "job_199901010000_0001"),
        ("--attempt", "attempt_199901010000_0001_m_000000_0"),
    ] {
        let output = oddnode(&folder, &["draw", "flows-path", sample, switch, value]);
        assert_eq!(code(&output), 2, "{switch}");
        assert!(stderr(&output).contains(value), "{}", stderr(&output));
    }
}

/// Lines of two mappers as a reducer gets them: sorted, one of them twice.
#[test]
fn digests_pass_as_lines_in_any_order_and_more_than_once() {
    let folder = folder("lines");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    std::fs::write(folder.join("other.log"), log(7)).unwrap();
    std::fs::write(folder.join("list"), format!("0\t{sample}\n17\tother.log\n\n")).unwrap();
    assert_eq!(code(&oddnode(&folder, &["digest", sample, "other.log", "-o", "whole.digest"])), 0);

    let lines = oddnode(&folder, &["digest", "--list", "list", "--fetch", "cat", "--lines"]);
    assert_eq!(code(&lines), 0, "{}", stderr(&lines));
    let text = String::from_utf8(lines.stdout).unwrap();
    let mut sorted: Vec<&str> = text.lines().collect();
    assert!(sorted.len() > 3 && sorted.iter().all(|line| line.split('\t').count() == 2));
    sorted.sort_unstable();
    sorted.insert(1, sorted[0]);
    let (even, odd): (Vec<_>, Vec<_>) = sorted.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    for (name, part) in [("part-0", even), ("part-1", odd)] {
        let part: Vec<&str> = part.into_iter().map(|(_, line)| *line).collect();
        std::fs::write(folder.join(format!("map-{name}")), part.join("\n")).unwrap();
        let reduced = oddnode(&folder, &["merge", "--lines", &format!("map-{name}"), "-o", name]);
        assert_eq!(code(&reduced), 0, "{}", stderr(&reduced));
    }
    std::fs::write(folder.join("part-2"), "").unwrap();
    let merged = oddnode(&folder, &["merge", "part-1", "part-2", "part-0", "-o", "merged.digest"]);
    assert_eq!(code(&merged), 0, "{}", stderr(&merged));
    assert_eq!(
        std::fs::read(folder.join("merged.digest")).unwrap(),
        std::fs::read(folder.join("whole.digest")).unwrap()
    );

    let report = |paths: &[&str]| oddnode(&folder, &[&["diagnose", "--format", "json"], paths].concat());
    let (by_lines, by_logs) = (report(&["part-0", "part-1"]), report(&[sample, "other.log"]));
    assert_eq!((code(&by_lines), code(&by_logs)), (3, 3));
    assert_eq!(by_lines.stdout, by_logs.stdout);
}

#[test]
fn what_cannot_be_fetched_or_is_cut_is_named_and_the_rest_used() {
    let folder = folder("keep-going-list");
    std::fs::write(folder.join("a.log"), log(1)).unwrap();
    std::fs::write(folder.join("list"), "a.log\nmissing.log\n").unwrap();
    let strict = oddnode(&folder, &["digest", "--list", "list", "-o", "strict.digest"]);
    assert_eq!(code(&strict), 2);
    assert!(stderr(&strict).contains("missing.log"), "{}", stderr(&strict));
    let kept = oddnode(&folder, &["digest", "--list", "list", "--keep-going", "-o", "kept.digest"]);
    assert_eq!(code(&kept), 0, "{}", stderr(&kept));
    assert!(stderr(&kept).contains("missing.log"), "{}", stderr(&kept));
    let report = oddnode(&folder, &["diagnose", "--format", "json", "kept.digest"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let files: Vec<&str> = report["coverage"].as_array().unwrap().iter().filter_map(|c| c["file"].as_str()).collect();
    assert_eq!(files, ["a.log", "missing.log"]);

    let whole = std::fs::read(folder.join("kept.digest")).unwrap();
    std::fs::write(folder.join("cut.digest"), &whole[..whole.len() - 3]).unwrap();
    let merged = oddnode(&folder, &["merge", "cut.digest", "-o", "rest.digest"]);
    assert_eq!(code(&merged), 2);
    assert!(stderr(&merged).contains("cut.digest: digest is cut"), "{}", stderr(&merged));
    let report = oddnode(&folder, &["diagnose", "--format", "json", "rest.digest"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let files: Vec<&str> = report["coverage"].as_array().unwrap().iter().filter_map(|c| c["file"].as_str()).collect();
    assert_eq!(files, ["a.log", "cut.digest", "missing.log"], "the frame is whole, its end is cut");
}

/// So strict a threshold makes the verdict longer than the shortest link has room for.
#[test]
fn what_was_set_stays_in_a_link_that_leaves_much_out() {
    let folder = folder("set-in-link");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let set = ["--threshold", "0.3", "--set", "wb_bins=4", "--theia-literal"];
    let said = oddnode(&folder, &[&["diagnose", "--link", sample][..], &set].concat());
    let said = String::from_utf8(said.stdout).unwrap();
    let link = said.split_whitespace().find(|word| word.starts_with("#r=")).unwrap();
    let opened = oddnode(&folder, &["diagnose", "--format", "json", link]);
    let report: serde_json::Value = serde_json::from_slice(&opened.stdout).unwrap();
    assert!(report["left_out"].as_array().unwrap().iter().any(|part| part == "evidence lines"));
    let kept = serde_json::json!({"threshold": 0.3, "wb_bins": 4, "theia_literal": true});
    assert_eq!(report["parameters"], kept);
}

#[test]
fn numbers_of_the_methods_are_set_by_name_and_told_in_the_report() {
    let folder = folder("numbers");
    let logs = "made.tar.gz";
    let made = ["simulate", "--nodes", "6", "--workload", "sort", "--fault", "none", "--seed", "1", "-o", logs];
    assert_eq!(code(&oddnode(&folder, &made)), 0);
    let told = |more: &[&str]| -> serde_json::Value {
        let output = oddnode(&folder, &[&["diagnose", logs, "--format", "json"], more].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    };
    let threshold = |report: &serde_json::Value| {
        let witnesses = report["witnesses"].as_array().unwrap();
        witnesses.iter().find(|w| w["signal"] == "Map").unwrap()["threshold"].as_f64().unwrap()
    };
    let (usual, strict) = (told(&[]), told(&["--set", "wb_floor=0.99", "--set", "wb_bins=4"]));
    assert_eq!((&usual["parameters"]["wb_floor"], &usual["parameters"]["wb_bins"]), (&0.5.into(), &5.into()));
    assert_eq!((&strict["parameters"]["wb_floor"], &strict["parameters"]["wb_bins"]), (&0.99.into(), &4.into()));
    assert!(threshold(&usual) < 0.99 && threshold(&strict) >= 0.99, "{} {}", threshold(&usual), threshold(&strict));
    for (bad, why) in [
        ("wb_bins=2.5", "wb_bins is a whole number from 2 to 100"),
        ("bins=4", "unknown parameter bins"),
        ("wb_bins", "not NAME=X"),
    ] {
        let output = oddnode(&folder, &["diagnose", logs, "--set", bad]);
        assert_eq!(code(&output), 2, "{bad}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}
