//! Tracing: whose traffic routers are to report on, and until when.

use crate::clock::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// What administrators decide about the tracing of an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSpec {
    /// What reports are to be found by; one is drawn where none is given.
    pub id: Option<String>,
    /// For how long.
    pub duration: SignedDuration,
    /// The kinds of channels; none stands for all of them.
    pub channels: BTreeSet<String>,
}

/// The tracing of an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// What reports are found by.
    pub id: String,
    /// When it ends.
    pub until: Timestamp,
    /// The kinds of channels; none stands for all of them.
    pub channels: BTreeSet<String>,
}
