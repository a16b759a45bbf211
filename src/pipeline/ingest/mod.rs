//! Inputs to a digest.
//!
//! Any number of [`Ingest`]s may each take some of the inputs; the merge of their digests
//! is the same bytes however the inputs were dealt out and in whichever order.
//!
//! An input, or a member of an archive, that is itself a digest is merged. Whatever is
//! wrong with an archive or a digest becomes a row of its own beside the files, under
//! the format name [`ARCHIVE`] or [`DIGEST`], so that coverage shows it.

mod collector;
mod deal;

pub use crate::model::digest::{ARCHIVE, DIGEST};
pub use collector::Collector;
pub use deal::{Call, Dealer, Helper, NoHelper};

use crate::model::Digest;
use crate::source::{Limits, Unpacker};

/// How far an ingest has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes fed.
    pub bytes: u64,
    /// Files read to their end.
    pub members: u64,
    /// Lines (or records) in them.
    pub lines: u64,
}

/// Reads inputs, one after another, into one digest. Others may help: what each of them read is a
/// digest of its own, and all are merged.
pub struct Ingest<H = NoHelper> {
    limits: Limits,
    unpacker: Option<Unpacker>,
    input_bytes: u64,
    dealer: Dealer<H>,
}

impl Ingest {
    /// One that has read nothing.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::dealing(limits, Vec::new(), 0)
    }
}

impl<H: Helper> Ingest<H> {
    /// One that deals members out, and reads those itself that come while `busy_from` bytes or more
    /// wait for every helper.
    #[must_use]
    pub fn dealing(limits: Limits, helpers: Vec<H>, busy_from: usize) -> Self {
        Self { limits, unpacker: None, input_bytes: 0, dealer: Dealer::new(helpers, busy_from, limits) }
    }

    /// An input begins: a file, an archive or a digest of this name (its base name, or
    /// `folder/sub/file`). The one before it is finished.
    pub fn start(&mut self, name: &str) {
        self.finish_input();
        self.input_bytes = 0;
        self.dealer.begin(name);
        self.unpacker = Some(Unpacker::new(name, &self.limits));
    }

    /// The next bytes of the input.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(unpacker) = &mut self.unpacker {
            unpacker.feed(bytes, &mut self.dealer);
            self.input_bytes += bytes.len() as u64;
            self.dealer.home.count(bytes.len());
        }
    }

    /// The input is over.
    pub fn finish_input(&mut self) {
        if let Some(mut unpacker) = self.unpacker.take() {
            unpacker.finish(&mut self.dealer);
            self.dealer.end(self.input_bytes);
        }
    }

    /// Who else reads.
    pub fn helpers_mut(&mut self) -> &mut [H] {
        &mut self.dealer.helpers
    }

    /// How far it has come, without what is read elsewhere.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.dealer.home.progress()
    }

    /// What was read of the inputs that are over.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        self.dealer.home.digest()
    }

    /// What was read. The input that is still open is finished.
    #[must_use]
    pub fn into_digest(self) -> Digest {
        self.into_collector().into_digest()
    }

    /// What was read, and whether that is all. The input that is still open is finished.
    #[must_use]
    pub fn into_collector(mut self) -> Collector {
        self.finish_input();
        self.dealer.home
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::model::FileDigest;
    use crate::model::digest::MAGIC;
    use crate::model::digest::lines::line_of;
    use crate::source::tests::{gz, tar};
    use proptest::prelude::*;

    const LOG: &str = "2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction \
        (registerTask): attempt_202611210224_0001_m_000001_0 task's state:UNASSIGNED\n";

    fn gz_tar(members: &[(&str, &[u8])]) -> Vec<u8> {
        gz(&tar(members))
    }

    fn ingest<'a>(inputs: impl IntoIterator<Item = &'a (String, Vec<u8>)>) -> Digest {
        let mut ingest = Ingest::new(Limits::default());
        for (name, bytes) in inputs {
            ingest.start(name);
            ingest.feed(bytes);
        }
        ingest.into_digest()
    }

    fn rows(digest: &Digest) -> Vec<(&str, &str, Vec<Code>)> {
        let codes = |file: &FileDigest| file.issues.iter().map(|(code, _)| code).collect();
        digest.files().map(|(key, file)| (key.path.as_str(), file.format.as_str(), codes(file))).collect()
    }

    #[test]
    fn archive_becomes_rows_of_its_members_and_of_what_is_wrong_with_it() {
        let archive = gz_tar(&[("h1/x.log", LOG.repeat(50).as_bytes()), ("h1/noise", &[0, 1, 2])]);
        let digest = ingest([&("r.tar.gz".to_owned(), archive.clone())]);
        let expected =
            [("r.tar.gz/h1/noise", "", vec![Code::UnknownFormat]), ("r.tar.gz/h1/x.log", "tasktracker", vec![])];
        assert_eq!(rows(&digest), expected);
        let cut = ingest([&("r.tar.gz".to_owned(), archive[..archive.len() - 4].to_vec())]);
        assert_eq!(rows(&cut)[0], ("r.tar.gz", ARCHIVE, vec![Code::Truncated]));
        assert_eq!(rows(&cut)[1..], expected);
    }

    #[test]
    fn progress_counts_what_is_over() {
        let mut ingest = Ingest::new(Limits::default());
        ingest.start("x.log");
        ingest.feed(LOG.as_bytes());
        ingest.feed(LOG.as_bytes());
        let bytes = 2 * LOG.len() as u64;
        assert_eq!(ingest.progress(), Progress { bytes, members: 0, lines: 0 });
        ingest.finish_input();
        assert_eq!(ingest.progress(), Progress { bytes, members: 1, lines: 2 });
    }

    #[test]
    fn digest_is_merged_wherever_a_log_may_be() {
        let log = ("x.log".to_owned(), LOG.as_bytes().to_vec());
        let digest = ingest([&log]);
        for input in [digest.encode(), gz_tar(&[("part-00000", &digest.encode())])] {
            assert_eq!(ingest([&("any name".to_owned(), input)]), digest);
        }
    }

    #[test]
    fn bad_digests_are_rows() {
        let good = ingest([&("x.log".to_owned(), LOG.as_bytes().to_vec())]).encode();
        let mut newer = good.clone();
        newer[MAGIC.len()] = u8::MAX;
        let mut damaged = good.clone();
        damaged[MAGIC.len() + 12] ^= 1;
        for (bytes, code) in [
            (newer, Code::NewerDigest),
            (damaged, Code::BadDigest),
            (good[..40].to_vec(), Code::BadDigest),
            (MAGIC.to_vec(), Code::BadDigest),
        ] {
            assert_eq!(rows(&ingest([&("d".to_owned(), bytes)])), [("d", DIGEST, vec![code])]);
        }
        // What is whole of a digest whose end is cut counts.
        let cut = good[..good.len() - 1].to_vec();
        let read = ingest([&("d".to_owned(), cut)]);
        assert_eq!(rows(&read), [("d", DIGEST, vec![Code::BadDigest]), ("x.log", "tasktracker", vec![])]);
    }

    #[test]
    fn lines_of_a_digest_are_merged_and_bad_ones_counted() {
        let log = ("x.log".to_owned(), LOG.as_bytes().to_vec());
        let digest = ingest([&log]);
        let line = digest.files().map(|(key, file)| line_of(key, file)).next().unwrap();
        let text = format!("{line}\n\n{line}\r\n");
        for pieces in [1, 7, text.len()] {
            let mut ingest = Ingest::new(Limits::default());
            ingest.start("part-00000");
            text.as_bytes().chunks(pieces).for_each(|piece| ingest.feed(piece));
            assert_eq!(ingest.into_digest(), digest, "{pieces}");
        }
        let text = format!("{line}\n{}\n", &line[..line.len() / 2]);
        let read = ingest([&("part-00000".to_owned(), text.into_bytes())]);
        assert_eq!(
            rows(&read),
            [
                ("part-00000", crate::model::digest::DIGEST_LINES, vec![Code::BadDigest]),
                ("x.log", "tasktracker", vec![])
            ]
        );
    }

    /// One who reads what it was told when it comes to that.
    #[derive(Default)]
    struct Elsewhere {
        calls: Vec<u8>,
        collector: Collector,
    }

    fn elsewhere(helpers: usize) -> Vec<Elsewhere> {
        std::iter::repeat_with(Elsewhere::default).take(helpers).collect()
    }

    impl Elsewhere {
        fn read(&mut self) {
            self.collector.replay(&std::mem::take(&mut self.calls));
        }
    }

    impl Helper for Elsewhere {
        fn waits(&self) -> usize {
            self.calls.len()
        }

        fn call(&mut self, call: Call<'_>) {
            call.write(&mut self.calls);
        }
    }

    #[test]
    fn all_helpers_have_something_to_do() {
        let members: Vec<(String, Vec<u8>)> =
            (1..20_usize).map(|i| (format!("h/{i}.log"), LOG.repeat(i * 40).into_bytes())).collect();
        let members: Vec<_> = members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let mut dealing = Ingest::dealing(Limits::default(), elsewhere(2), 200_000);
        dealing.start("r.tar.gz");
        dealing.feed(&gz_tar(&members));
        dealing.finish_input();
        let mut read: Vec<usize> = Vec::new();
        for helper in dealing.helpers_mut() {
            helper.read();
            read.push(helper.collector.digest().files().count());
        }
        read.push(dealing.into_digest().files().count());
        assert!(read.iter().all(|files| *files > 3), "{read:?}");
        assert_eq!(read.iter().sum::<usize>(), members.len());
    }

    /// Inputs of few names and contents, so that names and contents meet in all ways:
    /// whole, cut and damaged archives, digests, plain files.
    fn any_input() -> impl Strategy<Value = (String, Vec<u8>)> {
        let name = prop::sample::select(vec!["a.tar.gz", "b.log"]);
        let lines = 0_usize..3;
        (name, lines, 0_usize..8).prop_map(|(name, lines, kind)| {
            let log = LOG.repeat(lines);
            let archive = gz_tar(&[("x.log", log.as_bytes()), ("y.log", b"?")]);
            let bytes = match kind {
                0 => log.into_bytes(),
                1 => archive,
                2 => archive[..archive.len() - 9].to_vec(),
                3 => [&archive[..archive.len() - 8], &[0; 8]].concat(),
                // The same file as in 0, but its gzip's checksum is wrong.
                5 => [&gz(log.as_bytes())[..gz(log.as_bytes()).len() - 8], &[7; 8]].concat(),
                4 => gz_tar(&[]),
                6 => [&archive[..archive.len() / 2], &[0x5a; 40], &archive[archive.len() / 2..]].concat(),
                _ => ingest([&("a.tar.gz".to_owned(), archive)]).encode(),
            };
            (name.to_owned(), bytes)
        })
    }

    proptest! {
        #[test]
        fn any_order_and_partition_gives_the_same_bytes(
            inputs in prop::collection::vec((any_input(), 0_usize..3), 0..8),
            order in any::<prop::sample::Index>(),
        ) {
            let whole = ingest(inputs.iter().map(|(input, _)| input)).encode();
            let mut dealt = inputs.clone();
            if !dealt.is_empty() {
                let by = order.index(dealt.len());
                dealt.rotate_left(by);
                dealt[by..].reverse();
            }
            let mut merged = Digest::default();
            for worker in [2, 0, 1] {
                let share = dealt.iter().filter(|(_, to)| *to == worker).map(|(input, _)| input);
                merged.merge(ingest(share));
            }
            prop_assert_eq!(merged.encode(), whole);
        }

        #[test]
        fn members_may_be_read_by_whoever(
            input in any_input(),
            helpers in 0_usize..3,
            busy_from in 0_usize..2_000,
            piece in 1_usize..400,
        ) {
            let mut dealing = Ingest::dealing(Limits::default(), elsewhere(helpers), busy_from);
            dealing.start(&input.0);
            for (i, piece) in input.1.chunks(piece).enumerate() {
                dealing.feed(piece);
                if let Some(helper) = dealing.helpers_mut().get_mut(i % 5) {
                    helper.read();
                }
            }
            dealing.finish_input();
            let mut merged = Digest::default();
            for helper in dealing.helpers_mut() {
                helper.read();
                merged.merge(std::mem::take(&mut helper.collector).into_digest());
            }
            merged.merge(dealing.into_digest());
            prop_assert_eq!(merged.encode(), ingest([&input]).encode());
        }

        #[test]
        fn pieces_do_not_change_the_digest(input in any_input(), piece in 1_usize..200) {
            let whole = ingest([&input]);
            let mut ingest = Ingest::new(Limits::default());
            ingest.start(&input.0);
            for piece in input.1.chunks(piece) {
                ingest.feed(piece);
            }
            prop_assert_eq!(ingest.into_digest(), whole);
        }
    }
}
