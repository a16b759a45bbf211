//! Configuration of a job as XML, Hadoop 0.18 to 3.x.
//!
//! ```text
//! <?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>
//! <property><name>mapred.map.tasks.speculative.execution</name><value>true</value></property>
//! <property><!--Loaded from job.xml--><name>mapreduce.map.speculative</name><value>true</value><final>false</final></property>
//! ```
//! Written by `org.apache.hadoop.conf.Configuration.writeXml` as `<job>_conf.xml` beside the
//! history and as `job.xml` beside the tasks. A property may stand on one line or on many.
//! Whose it is stands in its path (`job_…_conf.xml`, a folder named as job or application),
//! else in the values that name files of the job. A cluster's own `mapred-site.xml` is read
//! too, and is nobody's.
//!
//! Values with an unresolved `${…}` say nothing. Cost: O(bytes); one name and value held.

use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::bytes::text;
use crate::base::ids::number;
use crate::base::{JobId, Timestamp};
use crate::model::{Clock, Event, JobConf, formats};
use memchr::{memchr, memchr2, memmem};

/// Text of one element kept; a job's class path may be long, and is not needed whole.
const TEXT_BYTES: usize = 64 * 1024;
/// Longest tag or comment looked at.
const TAG_BYTES: usize = 4096;
/// Longest entity, `&#x10FFFF;`.
const ENTITY_BYTES: usize = 12;

/// Names whose values are paths with the job's id in them.
const OWNERS: [&str; 4] = ["mapred.jar", "mapreduce.job.jar", "mapreduce.job.dir", "mapred.job.id"];

/// The format.
#[derive(Debug)]
pub struct JobConfXml;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::JOB_CONF,
    title: "Job configuration",
    versions: "0.18 to 3.x",
    written_by: "org.apache.hadoop.conf.Configuration",
    feed: Feed::Lines,
    clock: Clock::Epoch,
    samples: &[
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><configuration>\n<property><name>mapred.jar</name><value>/hadoop/mapred/system/job_202611202124_0001/job.jar</value></property>\n<property><name>dfs.block.size</name><value>4194304</value></property>\n</configuration>",
    ],
};

impl Format for JobConfXml {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.bytes.trim_ascii_start();
        let is_xml = text.starts_with(b"<?xml") || text.starts_with(b"<configuration") || text.starts_with(b"<!--");
        if is_xml && memmem::find(text, b"<configuration").is_some() { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, path: &str) -> Box<dyn Parse> {
        Box::new(Properties { job: job_in(path.as_bytes()), ..Properties::default() })
    }
}

/// The last job or application that `text` names.
fn job_in(text: &[u8]) -> Option<JobId> {
    let parse = |key: &[u8]| {
        memmem::rfind_iter(text, key)
            .find_map(|at| JobId::parse_digits(text.get(at + key.len()..)?).map(|(job, _)| job))
    };
    parse(b"job_").or_else(|| parse(b"application_"))
}

/// Which element's text is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Other,
    Name,
    Value,
}

#[derive(Debug, Default)]
struct Properties {
    job: Option<JobId>,
    conf: JobConf,
    inside: Inside,
    name: Vec<u8>,
    value: Vec<u8>,
    /// The tag, from behind its `<`, if one is open.
    tag: Option<Vec<u8>>,
    /// The entity, from behind its `&`, if one is open.
    entity: Option<Vec<u8>>,
}

impl Parse for Properties {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        let mut rest = line.bytes;
        while let Some((first, behind)) = rest.split_first() {
            let run = self.run(rest);
            if run == 0 {
                self.byte(*first);
                rest = behind;
            } else {
                rest = rest.get(run..).unwrap_or_default();
            }
        }
        self.byte(b'\n');
        out.understood();
    }

    fn end(self: Box<Self>, out: &mut Out<'_>) {
        if let Some(job) = self.job {
            tell(job, self.conf, 0, out);
        }
    }
}

impl Properties {
    /// Takes the bytes in front that neither begin nor end anything: how many.
    fn run(&mut self, bytes: &[u8]) -> usize {
        let until = |end: Option<usize>| bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        if let Some(tag) = &mut self.tag {
            let run = until(memchr(b'>', bytes));
            let run = run.get(..TAG_BYTES.saturating_sub(tag.len())).unwrap_or(run);
            tag.extend_from_slice(run);
            return run.len();
        }
        if self.entity.is_some() {
            return 0;
        }
        let run = until(memchr2(b'<', b'&', bytes));
        self.text(run);
        run.len()
    }

    fn byte(&mut self, b: u8) {
        if let Some(tag) = &mut self.tag {
            let comment = tag.starts_with(b"!--");
            if b == b'>' && (!comment || tag.ends_with(b"--")) {
                let tag = self.tag.take().unwrap_or_default();
                self.tag_ends(&tag);
            } else if tag.len() < TAG_BYTES {
                tag.push(b);
            } else {
                // The end of a long comment still has to be seen.
                tag.drain(3..TAG_BYTES - 2);
                tag.push(b);
            }
            return;
        }
        if let Some(entity) = &mut self.entity {
            if b == b';' || entity.len() >= ENTITY_BYTES {
                let entity = self.entity.take().unwrap_or_default();
                let mut room = [0; 4];
                let text = character(&entity).map(|c| c.encode_utf8(&mut room).as_bytes()).unwrap_or_default();
                self.text(text);
            } else {
                entity.push(b);
            }
            return;
        }
        match b {
            b'<' => self.tag = Some(Vec::new()),
            b'&' => self.entity = Some(Vec::new()),
            _ => self.text(&[b]),
        }
    }

    fn text(&mut self, more: &[u8]) {
        let text = match self.inside {
            Inside::Name => &mut self.name,
            Inside::Value => &mut self.value,
            Inside::Other => return,
        };
        let room = TEXT_BYTES.saturating_sub(text.len());
        text.extend_from_slice(more.get(..room).unwrap_or(more));
    }

    fn tag_ends(&mut self, tag: &[u8]) {
        let cdata = tag.strip_prefix(b"![CDATA[").and_then(|t| t.strip_suffix(b"]]"));
        if let Some(text) = cdata {
            return self.text(text);
        }
        match tag {
            b"name" => {
                self.inside = Inside::Name;
                self.name.clear();
            }
            b"value" => {
                self.inside = Inside::Value;
                self.value.clear();
            }
            b"/name" | b"/value" => self.inside = Inside::Other,
            b"/property" => {
                self.inside = Inside::Other;
                let (name, value) = (text(&self.name), text(&self.value));
                set(&mut self.conf, name.trim(), value.trim());
                if self.job.is_none() && OWNERS.contains(&name.trim()) {
                    self.job = job_in(value.as_bytes());
                }
                self.name.clear();
                self.value.clear();
            }
            _ => {}
        }
    }
}

/// The character that an entity stands for.
fn character(entity: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(entity).ok()?;
    Some(match text {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = text.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

/// Gives what a configuration says, if it says anything.
pub(super) fn tell(job: JobId, conf: JobConf, line: u64, out: &mut Out<'_>) {
    if let Some(bytes) = conf.cache_file_bytes {
        out.event(line, Timestamp::default(), &Event::CacheFile { job, bytes });
    }
    if conf != (JobConf { cache_file_bytes: conf.cache_file_bytes, ..JobConf::default() }) {
        out.event(line, Timestamp::default(), &Event::JobConf { job, conf: Box::new(conf) });
    }
}

/// Takes a property if it is one of those used, by its name of 0.18 to 1.x or of later.
pub fn set(conf: &mut JobConf, name: &str, value: &str) {
    let small = || value.parse::<u32>().ok();
    let truth = || value.parse::<bool>().ok();
    match name {
        // No file has blocks of no length: it is not known then.
        "dfs.block.size" | "dfs.blocksize" => conf.block_bytes = bytes(value).filter(|length| *length > 0),
        "dfs.replication" => conf.replication = small(),
        "mapred.tasktracker.map.tasks.maximum" | "mapreduce.tasktracker.map.tasks.maximum" => conf.map_slots = small(),
        "mapred.tasktracker.reduce.tasks.maximum" | "mapreduce.tasktracker.reduce.tasks.maximum" => {
            conf.reduce_slots = small();
        }
        "mapreduce.map.memory.mb" | "mapred.job.map.memory.mb" => conf.map_memory_mb = small(),
        "mapreduce.reduce.memory.mb" | "mapred.job.reduce.memory.mb" => conf.reduce_memory_mb = small(),
        "mapred.map.tasks.speculative.execution" | "mapreduce.map.speculative" => conf.map_speculation = truth(),
        "mapred.reduce.tasks.speculative.execution" | "mapreduce.reduce.speculative" => {
            conf.reduce_speculation = truth();
        }
        // Both kinds in one, until 0.18.
        "mapred.speculative.execution" => {
            conf.map_speculation = conf.map_speculation.or_else(truth);
            conf.reduce_speculation = conf.reduce_speculation.or_else(truth);
        }
        "mapred.task.timeout" | "mapreduce.task.timeout" => conf.task_timeout_ms = value.parse().ok(),
        "mapred.reduce.slowstart.completed.maps" | "mapreduce.job.reduce.slowstart.completedmaps" => {
            conf.slowstart_permille = permille(value);
        }
        "mapred.reduce.tasks" | "mapreduce.job.reduces" => conf.reduces = small(),
        "io.sort.mb" | "mapreduce.task.io.sort.mb" => conf.sort_mb = small(),
        "mapred.reduce.parallel.copies" | "mapreduce.reduce.shuffle.parallelcopies" => conf.parallel_copies = small(),
        "mapred.cache.files.filesizes"
        | "mapred.cache.archives.filesizes"
        | "mapreduce.job.cache.files.filesizes"
        | "mapreduce.job.cache.archives.filesizes" => {
            let largest = value.split(',').filter_map(|size| size.trim().parse().ok()).max();
            conf.cache_file_bytes = conf.cache_file_bytes.max(largest);
        }
        _ => {}
    }
}

/// A number of bytes, perhaps with one of Hadoop's binary prefixes: `134217728`, `128m`.
fn bytes(value: &str) -> Option<u64> {
    let (n, rest) = number(value.as_bytes())?;
    let shift = match rest {
        b"" => 0,
        b"k" | b"K" => 10,
        b"m" | b"M" => 20,
        b"g" | b"G" => 30,
        b"t" | b"T" => 40,
        _ => return None,
    };
    n.checked_mul(1 << shift)
}

/// Thousandths of a share between 0 and 1.
fn permille(value: &str) -> Option<u32> {
    let share: f64 = value.parse().ok()?;
    (0.0..=1.0).contains(&share).then_some((share * 1000.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read;

    fn conf(path: &str, text: &str) -> Option<(String, JobConf)> {
        read(&JobConfXml, path, text.as_bytes()).events.iter().find_map(|row| match row.event {
            Event::JobConf { job, conf } => Some((job.to_string(), *conf)),
            _ => None,
        })
    }

    #[test]
    fn blocks_of_no_length_are_not_known() {
        let mut conf = JobConf::default();
        set(&mut conf, "dfs.blocksize", "0");
        assert_eq!(conf, JobConf::default());
    }

    #[test]
    fn names_of_both_ages_mean_the_same() {
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let old = [
            property("dfs.block.size", "134217728"),
            property("mapred.map.tasks.speculative.execution", "true"),
            property("mapred.reduce.slowstart.completed.maps", "0.05"),
            property("mapred.task.timeout", "600000"),
        ];
        let new = [
            property("dfs.blocksize", "128m"),
            property("mapreduce.map.speculative", "true"),
            property("mapreduce.job.reduce.slowstart.completedmaps", "0.05"),
            property("mapreduce.task.timeout", "600000"),
        ];
        let read =
            |properties: &[String]| conf("x/job_1_0001_conf.xml", &format!("<configuration>{}", properties.concat()));
        let expected = JobConf {
            block_bytes: Some(134_217_728),
            map_speculation: Some(true),
            slowstart_permille: Some(50),
            task_timeout_ms: Some(600_000),
            ..JobConf::default()
        };
        assert_eq!(read(&old), Some(("job_1_0001".into(), expected)));
        assert_eq!(read(&new), read(&old));
    }

    #[test]
    fn largest_file_of_the_cache_counts() {
        let text = "<configuration>\n<property><name>mapred.cache.files.filesizes</name><value>5, 600000000,x</value></property>\n\
                    <property><name>mapreduce.job.cache.archives.filesizes</name><value>7</value></property>\n";
        let events = read(&JobConfXml, "job_1_0001_conf.xml", text.as_bytes()).events;
        let told: Vec<Event> = events.iter().map(|row| row.event).collect();
        assert_eq!(told, [Event::CacheFile { job: JobId { cluster: 1, number: 1 }, bytes: 600_000_000 }]);
    }

    #[test]
    fn property_over_lines_with_comments_and_entities() {
        let text = "<?xml version=\"1.0\"?>\n<!-- a > b <name>x</name> -->\n<configuration>\n <property>\n  <name>\n dfs&#46;replication\n</name>\n  <!--c-->\n  <value><![CDATA[ 2 ]]></value>\n  <description>&lt;value&gt;9</description>\n </property>\n</configuration>\n";
        let found = conf("application_5_0003/job.xml", text);
        assert_eq!(found.map(|(job, conf)| (job, conf.replication)), Some(("job_5_0003".into(), Some(2))));
    }

    #[test]
    fn job_is_told_by_its_files_where_the_path_is_silent() {
        let text = "<configuration><property><name>mapred.jar</name><value>/s/job_7_0002/job.jar</value></property>\
                    <property><name>io.sort.mb</name><value>100</value></property>";
        assert_eq!(conf("x", text).map(|(job, _)| job).as_deref(), Some("job_7_0002"));
        assert_eq!(conf("y/job_9_0001_conf.xml", text).map(|(job, _)| job).as_deref(), Some("job_9_0001"));
        assert_eq!(conf("mapred-site.xml", &text.replace("mapred.jar", "z")), None);
    }

    #[test]
    fn long_comment_hides_nothing_behind_it() {
        let text = format!(
            "<configuration><!--{}--><property><name>io.sort.mb</name><value>7</value></property>",
            "x>".repeat(TAG_BYTES)
        );
        assert_eq!(conf("job_1_0001", &text).and_then(|(_, conf)| conf.sort_mb), Some(7));
    }

    #[test]
    fn unresolved_values_say_nothing() {
        let mut conf = JobConf::default();
        set(&mut conf, "dfs.blocksize", "${x}");
        set(&mut conf, "io.sort.mb", "many");
        set(&mut conf, "mapreduce.job.reduce.slowstart.completedmaps", "7");
        assert_eq!(conf, JobConf::default());
    }
}
