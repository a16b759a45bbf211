//! What is known after reading: first the [`Digest`] (per file, mergeable), then the
//! [`Trace`] (per cluster, built once by `states`, immutable from then on).

pub mod calls;
pub mod clock;
pub mod complaint;
pub mod content;
pub mod counters;
pub mod coverage;
pub mod density;
pub mod digest;
pub mod errors;
pub mod event;
pub mod flow;
pub mod formats;
pub mod job_conf;
pub mod metric;
pub mod packed;
pub mod records;
pub mod samples;
pub mod shapes;
pub mod state;
pub mod trace;

pub use calls::{Call, CallCounts, CallSum, Calls, CallsBuilder, Syscall};
pub use clock::{ClockChoice, Clocks, Evidence, Skew, Zone, ZoneSource};
pub use complaint::{Complaint, ComplaintKind, Mirrors, Said, Subject};
pub use content::Content;
pub use counters::{Count, Counters};
pub use coverage::Coverage;
pub use density::Density;
pub use digest::{
    Clock, Digest, DigestError, EventLog, EventWriter, FileDigest, FileKey, HostClaim, HostSource, Row, Topic,
};
pub use event::{Event, PORT_NOT_PRINTED};
pub use flow::{Flow, FlowKind, Flows};
pub use job_conf::JobConf;
pub use metric::{Metric, OfMetrics};
pub use packed::Lanes;
pub use records::{
    AttemptRecord, ContainerStep, JobRecord, JobStatus, Label, Outcome, Phase, TaskMemory, TaskRecord, TaskType,
};
pub use samples::{Sample, Samples};
pub use shapes::{ShapeTable, Shapes, Unknown};
pub use state::{State, StateKind, States, WriteOrigin};
pub use trace::{Capacity, FileInfo, FileReading, Job, MIN_PEERS, Node, TaskAttempt, Trace};
