//! The grammar of strace's lines, shared by the formats that differ in how they tell time.
//!
//! ```text
//! 27366 1795233259.897748 connect(39, {sa_family=AF_INET, …}, 16) = -1 EINPROGRESS (Operation now in progress) <0.000100>
//! [pid 27598] 12:21:46.362492 epoll_wait(40,  <unfinished ...>
//! 27598 1795233270.126341 <... epoll_wait resumed>[{events=EPOLLIN, …}], 1024, 60000) = 1 <10.215928>
//! 14007 1795233396.396401 +++ exited with 143 +++
//! 14007 1795233396.396401 --- SIGTERM {si_signo=SIGTERM, …} ---
//! ```
//! Written by strace 4.5 to 6.x. Strings are cut with `"...` and may hold anything, so a
//! line is taken apart from both ends and never inside. Cost: O(line).

use memchr::{memchr, memrchr_iter};

/// How a line tells its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// `-ttt`: milliseconds since 1970, and microseconds beyond them.
    Epoch(i64, u16),
    /// `-tt`, `-t`: milliseconds since midnight, and microseconds beyond them.
    OfDay(i64, u16),
    /// `-r`, or none.
    None,
}

/// What a line says behind process and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// `name(…`: a call begins, and perhaps ends.
    Call(&'a [u8], Body<'a>),
    /// `<... name resumed>…`: a call begun before ends.
    Resumed(&'a [u8], Body<'a>),
    /// `+++ superseded by execve in pid N +++`: N's execve goes on as this process.
    Superseded(u32),
    /// `+++ exited with 0 +++`, `+++ killed by SIGKILL +++`.
    Exited,
    /// A signal, or a word of strace's own (`Process 7 attached`).
    Aside,
}

/// The part of a call's line behind its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body<'a> {
    /// `args) = ret <duration>`.
    Whole(Whole<'a>),
    /// `args <unfinished ...>`.
    Unfinished(&'a [u8]),
    /// `args <detached ...>`: strace left before the call returned.
    Detached,
}

/// A call that returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole<'a> {
    /// Arguments as printed, without brackets.
    pub args: &'a [u8],
    /// Its value, `?` for none.
    pub value: &'a [u8],
    /// Name of the error behind it, or empty.
    pub errno: &'a [u8],
    /// Time inside.
    pub duration_us: Option<u64>,
}

/// A line of strace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StraceLine<'a> {
    /// The process or thread, where it is told.
    pub pid: Option<u32>,
    /// When.
    pub time: Time,
    /// What.
    pub said: Said<'a>,
}

const UNFINISHED: &[u8] = b" <unfinished ...>";

/// Takes a line apart; `None` if it is none of strace's, or cut.
pub(super) fn parse(line: &[u8]) -> Option<StraceLine<'_>> {
    let (pid, rest) = pid(line.trim_ascii_start());
    let (time, rest) = time(rest);
    Some(StraceLine { pid, time, said: said(rest)? })
}

/// `[pid 27598] ` or `27598 `.
fn pid(line: &[u8]) -> (Option<u32>, &[u8]) {
    if let Some(rest) = line.strip_prefix(b"[pid ") {
        let (number, rest) = digits(rest.trim_ascii_start());
        if let (Some(pid), Some(rest)) = (small(number), rest.strip_prefix(b"]")) {
            return (Some(pid), rest.trim_ascii_start());
        }
        return (None, line);
    }
    let (number, rest) = digits(line);
    match small(number) {
        // A number that goes on is a time.
        Some(pid) if rest.first() == Some(&b' ') => (Some(pid), rest.trim_ascii_start()),
        _ => (None, line),
    }
}

/// A second of the epoch has at least so many digits (1973 on); a step of `-r` never has.
const EPOCH_DIGITS: usize = 9;

fn time(line: &[u8]) -> (Time, &[u8]) {
    let (first, rest) = digits(line);
    let (time, rest) = match rest.first() {
        Some(b'.') if !first.is_empty() => {
            let (micros, rest) = fraction(rest);
            let Some(seconds) = number(first) else { return (Time::None, line) };
            if first.len() < EPOCH_DIGITS {
                (Time::None, rest)
            } else {
                let ms = i64::try_from(seconds).ok().and_then(|s| s.checked_mul(1000));
                match ms.and_then(|ms| ms.checked_add(i64::from(micros / 1000))) {
                    Some(ms) => (Time::Epoch(ms, sub_milli(micros)), rest),
                    None => return (Time::None, line),
                }
            }
        }
        Some(b':') if first.len() == 2 => match of_day(line) {
            Some(found) => found,
            None => return (Time::None, line),
        },
        _ => return (Time::None, line),
    };
    let rest = rest.trim_ascii_start();
    // Both clocks: `1697048351.000541 (+     0.000123) brk(`.
    let step = rest.strip_prefix(b"(+").and_then(|r| memchr(b')', r).and_then(|end| r.get(end + 1..)));
    (time, step.unwrap_or(rest).trim_ascii_start())
}

/// `12:21:46.362492` or `12:21:46`.
fn of_day(line: &[u8]) -> Option<(Time, &[u8])> {
    let (hour, rest) = digits(line);
    let (minute, rest) = digits(rest.strip_prefix(b":")?);
    let (second, rest) = digits(rest.strip_prefix(b":")?);
    let (h, m, s) = (number(hour)?, number(minute)?, number(second)?);
    if minute.len() != 2 || second.len() != 2 || h > 23 || m > 59 || s > 60 {
        return None;
    }
    let (micros, rest) = fraction(rest);
    let ms = i64::try_from((h * 3600 + m * 60 + s) * 1000).ok()?;
    Some((Time::OfDay(ms + i64::from(micros / 1000), sub_milli(micros)), rest))
}

fn said(rest: &[u8]) -> Option<Said<'_>> {
    if let Some(rest) = rest.strip_prefix(b"<... ") {
        let (name, rest) = name(rest)?;
        return Some(Said::Resumed(name, body(rest.strip_prefix(b" resumed>")?)?));
    }
    if let Some(rest) = rest.strip_prefix(b"+++ ") {
        let by = rest.strip_prefix(b"superseded by execve in pid ").map(digits);
        return match by.and_then(|(pid, _)| small(pid)) {
            _ if !rest.ends_with(b"+++") => None,
            Some(pid) => Some(Said::Superseded(pid)),
            None => Some(Said::Exited),
        };
    }
    let is_signal = rest.starts_with(b"--- ") && rest.ends_with(b" ---");
    let is_own = rest.starts_with(b"strace: ") || is_of_process(rest);
    if is_signal || is_own {
        return Some(Said::Aside);
    }
    let (name, rest) = name(rest)?;
    Some(Said::Call(name, body(rest.strip_prefix(b"(")?)?))
}

/// Whether strace says so of a process that it follows: `Process 7 attached`, `Process 7 resumed (parent 4 ready)`.
fn is_of_process(text: &[u8]) -> bool {
    let said = text.strip_prefix(b"Process ").map(|rest| digits(rest).1).unwrap_or_default();
    [&b" attached"[..], b" detached", b" suspended", b" resumed"].iter().any(|word| said.starts_with(word))
}

/// A call's name; `???` stands for one that strace could not read any more, `SYS_318` for one that it does not know.
fn name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'?');
    let end = text.iter().position(|b| !is_part(b)).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(name, _)| !name.is_empty())
}

fn body(text: &[u8]) -> Option<Body<'_>> {
    if let Some(args) = text.strip_suffix(UNFINISHED) {
        return Some(Body::Unfinished(args));
    }
    if text.ends_with(b"<detached ...>") {
        return Some(Body::Detached);
    }
    let (text, duration_us) = duration(text);
    let (args, result) = memrchr_iter(b'=', text).find_map(|at| {
        let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
        let args = before.strip_suffix(b" ")?.trim_ascii_end().strip_suffix(b")")?;
        Some((args, after.strip_prefix(b" ")?))
    })?;
    let (value, errno) = result_of(result)?;
    Some(Body::Whole(Whole { args: args.strip_suffix(UNFINISHED).unwrap_or(args), value, errno, duration_us }))
}

/// Cuts ` <0.000100>` off.
fn duration(text: &[u8]) -> (&[u8], Option<u64>) {
    let found = text.strip_suffix(b">").and_then(|inside| {
        let open = memrchr_iter(b'<', inside).next()?;
        let before = inside.get(..open)?.strip_suffix(b" ")?;
        let duration = inside.get(open + 1..)?;
        if duration == b"unavailable" {
            return Some((before, None));
        }
        let (seconds, rest) = digits(duration);
        let (micros, rest) = fraction(rest);
        let us = number(seconds)?.checked_mul(1_000_000)?.checked_add(u64::from(micros))?;
        rest.is_empty().then_some((before, Some(us)))
    });
    found.unwrap_or((text, None))
}

/// `0`, `-1 ENOENT (No such file or directory)`, `1 ([{fd=39, revents=POLLOUT}])`,
/// `3</etc/ld.so.cache>`, `0x55b1 (flags O_RDWR)`, `?`, `? ERESTART_RESTARTBLOCK (Interrupted by signal)`.
fn result_of(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|b| matches!(b, b' ' | b'<')).unwrap_or(text.len());
    let (value, rest) = text.split_at_checked(end)?;
    let is_value = value.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'-' | b'x' | b'?'));
    if value.is_empty() || !is_value {
        return None;
    }
    // The duration behind it ends with `>`; otherwise the line was cut.
    if rest.first() == Some(&b'<') {
        return rest.ends_with(b">").then_some((value, b""));
    }
    let rest = rest.trim_ascii_start();
    let is_part = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let end = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
    let (errno, rest) = rest.split_at_checked(end)?;
    let rest = rest.trim_ascii();
    let whole = rest.is_empty() || (rest.starts_with(b"(") && rest.ends_with(b")"));
    let named = errno.is_empty() || errno.starts_with(b"E");
    (whole && named).then_some((value, errno))
}

/// Leading digits and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, b""))
}

/// `.000541` in microseconds, finer digits dropped; 0 where there is none.
fn fraction(text: &[u8]) -> (u32, &[u8]) {
    let Some(rest) = text.strip_prefix(b".") else { return (0, text) };
    let (digits, rest) = digits(rest);
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
    (padded.fold(0, |value, digit| value * 10 + u32::from(digit - b'0')), rest)
}

fn sub_milli(micros: u32) -> u16 {
    (micros % 1000) as u16
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    Some(digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
}

fn small(digits: &[u8]) -> Option<u32> {
    number(digits).and_then(|n| u32::try_from(n).ok()).filter(|n| *n != u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(line: &str) -> (Option<u32>, Time, String, String, String, Option<u64>) {
        let parsed = parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        let (Said::Call(name, Body::Whole(w)) | Said::Resumed(name, Body::Whole(w))) = parsed.said else {
            panic!("{parsed:?}")
        };
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let ret = text(&[w.value, if w.errno.is_empty() { b"" } else { b" " }, w.errno].concat());
        (parsed.pid, parsed.time, text(name), text(w.args), ret, w.duration_us)
    }

    fn said(
        pid: Option<u32>,
        time: Time,
        name: &str,
        args: &str,
        ret: &str,
        us: Option<u64>,
    ) -> (Option<u32>, Time, String, String, String, Option<u64>) {
        (pid, time, name.into(), args.into(), ret.into(), us)
    }

    #[test]
    fn each_way_of_telling_process_and_time_is_read() {
        let epoch = Time::Epoch(1_697_048_351_000, 541);
        let call = |pid, time| said(pid, time, "brk", "NULL", "0x55b1f2e94000", Some(9));
        let rest = "brk(NULL)                 = 0x55b1f2e94000 <0.000009>";
        assert_eq!(whole(&format!("10000 1697048351.000541 {rest}")), call(Some(10000), epoch));
        assert_eq!(whole(&format!("[pid 10000] 1697048351.000541 {rest}")), call(Some(10000), epoch));
        assert_eq!(whole(&format!("1697048351.000541123 {rest}")), call(None, epoch));
        assert_eq!(whole(&format!("1697048351.000541 (+     0.000123) {rest}")), call(None, epoch));
        let day = Time::OfDay(44_506_362, 492);
        assert_eq!(whole(&format!("[pid  7] 12:21:46.362492 {rest}")), call(Some(7), day));
        assert_eq!(whole(&format!("12:21:46 {rest}")), call(None, Time::OfDay(44_506_000, 0)));
        assert_eq!(whole(&format!("7      0.000123 {rest}")), call(Some(7), Time::None));
        assert_eq!(whole(rest), call(None, Time::None));
    }

    #[test]
    fn time_beyond_all_others_is_none() {
        assert_eq!(parse(b"9223372036854775.999999 brk(NULL) = 0"), None);
        let last = Time::Epoch(9_223_372_036_854_775_000, 0);
        assert_eq!(whole("9223372036854775.000000 brk(NULL) = 0").1, last);
    }

    #[test]
    fn results_are_values_and_names_of_errors() {
        let ret = |line: &str| whole(line).4;
        assert_eq!(ret("stat(\"/x\", 0x7f) = -1 ENOENT (No such file or directory) <0.000010>"), "-1 ENOENT");
        assert_eq!(ret("poll([{fd=39, events=POLLOUT}], 1, 0) = 1 ([{fd=39, revents=POLLOUT}]) <0.000010>"), "1");
        assert_eq!(ret("openat(AT_FDCWD, \"/a\", O_RDONLY) = 3</a b> <0.1>"), "3");
        assert_eq!(ret("exit_group(0) = ?"), "?");
        assert_eq!(
            ret("read(0, 0x7f, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <1.5>"),
            "? ERESTARTSYS"
        );
        let again = "nanosleep({1, 0}, NULL) = ? ERESTART_RESTARTBLOCK (Interrupted by signal) <0.5>";
        assert_eq!(ret(again), "? ERESTART_RESTARTBLOCK");
        assert_eq!(whole("SYS_318(0x7f, 0x10) = 16 <0.000010>").2, "SYS_318");
        assert_eq!(ret("fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)"), "0x8002");
        assert_eq!(ret("poll(0x0, 0, 5) = 0 (Timeout) <0.005>"), "0");
    }

    #[test]
    fn text_inside_of_strings_is_not_looked_at() {
        let line = r#"write(1, "x) = 5 <0.5> <unfinished ...>\n\"), (", 31) = 31 <0.000010>"#;
        let (.., args, ret, us) = whole(line);
        assert_eq!(
            (args.as_str(), ret.as_str(), us),
            (r#"1, "x) = 5 <0.5> <unfinished ...>\n\"), (", 31"#, "31", Some(10))
        );
    }

    #[test]
    fn halves_of_a_call_are_told() {
        let of = |line: &'static str| parse(line.as_bytes()).map(|l| l.said);
        assert_eq!(of("accept(34,  <unfinished ...>"), Some(Said::Call(b"accept", Body::Unfinished(b"34, "))));
        assert_eq!(of("???( <unfinished ...>"), Some(Said::Call(b"???", Body::Unfinished(b""))));
        assert_eq!(of("read(3,  <detached ...>"), Some(Said::Call(b"read", Body::Detached)));
        assert_eq!(whole("<... accept resumed>{sa_family=AF_INET}, [28 => 16]) = 45 <10.145459>").5, Some(10_145_459));
        assert_eq!(whole("<... epoll_wait resumed> <unfinished ...>) = ?").3, "");
        assert_eq!(of("+++ exited with 0 +++"), Some(Said::Exited));
        assert_eq!(of("+++ superseded by execve in pid 7 +++"), Some(Said::Superseded(7)));
        assert_eq!(of("--- SIGCHLD {si_signo=SIGCHLD} ---"), Some(Said::Aside));
        let asides = ["strace: Process 7 attached", "Process 7 attached - interrupt to quit", "Process 7 suspended"];
        for aside in asides.into_iter().chain(["Process 7 resumed (parent 4 ready)"]) {
            assert_eq!(of(aside), Some(Said::Aside), "{aside}");
        }
        assert_eq!(of("Process 7 of nine"), None);
    }

    #[test]
    fn cut_and_foreign_lines_are_none_of_it() {
        let line = "stat(\"/x\", {st_mode=S_IFREG|0644, st_size=5, ...}) = -1 ENOENT (No such file) <0.000010>";
        let cuts = (1..line.len()).filter(|cut| parse(&line.as_bytes()[..*cut]).is_some());
        // Only behind the result can a cut not be seen.
        assert!(cuts.map(|cut| &line[..cut]).all(|cut| cut.contains(") = ")));
        for line in [
            "",
            "x",
            "12:61:00 brk() = 0",
            "INFO foo(1) = 2",
            "f(1) == 2",
            "f(1) = two",
            "7 f(1)",
            "= 0",
            "f(1) = 0 <0.1",
        ] {
            assert_eq!(parse(line.as_bytes()), None, "{line}");
        }
    }
}
