//! What those say who run attempts and containers.

use super::{MAP, check};

#[test]
fn fetches_name_the_host_they_failed_from() {
    let reduce = "attempt_1_0001_r_000009_0";
    check("ReduceTask", "WARN", &[(&format!("{reduce} copy failed: {MAP} from h102"), "fetch-failed h102 7")]);
    check(
        "Fetcher",
        "WARN",
        &[
            ("Failed to connect to h304:13562 with 2 map outputs", "fetch-failed h304"),
            (&format!("Failed to shuffle output of {MAP} from h305:13562"), "fetch-failed h305 7"),
            ("Failed to shuffle for fetcher#4", ""),
            // Where it is tried again for three minutes (2.6 and later, if NodeManagers keep their work over a restart).
            ("Shuffle output from h304:13562 failed, retry it.", "fetch-failed h304"),
            (
                "Timeout for copying MapOutput with retry on host h304:13562after 180000 milliseconds.",
                "fetch-failed h304",
            ),
            (
                "Failed to connect to host: http://h304:13562/mapOutput?job=job_1_0001&reduce=2&map=xafter 180000 milliseconds.",
                "fetch-failed h304",
            ),
        ],
    );
}

#[test]
fn attempts_are_in_trouble_where_they_ran() {
    check(
        "TaskAttemptImpl",
        "INFO",
        &[
            (
                &format!(
                    "Diagnostics report from {MAP}: AttemptID:{MAP} task timeout set: 40s, taskTimedOut: true; task stuck timeout set: 600s, taskStuck: false"
                ),
                "timed-out attempt 7",
            ),
            (
                &format!("Diagnostics report from {MAP}: AttemptID:{MAP} Timed out after 600 secs"),
                "timed-out attempt 7",
            ),
            (&format!("Diagnostics report from {MAP}: Container released on a *lost* node"), "lost-node attempt 7"),
            (
                &format!(
                    "Diagnostics report from {MAP}: [2026-11-21 02:47:26.536]No space available in any of the local directories."
                ),
                "no-space attempt 7",
            ),
            (&format!("Diagnostics report from {MAP}: Container killed by the ApplicationMaster."), ""),
            (
                &format!(
                    "Diagnostics report from {MAP}: cleanup failed for container container_1_0001_01_000002 : java.net.ConnectException: Call From h301/10.77.3.11 to h304:45454 failed on connection exception: x"
                ),
                "unreachable h304 7",
            ),
            (
                &format!(
                    "Diagnostics report from {MAP}: Error: java.net.NoRouteToHostException: No Route to Host from  h301/10.77.3.11 to h300:9000 failed on socket timeout exception: x"
                ),
                "attempt-failed attempt 7",
            ),
        ],
    );
    check(
        "RMContainerAllocator",
        "INFO",
        &[(
            &format!("Killing taskAttempt:{MAP} because it is running on unusable node:h304:45454"),
            "unhealthy-node h304 7",
        )],
    );
    check(
        "TaskTracker",
        "INFO",
        &[
            (&format!("{MAP}: Task {MAP} failed to report status for 601 seconds. Killing!"), "timed-out own 7"),
            (&format!("{MAP} 0.32% hdfs://x"), ""),
        ],
    );
    check("TaskTracker", "WARN", &[(&format!("getMapOutput({MAP},4) failed :"), "map-output-lost own 7")]);
}

#[test]
fn stopped_containers_have_not_failed() {
    let code = |n: u32| format!("Exit code from container container_1_0001_01_000006 is : {n}");
    check(
        "DefaultContainerExecutor",
        "WARN",
        &[(&code(143), ""), (&code(137), ""), (&code(0), ""), (&code(1), "container-failed own")],
    );
}
