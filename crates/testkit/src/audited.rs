//! Each change that a request makes is in the audit trail, whatever request a test sends.
//!
//! Of every request it is asked that a change leaves events, and that each of these says who did what
//! to what, from where. [`World::hold`] asks for everything: that the events tell of the change as
//! lists show it before and after, of each member and of nothing else.

mod change;
mod flat;
mod kind;
mod trail;
mod world;

pub use trail::AuditTrail;
pub use world::World;

use crate::harness::Harness;
use crate::reply::Reply;
use http::{Method, Uri};
use portcullis_storage::tables::{AuditBacklog, Rows};
use serde_json::Value;
use std::net::IpAddr;

/// How far the store and its audit trail were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    revision: u64,
    next_seq: u64,
    next_row: u64,
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
            next_row: backlog.next_row,
        })
    }
}

/// Asserts that a request that was answered well and changed the store since `before` left an event,
/// and that events say who acted and from where.
///
/// # Panics
///
/// If it did not, or they do not.
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
    if after.next_seq > before.next_seq {
        let view = harness.engine.snapshot().unwrap();
        let (events, _next) = trail::read(Rows::new(&*view), before.next_row);
        for event in &events {
            check_frame(event);
        }
    }
}

/// Asserts that an event says who did something, and from where.
fn check_frame(event: &Value) {
    let text = |member: &str| event[member].as_str().unwrap_or_default();
    let (noun, verb) = text("operation").split_once('.').unwrap_or_default();
    assert!(
        !noun.is_empty() && !verb.is_empty(),
        "no operation: {event}"
    );
    let has_entity = !text("entity").is_empty() || event["count"].is_u64();
    assert!(has_entity, "done to nothing: {event}");
    assert!(!text("actor").is_empty(), "done by nobody: {event}");
    if text("actor") != "controller" {
        assert!(text("source").parse::<IpAddr>().is_ok(), "{event}");
        assert!(!text("request").is_empty(), "of no request: {event}");
    }
}
