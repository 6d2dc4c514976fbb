//! Each change that a request makes is in the audit trail, whatever request a test sends.

use crate::harness::Harness;
use crate::reply::Reply;
use http::{Method, Uri};
use portcullis_storage::tables::{AuditBacklog, Rows};

/// How far the store and its audit trail were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    revision: u64,
    next_seq: u64,
}

impl Mark {
    /// How far they are before a request that may change something.
    pub(crate) fn before(harness: &Harness, method: &Method) -> Option<Self> {
        if *method == Method::GET {
            // Some tests count what is read.
            return None;
        }
        Self::of(harness)
    }

    /// How far they are; nothing if the store cannot be read, as in tests about that.
    fn of(harness: &Harness) -> Option<Self> {
        let view = harness.engine.snapshot().ok()?;
        let backlog = AuditBacklog::read(Rows::new(&*view)).ok()?;
        Some(Self {
            revision: view.revision().ok()?,
            next_seq: backlog.next_seq,
        })
    }
}

/// Asserts that a request that was answered well and changed the store since `before` left an event.
///
/// # Panics
///
/// If it did not.
pub(crate) fn check(
    before: Option<Mark>,
    harness: &Harness,
    (method, uri): (&Method, &Uri),
    reply: &Reply,
) {
    let Some(before) = before else {
        return;
    };
    let Some(after) = Mark::of(harness) else {
        return;
    };
    let has_changed = reply.status.is_success() && after.revision > before.revision;
    assert!(
        !has_changed || after.next_seq > before.next_seq,
        "{method} {uri} changed the store, and the audit trail does not tell of it"
    );
}
