//! What of a call's arguments differs from run to run without meaning anything: process
//! numbers, ports the kernel picks, temporary names, jobs' and attempts' numbers.
//!
//! ```text
//! stat(AT_FDCWD, "…/attempt_202611202245_0001_m_000013_0/work", 0x7ffc5e700cd0, 0)
//! stat(AT_FDCWD, "…/attempt_#_#_m_#_0/work", 0x*, 0)
//! ```
//! Cost: O(bytes of the arguments), once a different call.

use std::fmt::Write;

/// The rules, as reports and views list them.
pub const RULES: [&str; 6] = [
    "numbers of three digits and more (processes, jobs, attempts, blocks) become #",
    "addresses in memory become 0x*",
    "descriptors at the begin of the arguments, and those returned, become fd",
    "ports from 32768 on become *, but Hadoop's own (50000 to 50499)",
    "what the kernel fills in ({st_mode=…}) becomes {…}",
    "the count of environment variables is dropped",
];

/// Shortest number taken for an id: versions (0.20.2, x86_64-v4) are shorter.
const ID_DIGITS: usize = 3;
/// The kernel picks ports from here on (`ip_local_port_range`).
const EPHEMERAL_PORT: u32 = 32_768;
/// Ports of Hadoop 0.18 to 2.x within that range.
const HADOOP_PORTS: std::ops::Range<u32> = 50_000..50_500;

/// The text that calls of different runs share: name, arguments, result.
#[must_use]
pub fn signature(name: &str, args: &str, ret: &str) -> String {
    let mut out = String::with_capacity(name.len() + args.len() + ret.len() + 4);
    out.push_str(name);
    out.push('(');
    let accepts = name == "accept";
    let mut rest = args;
    let fd = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if fd > 0 {
        out.push_str("fd");
        rest = rest.get(fd..).unwrap_or_default();
    }
    while let Some(first) = rest.chars().next() {
        let taken = if let Some(port) = rest.strip_prefix("htons(") {
            let digits = leading_digits(port);
            let number: Option<u32> = port.get(..digits).and_then(|d| d.parse().ok());
            let picked = number.is_none_or(|p| p >= EPHEMERAL_PORT && !HADOOP_PORTS.contains(&p));
            let _ = match number {
                Some(port) if !picked && !accepts => write!(out, "htons({port}"),
                _ => write!(out, "htons(*"),
            };
            6 + digits
        } else if let Some(hex) = rest.strip_prefix("0x") {
            out.push_str("0x*");
            2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count()
        } else if rest.starts_with("{st_") || rest.starts_with("{stx_") {
            out.push_str("{…}");
            closing(rest)
        } else if rest.starts_with(" /* ") && rest.ends_with(" vars */") {
            rest.len()
        } else if rest.starts_with("inet_addr(\"") || rest.starts_with("inet_pton(") {
            // An address is no id.
            let end = rest.find(')').unwrap_or(rest.len());
            out.push_str(rest.get(..end).unwrap_or_default());
            end
        } else if first.is_ascii_digit() {
            let digits = leading_digits(rest);
            out.push_str(if digits >= ID_DIGITS { "#" } else { rest.get(..digits).unwrap_or_default() });
            digits
        } else {
            out.push(first);
            first.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    out.push_str(") = ");
    let returns_descriptor = matches!(name, "accept" | "socket") && !ret.starts_with('-') && ret != "?";
    out.push_str(if returns_descriptor { "fd" } else { ret });
    out
}

/// A call as it stands, to the letter: name, arguments, result.
#[must_use]
pub fn verbatim(name: &str, args: &str, ret: &str) -> String {
    format!("{name}({args}) = {ret}")
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Bytes up to and with the bracket that closes the first one.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn what_differs_between_runs_is_taken_out() {
        for (name, args, ret, expected) in [
            (
                "stat",
                "AT_FDCWD, \"/l/job_202611202245_0001/attempt_202611202245_0001_m_000013_0\", 0x7ffc5e700cd0, 0",
                "-1 ENOENT",
                "stat(AT_FDCWD, \"/l/job_#_#/attempt_#_#_m_#_0\", 0x*, 0) = -1 ENOENT",
            ),
            (
                "stat",
                "3, \"\", {st_mode=S_IFREG|0644, st_size=38903, ...}, AT_EMPTY_PATH",
                "0",
                "stat(fd, \"\", {…}, AT_EMPTY_PATH) = 0",
            ),
            (
                "access",
                "\"/usr/lib/jvm/java-17/lib/x86_64-v4\", F_OK",
                "0",
                "access(\"/usr/lib/jvm/java-17/lib/x86_64-v4\", F_OK) = 0",
            ),
            (
                "connect",
                "39, {sa_family=AF_INET, sin_port=htons(50010), sin_addr=inet_addr(\"10.77.100.112\")}, 16",
                "-1 EINPROGRESS",
                "connect(fd, {sa_family=AF_INET, sin_port=htons(50010), sin_addr=inet_addr(\"10.77.100.112\")}, 16) = -1 EINPROGRESS",
            ),
            ("connect", "7, {sin_port=htons(41143)}", "0", "connect(fd, {sin_port=htons(*)}) = 0"),
            ("connect", "7, {sin_port=htons(32767)}", "0", "connect(fd, {sin_port=htons(32767)}) = 0"),
            (
                "accept",
                "34, {sin_port=htons(9000)}, [28 => 16]",
                "45",
                "accept(fd, {sin_port=htons(*)}, [28 => 16]) = fd",
            ),
            (
                "execve",
                "\"/bin/df\", [\"df\", \"-k\"], 0x7f12 /* 44 vars */",
                "0",
                "execve(\"/bin/df\", [\"df\", \"-k\"], 0x*) = 0",
            ),
            ("socket", "AF_INET, SOCK_STREAM, 0", "-1 EMFILE", "socket(AF_INET, SOCK_STREAM, 0) = -1 EMFILE"),
        ] {
            assert_eq!(signature(name, args, ret), expected);
        }
    }

    #[test]
    fn ids_begin_at_three_digits() {
        assert_eq!(signature("stat", "\"/a99/b100\"", "0"), "stat(\"/a99/b#\") = 0");
    }

    #[test]
    fn cut_arguments_are_taken_as_they_are() {
        assert_eq!(signature("stat", "{st_mode={", "0"), "stat({…}) = 0");
        assert_eq!(signature("connect", "3, {sin_port=htons(", "?"), "connect(fd, {sin_port=htons(*) = ?");
    }
}
