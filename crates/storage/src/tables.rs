//! Typed tables over the bytes of an engine.
//!
//! [`Rows`] reads entities, [`RowsMut`] writes them. A write keeps the record, its unique values,
//! its references, the count of its kind and the recorded
//! [`Change`](portcullis_domain::change::Change) consistent.
//!
//! Absence is never permission: a dangling unique row is damage, not "no such entity".

mod audit;
mod dispatch;
mod entity_cache;
mod integrity;
mod kind;
mod model_position;
mod read;
mod record_counts;
mod remove_tree;
mod signing_keys;
mod unlink;
mod write;

pub use audit::{
    AuditBacklog, AuditEntry, ChangeSide, DisclosedEntity, MAX_UNWRITTEN, WrittenCursor,
    collection_of, disclosed_entity, events_from,
};
pub use dispatch::EntityVisitor;
pub use entity_cache::EntityCache;
pub use integrity::{Finding, Inspection, IntegrityError, inspect};
pub use kind::*;
pub use model_position::ModelPosition;
pub use read::{Found, Record, Rows};
pub use record_counts::{CountMismatch, RecordCounts};
pub use signing_keys::StoredSigningKey;
pub use write::{RowsMut, WriteError};
