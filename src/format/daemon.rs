//! What all log4j formats share: the walk over the lines, the time span, the hosts named,
//! the complaints.
//!
//! ```text
//! 2026-11-20 21:24:33,513 INFO org.apache.hadoop.mapred.TaskTracker: STARTUP_MSG:
//! /************************************************************
//! STARTUP_MSG: Starting TaskTracker
//! ```
//! A format is a [`Messages`]: it sees one message after another. Lines without a time
//! belong to the message above; before the first message they fit nothing and are
//! counted as such.
//! Cost: O(line).

use super::complaints::Listener;
use super::hosts::{self, Mentions};
use super::log4j::{Record, Split, Splitter};
use super::unread;
use super::{Line, Out, Parse};
use crate::base::Code;
use crate::base::text::without_zeros;
use crate::model::Event;

/// What a message is to a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// One that the format reads.
    Known,
    /// One that says nothing about states; it may name a host.
    Other,
    /// Begins as one that the format reads, but is damaged.
    Malformed,
}

impl Fit {
    /// Of a message that begins as one that says something: known if it does, and what.
    #[must_use]
    pub fn of(event: Option<Event>) -> (Self, Option<Event>) {
        (if event.is_some() { Self::Known } else { Self::Malformed }, event)
    }
}

/// A format of log4j lines.
pub trait Messages {
    /// Whether a daemon of the node writes the log, and not a process of some job's.
    const OF_DAEMON: bool = true;

    /// Takes a message.
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit;
    /// Takes a line that belongs to the message above.
    fn continuation(&mut self, _text: &[u8]) {}
    /// The file is over.
    fn end(&mut self, _out: &mut Out<'_>) {}
}

/// The walk over a file of log4j lines.
#[derive(Debug, Default)]
pub struct Walk<M> {
    messages: M,
    splitter: Splitter,
    mentions: Mentions,
    complaints: Listener,
    /// Lines that are records.
    records: u64,
    /// Lines between them that look like records of another layout, and the first of them.
    of_another: (u64, u64),
}

/// Records that look like those of another layout, as one of so many, before that is told.
const OF_ANOTHER_LAYOUT: u64 = 20;

impl<M: Messages> Walk<M> {
    /// A walk that gives its messages to `messages`.
    pub fn new(messages: M) -> Self {
        Self {
            messages,
            splitter: Splitter::default(),
            mentions: Mentions::default(),
            complaints: Listener::new(M::OF_DAEMON),
            records: 0,
            of_another: (0, 0),
        }
    }
}

impl<M: Messages> Parse for Walk<M> {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        match self.splitter.split(without_zeros(line.bytes)) {
            Split::Record(record) => {
                self.records += 1;
                out.time(record.at);
                self.complaints.record(&record, line.number, out);
                match self.messages.message(&record, line.number, out) {
                    Fit::Known => out.understood(),
                    Fit::Malformed => out.skipped(Code::MalformedLine, line.number),
                    Fit::Other => {
                        if !hosts::tracker(record.message, out) {
                            self.mentions.scan(record.message, out);
                        }
                        out.unused();
                    }
                }
            }
            Split::BadTime => out.skipped(Code::BadTime, line.number),
            Split::Unreadable => out.skipped(Code::MalformedLine, line.number),
            // What is thrown begins with a class or a tab. What a job's code writes into its task's log is its own.
            Split::Continuation if M::OF_DAEMON && self.records > 0 && unread::is_dated(line.bytes) => {
                let (count, first) = self.of_another;
                self.of_another = (count + 1, if count == 0 { line.number } else { first });
                out.skipped(Code::MalformedLine, line.number);
            }
            Split::Continuation if self.records > 0 => {
                hosts::startup(line.bytes, out);
                self.messages.continuation(line.bytes);
                self.complaints.continuation(line.bytes);
                out.understood();
            }
            Split::Continuation => out.skipped(Code::MalformedLine, line.number),
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        self.complaints.end(out);
        self.messages.end(out);
        let (of_another, first) = self.of_another;
        if self.records == 0 {
            out.issue(Code::UnreadLog, 0);
        } else if of_another * OF_ANOTHER_LAYOUT >= self.records {
            out.issue(Code::OtherLayout, first);
        }
    }
}
