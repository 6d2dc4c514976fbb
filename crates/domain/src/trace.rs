//! Traces of the traffic of identities.

use crate::clock::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// Request to trace the traffic of an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSpec {
    /// Trace id in reports; drawn if `None`.
    pub id: Option<String>,
    pub duration: SignedDuration,
    /// Channel types; empty for all.
    pub channels: BTreeSet<String>,
}

/// An active trace of an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Trace id in reports.
    pub id: String,
    pub until: Timestamp,
    /// Channel types; empty for all.
    pub channels: BTreeSet<String>,
}
