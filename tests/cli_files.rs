//! The command's files from outside: which are read as what, where results go, and how files are named.
#![cfg(feature = "cli")]
#![allow(clippy::disallowed_methods, reason = "starts the command on files of its own")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod command;
mod packing;

use command::{code, command, fed, folder, log, oddnode, stderr, stdout};
use packing::{gz, tar};
use std::fs;
use std::path::Path;

fn archive(map: u32) -> Vec<u8> {
    gz(&tar(&[("h1/t.log", log(map).as_bytes())]))
}

/// A report of one log, as JSON.
fn report(folder: &Path) -> Vec<u8> {
    fs::write(folder.join("of.log"), log(1)).unwrap();
    let output = oddnode(folder, &["diagnose", "of.log", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    output.stdout
}

#[test]
fn output_that_is_an_input_is_refused_and_left_as_it_was() {
    let folder = folder("apart");
    fs::create_dir_all(folder.join("logs/h1")).unwrap();
    let written =
        [("t.log", log(1)), ("logs/h1/t.log", log(2)), ("truth.json", "[]".into()), ("list", "t.log\n".into())];
    for (name, text) in &written {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::hard_link(folder.join("t.log"), folder.join("linked")).unwrap();
    for args in [
        &["diagnose", "t.log", "-o", "t.log"][..],
        &["diagnose", "t.log", "-o", "./logs/../t.log"],
        &["diagnose", "t.log", "-o", "linked"],
        &["diagnose", "logs", "-o", "logs/h1/t.log"],
        &["diagnose", "logs", "--control", "t.log", "-o", "t.log"],
        &["diagnose", "logs", "--baseline", "t.log", "-o", "t.log"],
        &["diagnose", "logs", "--key", "t.log", "-o", "t.log"],
        &["compare", "logs", "t.log", "-o", "t.log"],
        &["extract", "states", "logs", "t.log", "-o", "t.log"],
        &["digest", "t.log", "-o", "t.log"],
        &["digest", "--list", "list", "--lines", "-o", "t.log"],
        &["digest", "--list", "list", "-o", "list"],
        &["merge", "t.log", "-o", "t.log"],
        &["train", "t.log", "-o", "t.log"],
        &["evaluate", ".", "-o", "truth.json"],
        &["simulate", "-o", "truth.json"],
        &["matrix", "--state", "t.log", "-o", "t.log"],
    ] {
        let output = oddnode(&folder, args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("would replace what is read"), "{args:?}: {}", stderr(&output));
        for (name, text) in &written {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *text, "{args:?} wrote {name}");
        }
    }
    let elsewhere = oddnode(&folder, &["digest", "t.log", "-o", "logs/t.digest"]);
    assert_eq!(code(&elsewhere), 0, "{}", stderr(&elsewhere));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_standard_input_is_refused() {
    let folder = folder("apart-stdin");
    fs::write(folder.join("t.log"), log(1)).unwrap();
    let output = command(&folder, &["digest", "-", "-o", "t.log"])
        .stdin(fs::File::open(folder.join("t.log")).unwrap())
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(fs::read_to_string(folder.join("t.log")).unwrap(), log(1));
}

#[test]
fn dash_is_standard_output() {
    let folder = folder("dash");
    fs::write(folder.join("t.log"), log(1)).unwrap();
    for args in [
        &["diagnose", "t.log", "--format", "json"][..],
        &["extract", "tasks", "t.log"],
        &["digest", "t.log"],
        &["digest", "t.log", "--lines"],
        &["draw", "swimlanes-nodes", "t.log"],
    ] {
        let plain = oddnode(&folder, args);
        let dashed = oddnode(&folder, &[args, &["-o", "-"]].concat());
        assert_eq!(code(&dashed), 0, "{args:?}: {}", stderr(&dashed));
        assert_eq!(dashed.stdout, plain.stdout, "{args:?}");
        assert!(!plain.stdout.is_empty(), "{args:?}");
    }
    for args in [
        &["simulate", "-o", "-"][..],
        &["simulate", "-o", "x.tar.gz", "--truth", "-"],
        &["diagnose", "t.log", "--format", "html", "--key", "-"],
        &["matrix", "--state", "-", "-o", "x.html"],
    ] {
        let output = oddnode(&folder, args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains("this needs a file of its own"), "{args:?}: {}", stderr(&output));
    }
    assert!(!folder.join("-").exists());
}

#[test]
fn output_is_replaced_only_by_a_whole_result() {
    let folder = folder("replaced");
    fs::write(folder.join("t.log"), log(1)).unwrap();
    fs::write(folder.join("list"), "t.log\nmissing\n").unwrap();
    fs::create_dir(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/t.log"), log(1)).unwrap();
    fs::write(folder.join("old"), "old").unwrap();
    for args in [
        &["digest", "--lines", "missing", "-o", "old"][..],
        &["digest", "--lines", "t.log", "missing", "-o", "old"],
        &["digest", "--lines", "--list", "list", "-o", "old"],
        &["diagnose", "missing", "-o", "old"],
    ] {
        assert_eq!(code(&oddnode(&folder, args)), 2, "{args:?}");
        assert_eq!(fs::read_to_string(folder.join("old")).unwrap(), "old", "{args:?}");
    }
    let lines = oddnode(&folder, &["digest", "--lines", "logs"]).stdout;
    // An output among the logs is none of them.
    for name in ["old", "logs/new"] {
        assert_eq!(code(&oddnode(&folder, &["digest", "--lines", "logs", "-o", name])), 0);
        assert_eq!(fs::read(folder.join(name)).unwrap(), lines, "{name}");
    }
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["list", "logs", "old", "t.log"]);
}

#[test]
fn output_is_not_replaced_by_a_digest_without_a_log() {
    let folder = folder("worthless");
    fs::write(folder.join("noise"), [7; 3000]).unwrap();
    fs::write(folder.join("list"), "noise\n").unwrap();
    for args in [&["noise"][..], &["--lines", "noise"], &["--list", "list"]] {
        fs::write(folder.join("old"), "old").unwrap();
        let output = oddnode(&folder, &[&["digest", "-o", "old"], args].concat());
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("old: stays as it is"), "{args:?}: {}", stderr(&output));
        assert_eq!(fs::read_to_string(folder.join("old")).unwrap(), "old", "{args:?}");
        let told = oddnode(&folder, &[&["digest", "--keep-going", "-o", "old"], args].concat());
        assert_eq!(code(&told), 0, "{args:?}: {}", stderr(&told));
        assert_ne!(fs::read(folder.join("old")).unwrap(), b"old", "{args:?}");
        assert!(oddnode(&folder, &[&["digest", "-o", "new"], args].concat()).status.code().is_some());
        assert!(fs::remove_file(folder.join("new")).is_ok(), "{args:?}: what was not there is written");
    }
}

/// What the command does within such a limit of a shell's.
#[cfg(target_os = "linux")]
fn limited(folder: &Path, limit: &str, args: &[&str]) -> std::process::Output {
    let script = format!("trap '' XFSZ; ulimit {limit}; exec \"$0\" \"$@\"");
    let mut command = std::process::Command::new("sh");
    command.current_dir(folder).args(["-c", &script, env!("CARGO_BIN_EXE_oddnode")]).args(args);
    command.output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn output_without_room_leaves_what_was_there() {
    let folder = folder("no-room");
    fs::write(folder.join("t.log"), (0..2000).map(log).collect::<String>()).unwrap();
    fs::write(folder.join("old"), "old").unwrap();
    for name in ["old", "new"] {
        let output = limited(&folder, "-f 8", &["extract", "states", "t.log", "-o", name]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(&format!("{name}: cannot be written")), "{}", stderr(&output));
    }
    assert_eq!(fs::read_to_string(folder.join("old")).unwrap(), "old");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_held_whole_is_not_read_without_end() {
    let folder = folder("endless");
    fs::File::create(folder.join("truth.json")).unwrap().set_len(1 << 40).unwrap();
    for (args, told) in [
        (&["evaluate", "."][..], "truth.json: cannot be read: it is longer than 64 MiB"),
        (&["simulate", "-o", "r.tar.gz"], "truth.json: cannot be read: it is longer than 64 MiB"),
        (&["simulate", "--size", "0.1", "-o", "r.tar.gz", "--truth", "/dev/full"], "/dev/full: cannot be written"),
        (&["digest", "--list", "/dev/zero"], "/dev/zero: line 1 is too long for a path"),
        (&["digest", "--list", "truth.json", "-o", "d"], "truth.json: line 1 is too long for a path"),
        (&["matrix", "--state", "truth.json", "-o", "m"], "truth.json: line 1 is no result of a matrix"),
        (&["matrix", "--state", "/dev/zero", "-o", "m"], "/dev/zero: line 1 is no result of a matrix"),
    ] {
        let output = limited(&folder, "-v 4000000", args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(told), "{args:?}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    let folder = folder("pipe");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz");
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    let mut child = command(&folder, &["diagnose", "pipe", "--workers", "4"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    fs::write(folder.join("pipe"), fs::read(sample).unwrap()).unwrap();
    let mut ended = None;
    for _ in 0..600 {
        ended = child.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let _ = child.kill();
    assert_eq!(ended.and_then(|status| status.code()), Some(3), "it waits for what the pipe gave already");
}

#[test]
fn matrix_does_each_run_once_and_goes_on_behind_its_state() {
    let folder = folder("matrix");
    let matrix = |more: &[&str]| {
        let cell = ["matrix", "--workload", "Sort", "--runs", "1", "--controls", "0", "--state", "s", "-o", "m.html"];
        oddnode(&folder, &[&cell, more].concat())
    };
    let runs = || -> Vec<String> {
        let text = fs::read_to_string(folder.join("s")).unwrap();
        let run = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["run"].as_str().unwrap().to_owned();
        text.lines().map(run).collect()
    };
    let none = matrix(&["--page-only"]);
    assert_eq!((code(&none), folder.join("s").exists()), (2, false));
    assert!(stderr(&none).contains("s: cannot be read"), "{}", stderr(&none));
    let small = ["--nodes", "4,4", "--fault", "none,NONE", "--size", "0.2"];
    let first = matrix(&small);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    assert_eq!(runs(), ["sort-none-x0.2-4-0"]);
    let page = fs::read_to_string(folder.join("m.html")).unwrap();
    assert!(page.contains(" --size 0.2 --state") && page.contains("1 simulated run,"), "of one run");
    assert_eq!(code(&matrix(&small)), 0);
    let others = matrix(&["--page-only", "--nodes", "5"]);
    assert_eq!(code(&others), 2);
    assert!(stderr(&others).contains("s: holds runs, and none of these"), "{}", stderr(&others));
    assert_eq!(fs::read_to_string(folder.join("m.html")).unwrap(), page, "what was there stays");
    assert_eq!(code(&matrix(&["--nodes", "4", "--fault", "none", "--size", "0.3"])), 0);
    assert_eq!(runs(), ["sort-none-x0.2-4-0", "sort-none-x0.3-4-0"]);
    // Broken off within the second.
    let text = fs::read_to_string(folder.join("s")).unwrap();
    fs::write(folder.join("s"), &text[..text.len() - 20]).unwrap();
    assert_eq!(code(&matrix(&["--nodes", "4", "--fault", "cpuhog", "--size", "0.2"])), 0);
    assert_eq!(runs(), ["sort-none-x0.2-4-0", "sort-cpuhog-x0.2-4-0"]);
    fs::write(folder.join("s"), "not of a matrix\n").unwrap();
    let strange = matrix(&small);
    assert_eq!(code(&strange), 2);
    assert!(stderr(&strange).contains("s: line 1 is no result of a matrix"), "{}", stderr(&strange));
    assert_eq!(fs::read_to_string(folder.join("s")).unwrap(), "not of a matrix\n");
}

/// What the usual methods said before is kept where the paper's are asked too, and each number of control runs is judged by
/// its own.
#[test]
fn matrix_judges_each_run_as_the_paper_has_it_too() {
    let folder = folder("matrix-paper");
    let matrix = |controls: &str| {
        let cell = ["matrix", "--workload", "sort", "--nodes", "4", "--fault", "none,cpuhog", "--size", "0.2"];
        let output = oddnode(
            &folder,
            &[&cell[..], &["--runs", "1", "--state", "s", "-o", "m", "--controls", controls]].concat(),
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        fs::read_to_string(folder.join("m")).unwrap()
    };
    let judged = || -> Vec<Option<u64>> {
        let text = fs::read_to_string(folder.join("s")).unwrap();
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["controls"].as_u64()).collect()
    };
    let page = matrix("0");
    assert_eq!(judged(), [None; 2]);
    assert!(page.contains(" --controls 0 --size 0.2") && !page.contains("to the letter"));
    let page = matrix("1");
    assert_eq!(judged(), [None, None, Some(1), Some(1)]);
    assert!(page.contains("learned from 1 control run of each workload and size"));
    assert!(page.contains("kahuna-bb profiles of control runs") && page.contains("kahuna-wb to the letter"));
    assert_eq!(matrix("1"), page);
    assert_eq!(judged().len(), 4, "nothing is done again");
    assert!(!fs::read_to_string(folder.join("s")).unwrap().contains("-1000"), "control runs are not counted");
}

#[cfg(target_os = "linux")]
#[test]
fn matrix_without_room_for_its_state_is_bad_input() {
    let folder = folder("matrix-no-room");
    let cell =
        ["--nodes", "4", "--workload", "sort", "--fault", "none", "--runs", "1", "--controls", "0", "--size", "0.2"];
    let output = limited(&folder, "-f 0", &[&["matrix", "--state", "s", "-o", "-"], &cell[..]].concat());
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("s: cannot be written"), "{}", stderr(&output));
}

#[test]
fn simulation_takes_the_names_of_labels_and_reads_them_first() {
    let folder = folder("labels");
    for (fault, label) in [("CPUHog", "CPUHog"), ("HANG-1036", "HANG-1036"), ("hang-1036", "HANG-1036")] {
        let made = ["simulate", "--nodes", "4", "--size", "0.2", "--workload", "Sort", "--fault", fault, "-o", "r"];
        let output = oddnode(&folder, &made);
        assert_eq!(code(&output), 0, "{fault}: {}", stderr(&output));
        let labels: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("truth.json")).unwrap()).unwrap();
        assert_eq!((labels.as_array().unwrap().len(), &labels[0]["fault"]), (1, &label.into()));
    }
    fs::write(folder.join("broken.json"), "[{").unwrap();
    let output = oddnode(&folder, &["simulate", "--nodes", "4", "-o", "new", "--truth", "broken.json"]);
    assert_eq!((code(&output), folder.join("new").exists()), (2, false));
    assert!(stderr(&output).contains("broken.json: cannot be read"), "{}", stderr(&output));
}

#[test]
fn reports_and_links_are_opened_from_standard_input() {
    let folder = folder("opened");
    let json = report(&folder);
    fs::write(folder.join("report.json"), &json).unwrap();
    let of_file = oddnode(&folder, &["diagnose", "report.json"]);
    assert!(stderr(&of_file).contains("Recomputed here"), "{}", stderr(&of_file));
    let of_pipe = fed(&folder, &["diagnose", "-"], &json);
    assert_eq!((code(&of_pipe), stdout(&of_pipe)), (0, stdout(&of_file)), "{}", stderr(&of_pipe));
    let linked = oddnode(&folder, &["diagnose", "report.json", "--format", "json", "--link=full"]);
    let link = stderr(&linked).lines().find_map(|line| line.find("#r=").map(|at| line[at..].to_owned())).unwrap();
    let of_link = fed(&folder, &["diagnose", "-"], format!("https://example.org/{link}\n").as_bytes());
    assert_eq!(code(&of_link), 0, "{}", stderr(&of_link));
    assert!(stderr(&of_link).contains("Recomputed here"), "{}", stderr(&of_link));
    let compared = fed(&folder, &["compare", "report.json", "-"], &json);
    assert_eq!(compared.stdout, oddnode(&folder, &["compare", "report.json", "report.json"]).stdout);
    assert_eq!(code(&compared), 0, "{}", stderr(&compared));
    let both = fed(&folder, &["compare", "-", "-"], &json);
    assert_eq!(code(&both), 2);
    assert!(stderr(&both).contains("not both"), "{}", stderr(&both));
    // Logs that come so are read from their first byte on.
    fs::write(folder.join("stdin"), log(1)).unwrap();
    let piped = fed(&folder, &["diagnose", "-", "--format", "json"], log(1).as_bytes());
    assert_eq!(piped.stdout, oddnode(&folder, &["diagnose", "stdin", "--format", "json"]).stdout);
    let cut = fed(&folder, &["diagnose", "-"], &json[..json.len() / 2]);
    assert_eq!(code(&cut), 2);
    assert!(stderr(&cut).contains("standard input: the report is damaged"), "{}", stderr(&cut));
}

#[test]
fn own_files_among_logs_are_told_with_what_takes_them() {
    let folder = folder("own");
    let logs = folder.join("logs");
    fs::create_dir_all(&logs).unwrap();
    let made = oddnode(&folder, &["simulate", "--nodes", "4", "--size", "0.2", "-o", "r1.tar.gz"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    for args in [
        &["diagnose", "r1.tar.gz", "--format", "json", "-o", "logs/report.json"][..],
        &["diagnose", "r1.tar.gz", "--format", "html", "--key", "logs/key.json", "-o", "logs/page.html"],
        &["train", "r1.tar.gz", "-o", "logs/healthy.baseline"],
        &["compare", "r1.tar.gz", "r1.tar.gz", "--format", "json", "-o", "logs/difference.json"],
        &["evaluate", ".", "--format", "json", "-o", "logs/evaluation.json"],
    ] {
        assert_eq!(code(&oddnode(&folder, args)), 0, "{args:?}");
    }
    fs::copy(folder.join("truth.json"), logs.join("truth.json")).unwrap();
    let says = [
        ("report.json", "`oddnode diagnose FILE`"),
        ("page.html", "`oddnode diagnose FILE`"),
        ("key.json", "--key FILE"),
        ("healthy.baseline", "--baseline FILE"),
        ("difference.json", "result that oddnode wrote"),
        ("evaluation.json", "result that oddnode wrote"),
        ("truth.json", "`oddnode evaluate FOLDER`"),
    ];
    for (name, advice) in says {
        let alone = oddnode(&folder, &["extract", "jobs", &format!("logs/{name}")]);
        assert_eq!(code(&alone), 2, "{name}");
        let told = stderr(&alone).lines().any(|line| line.contains(&format!("{name}: ")) && line.contains(advice));
        assert!(told, "{name}: {}", stderr(&alone));
    }
    fs::write(logs.join("t.log"), log(1)).unwrap();
    let among = oddnode(&folder, &["extract", "jobs", "logs"]);
    assert_eq!(code(&among), 0, "{}", stderr(&among));
    for (name, advice) in says {
        let told = stderr(&among).lines().any(|line| line.contains(&format!("logs/{name}: ")) && line.contains(advice));
        assert!(told, "{name}: {}", stderr(&among));
    }
}

#[test]
fn reports_for_people_among_logs_accuse_nobody() {
    let folder = folder("told");
    let fatal = "2026-11-21 02:26:14,000 FATAL org.apache.hadoop.mapred.TaskTracker: Task: \
        attempt_202611210224_0001_m_000002_0 - Killed : x\n";
    fs::create_dir_all(folder.join("logs/h1")).unwrap();
    fs::write(folder.join("logs/h1/t.log"), log(1)).unwrap();
    let extract = || stdout(&oddnode(&folder, &["extract", "states", "logs"]));
    let without = extract();
    fs::write(folder.join("of.log"), log(2) + fatal).unwrap();
    for (format, name) in [("text", "report.txt"), ("ticket", "ticket.log"), ("markdown", "ticket.md")] {
        let to = folder.join("logs/h1").join(name);
        let output = oddnode(&folder, &["diagnose", "of.log", "--format", format]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        // Lines of other runs, as a report quotes them.
        let text = stdout(&output) + "  " + &log(3).replace('\n', "\n  ");
        fs::write(&to, &text).unwrap();
        fs::write(to.with_extension("gz"), gz(text.replace('\n', "\r\n").as_bytes())).unwrap();
        assert_eq!(extract(), without, "{format}");
        let told = stderr(&oddnode(&folder, &["extract", "states", "logs"]));
        let is_told =
            |line: &str| line.contains(name) && line.contains("is a report or another result that oddnode wrote");
        assert!(told.lines().any(is_told), "{told}");
    }
}

#[test]
fn damage_is_told_with_its_byte() {
    let folder = folder("damage");
    let logs = tar(&[("h1/t.log", log(1).as_bytes()), ("h2/t.log", log(2).as_bytes())]);
    // Behind the header of the first and its one block.
    let second = 1024;
    let mut damaged = logs.clone();
    damaged[second + 150] ^= 1;
    fs::write(folder.join("header.tar"), damaged).unwrap();
    let packed = gz(&logs);
    let cut = packed.len() - 20;
    fs::write(folder.join("cut.tar.gz"), &packed[..cut]).unwrap();
    let last = packed.len() - 1;
    fs::write(folder.join("sum.tar.gz"), [&packed[..last], &[packed[last] ^ 1]].concat()).unwrap();
    for (name, says) in [
        ("header.tar", format!("header.tar: has a damaged archive header at byte {second};")),
        ("cut.tar.gz", format!("cut.tar.gz: ends too early at byte {cut};")),
        ("sum.tar.gz", format!("sum.tar.gz: is damaged (noticed at byte {});", packed.len())),
    ] {
        let output = oddnode(&folder, &["diagnose", name, "--format", "json"]);
        assert!(stderr(&output).contains(&says), "{name}: {}", stderr(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["coverage"].as_array().unwrap();
        let why = rows.iter().find(|row| row["file"] == name).unwrap()["why"].as_str().unwrap();
        assert!(format!("{name}: {why}").starts_with(&says), "{why}");
        // A byte is no line.
        let places = report["issues"].as_array().unwrap().iter().flat_map(|issue| issue["lines"].as_array().unwrap());
        assert!(places.filter(|at| at["file"] == name).all(|at| at["line"] == 0));
    }
}

#[test]
fn evaluation_goes_on_behind_a_run_that_cannot_be_read() {
    let folder = folder("unread");
    let truth = r#"[{"run":"r1","workload":"sort","fault":"none","node":null},
                    {"run":"r2","workload":"sort","fault":"none","node":null},
                    {"run":"r3","workload":"sort","fault":"none","node":null}]"#;
    // As an editor of another system saves it.
    fs::write(folder.join("truth.json"), format!("\u{feff}{truth}")).unwrap();
    fs::write(folder.join("r1.tar.gz"), b"no archive").unwrap();
    fs::write(folder.join("r2.tar.gz"), archive(1)).unwrap();
    let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("run r1 is left out: no log could be read"), "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let summary = &result["summary"];
    assert_eq!((&summary["runs"], &summary["unread"], &summary["without_archive"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!((&result["runs"][0]["run"], &result["unread"][0]["run"]), (&"r2".into(), &"r1".into()));
    let text = stdout(&oddnode(&folder, &["evaluate", "."]));
    assert!(text.starts_with("1 run, 1 more without archive, 1 more that could not be read\n"), "{text}");
}

#[test]
fn evaluation_finds_what_was_simulated_under_any_name() {
    let folder = folder("named");
    fs::write(folder.join("truth.json"), "\u{feff}[]").unwrap();
    for name in ["a", "b.tgz", "c.x", "d.1.tar.gz"] {
        let made = oddnode(&folder, &["simulate", "--nodes", "4", "--size", "0.2", "-o", name]);
        assert_eq!(code(&made), 0, "{name}: {}", stderr(&made));
    }
    let mut labels: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("truth.json")).unwrap()).unwrap();
    labels.as_array_mut().unwrap().push(serde_json::json!({"run":"e","workload":"sort","fault":"none","node":null}));
    fs::write(folder.join("truth.json"), labels.to_string()).unwrap();
    fs::create_dir_all(folder.join("e/h1")).unwrap();
    fs::write(folder.join("e/h1/t.log"), log(1)).unwrap();
    let output = oddnode(&folder, &["evaluate", ".", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs: Vec<&str> = result["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(runs, ["a", "b", "c.x", "d.1", "e"]);
}

#[test]
fn files_of_one_name_are_named_as_if_their_folder_had_been_given() {
    let folder = folder("names");
    let call = "27366 1795233259.897748 connect(39, {sa_family=AF_INET}, 16) = 0 <0.000100>\n";
    for node in ["h1", "h2", "h3"] {
        fs::create_dir_all(folder.join("r22").join(node)).unwrap();
        fs::write(folder.join("r22").join(node).join("tasktracker.strace"), call).unwrap();
    }
    let whole = oddnode(&folder, &["extract", "calls", "r22"]);
    let files = ["r22/h1/tasktracker.strace", "r22/h2/tasktracker.strace", "r22/h3/tasktracker.strace"];
    let single = oddnode(&folder, &[&["extract", "calls"][..], &files].concat());
    assert_eq!(stdout(&single), stdout(&whole));
    assert!(stdout(&single).contains("\nh2,27366,"), "{}", stdout(&single));
    let digest = oddnode(&folder, &["digest", "r22"]).stdout;
    assert_eq!(oddnode(&folder, &[&["digest", "--keep-going"][..], &files].concat()).stdout, digest);
    let inside = folder.join("r22");
    let below = ["digest", "h1/tasktracker.strace", "./h2/tasktracker.strace", "h1/../h3/tasktracker.strace"];
    assert_eq!(oddnode(&inside, &below).stdout, digest);
}
