//! Audit trail checks on every request of a test.
//!
//! Every request that changes the store must leave events, each of which says who did what to what,
//! from where. [`EntitySnapshot::assert_audited`] checks everything: that the events describe
//! exactly the difference between the lists before and after, member by member.

mod audit_trail;
mod change;
mod entity_snapshot;
mod flatten;
mod listed_kind;

pub use audit_trail::AuditTrail;
pub use entity_snapshot::EntitySnapshot;

use crate::harness::Harness;
use crate::reply::Reply;
use http::{Method, Uri};
use portcullis_storage::tables::{AuditBacklog, Rows};
use serde_json::Value;
use std::net::IpAddr;

/// Position in the store and its audit trail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditPosition {
    revision: u64,
    next_seq: u64,
    next_row: u64,
}

impl AuditPosition {
    /// The position before a request that may change something.
    pub(crate) fn before(harness: &Harness, method: &Method, uri: &Uri) -> Option<Self> {
        // Some tests count reads, and routers may change the store while they are inspected.
        if *method == Method::GET || uri.path() == "/fabric/v1/inspections" {
            return None;
        }
        Self::current(harness)
    }

    /// The current position; `None` if the store cannot be read, as in tests about that.
    fn current(harness: &Harness) -> Option<Self> {
        let view = harness.engine.snapshot().ok()?;
        let backlog = AuditBacklog::read(Rows::new(&*view)).ok()?;
        Some(Self {
            revision: view.revision().ok()?,
            next_seq: backlog.next_seq,
            next_row: backlog.next_row,
        })
    }
}

/// Asserts that a successful request that changed the store since `before` left an event, and that
/// events have an actor and a source.
///
/// # Panics
///
/// If it did not, or they have not.
pub(crate) fn check(
    before: Option<AuditPosition>,
    harness: &Harness,
    (method, uri): (&Method, &Uri),
    reply: &Reply,
) {
    let Some(before) = before else {
        return;
    };
    let Some(after) = AuditPosition::current(harness) else {
        return;
    };
    let has_changed = reply.status.is_success() && after.revision > before.revision;
    assert!(
        !has_changed || after.next_seq > before.next_seq,
        "{method} {uri} changed the store without an audit event"
    );
    if after.next_seq > before.next_seq {
        let view = harness.engine.snapshot().unwrap();
        let (events, _next) = audit_trail::read(Rows::new(&*view), before.next_row);
        for event in &events {
            check_event(event);
        }
    }
}

/// Asserts that an event has an operation, an actor and a source.
fn check_event(event: &Value) {
    let text = |member: &str| event[member].as_str().unwrap_or_default();
    let (noun, verb) = text("operation").split_once('.').unwrap_or_default();
    assert!(
        !noun.is_empty() && !verb.is_empty(),
        "no operation: {event}"
    );
    let has_entity = !text("entity").is_empty() || event["count"].is_u64();
    assert!(has_entity, "no entity: {event}");
    assert!(!text("actor").is_empty(), "no actor: {event}");
    if text("actor") != "controller" {
        assert!(text("source").parse::<IpAddr>().is_ok(), "{event}");
        assert!(!text("request").is_empty(), "no request id: {event}");
    }
}
