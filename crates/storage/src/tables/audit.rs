//! Audit trail of transactions, stored with their changes.
//!
//! An audited transaction records every record it writes, and adds one row with an event for each.
//! Changes and events are committed atomically. Events stay in the store until they are written to
//! their destination; consecutive numbers reveal missing ones.

mod changed_entity;
mod difference;
mod disclosed;
mod disclosure;
mod events;
mod journal;
mod label;
mod node;
mod recorder;
mod schema;
mod value;

pub use changed_entity::{ChangeSide, collection_of, disclosed_entity};
pub use disclosed::DisclosedEntity;
pub use journal::{AuditBacklog, MAX_UNWRITTEN, WrittenCursor, events_from};
pub use recorder::AuditEntry;

pub(super) use recorder::Recorder;
