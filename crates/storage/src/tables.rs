//! Typed tables over the bytes of an engine.
//!
//! [`Rows`] reads entities, [`RowsMut`] writes them. Writing keeps everything that belongs
//! together in step: the record, the rows that carry its unique values, the count of its kind and
//! the [`Change`](portcullis_domain::change::Change) that projections follow.
//!
//! Absence is never permission: a unique row that leads nowhere is damage, not "no such entity".

mod census;
mod dispatch;
mod kind;
mod read;
mod tree;
mod write;

pub use census::{Census, Shortfall};
pub use kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, ENROLLMENT, Entity, IDENTITY, Index, MFA, ROOTS,
    SESSION_CERTIFICATE, SIGNER, StoredEnrollment, StoredMfa, UniqueValue, identity_key,
};
pub use read::{Found, Record, Rows};
pub use write::{RowsMut, WriteError};

#[cfg(test)]
mod tests;
