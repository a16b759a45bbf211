//! What is known after reading: first the [`Digest`] (per file, mergeable), then the
//! [`Trace`] (per cluster, built once by `states`, immutable from then on).

pub mod complaint;
pub mod coverage;
pub mod digest;
pub mod event;
pub mod job_conf;
pub mod samples;
pub mod trace;

pub use complaint::{Complaint, ComplaintKind, Said, Subject};
pub use coverage::Coverage;
pub use digest::{Clock, Digest, DigestError, EventLog, FileDigest, FileKey, HostClaim, HostSource, Row};
pub use event::{AttemptRecord, Counters, Event, JobRecord, JobStatus, Outcome, Phase, TaskType};
pub use job_conf::JobConf;
pub use samples::{METRICS, Sample, Samples};
pub use trace::{FileInfo, Flow, FlowKind, Job, Node, State, StateKind, States, TaskAttempt, Trace, WriteOrigin};
