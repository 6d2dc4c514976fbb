//! The audit trail: what transactions changed, written with the changes themselves.
//!
//! A transaction on somebody's behalf notes each record that it writes, whatever use case it belongs to,
//! and adds one row with an event for each of them. So no committed change is without its event, and
//! none has an event that was not committed. The events stay until whoever writes them to their
//! destination has done so; numbers without gaps show that none is missing.

mod described;
mod difference;
mod journal;
mod label;
mod node;
mod recorder;
mod shown;
mod telling;

pub use journal::{AuditBacklog, MAX_UNWRITTEN, WrittenMark, events_from};
pub use recorder::AuditEntry;

pub(super) use recorder::Recorder;
