//! What a router reports of its metrics: when, how much may wait, and what circuits carry.

mod options;
mod report_queue;
mod usage;

pub use crate::metrics::options::MetricsOptions;
pub use crate::metrics::report_queue::ReportQueue;
pub use crate::metrics::usage::{CircuitUsage, Traffic, Usage};
