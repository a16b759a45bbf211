//! The command, started from outside in a folder of a test's own, and a log for it.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

/// Names of the folders taken so far: of two tests with one folder, the second would empty it under the first one's
/// hands.
static TAKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A folder of this test's own, empty at its begin.
pub fn folder(test: &str) -> PathBuf {
    let is_free = TAKEN.lock().unwrap().insert(test.to_owned());
    assert!(is_free, "two tests have the folder {test}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The command in a folder, not started yet.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oddnode"));
    command.current_dir(folder).args(args);
    command
}

/// What the command does in a folder.
pub fn oddnode(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// The same with these bytes on standard input, by way of a pipe.
pub fn fed(folder: &Path, args: &[&str], bytes: &[u8]) -> Output {
    let mut command = command(folder, args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    match child.stdin.take().unwrap().write_all(bytes) {
        // It knew enough before it had read all: what it says tells whether that is right.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A TaskTracker's log of one map.
pub fn log(map: u32) -> String {
    let attempt = format!("attempt_202611210224_0001_m_{map:06}_0");
    let class = "INFO org.apache.hadoop.mapred.TaskTracker:";
    format!(
        "2026-11-21 02:26:04,119 {class} LaunchTaskAction (registerTask): {attempt} task's state:UNASSIGNED\n\
         2026-11-21 02:26:11,377 {class} Task {attempt} is done.\n"
    )
}
