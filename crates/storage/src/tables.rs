//! Typed tables over the bytes of an engine.
//!
//! [`Rows`] reads entities, [`RowsMut`] writes them. Writing keeps everything that belongs
//! together in step: the record, the rows that carry its unique values, the count of its kind and
//! the [`Change`](portcullis_domain::change::Change) that projections follow.
//!
//! Absence is never permission: a unique row that leads nowhere is damage, not "no such entity".

mod audit;
mod census;
mod dispatch;
mod forget;
mod integrity;
mod kind;
mod read;
mod tree;
mod write;

pub use audit::{AuditBacklog, AuditEntry, MAX_UNWRITTEN, WrittenMark, events_from};
pub use census::{Census, Shortfall};
pub use integrity::{Fault, Finding, Inspection, inspect};
pub use kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, Entity, IDENTITY, Index, IndexedId, Kept, MFA, POSTURE_CHECK, REVOCATION, ROOTS,
    ROUTER, SERVICE, SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE,
    SIGNER, StoredEnrollment, StoredMfa, TERMINATOR, UniqueValue, identity_key, reference,
    router_key, session_grant,
};
pub use read::{Found, Record, Rows};
pub use write::{RowsMut, WriteError};

#[cfg(test)]
mod tests;
