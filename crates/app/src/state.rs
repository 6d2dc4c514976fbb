//! Long-lived parts of the process that [`App`](crate::App) holds: caches, queues, cursors.
//!
//! Each owns its lock and knows neither the others nor the `App`.

mod audit_trail;
mod cleanup_cursor;
pub(crate) mod health;
mod inspection_room;
pub(crate) mod integrity_checks;
mod own_identity_cache;
pub(crate) mod posture_store;
mod router_limits;
pub(crate) mod service_updates;
mod signer_keys;
pub(crate) mod snapshot_files;
mod traces;
mod trust_anchor_cache;

pub use audit_trail::AuditEvent;
pub(crate) use audit_trail::AuditTrail;
pub(crate) use cleanup_cursor::CleanupCursor;
pub(crate) use health::Health;
pub use inspection_room::HeldValues;
pub(crate) use inspection_room::InspectionRoom;
pub(crate) use integrity_checks::IntegrityChecks;
pub(crate) use own_identity_cache::OwnIdentityCache;
pub(crate) use posture_store::PostureStore;
pub(crate) use router_limits::RouterLimits;
pub(crate) use service_updates::ServiceUpdates;
pub use signer_keys::{KeySetError, KeySetFetcher, KeySetFuture, SignerKeys};
pub(crate) use snapshot_files::SnapshotFiles;
pub(crate) use traces::Traces;
pub(crate) use trust_anchor_cache::TrustAnchorCache;
