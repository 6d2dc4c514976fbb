//! Kinds of records, their keys and unique values.
//!
//! The numbers of kinds and indexes are part of the file format: none is ever reused.

mod configs;
mod identities;
mod index;
mod managed;
mod policies;
mod revocations;
mod sealed;
mod services;
mod sessions;
mod trust;
mod values;

pub use index::UniqueIndex;
pub use managed::StoredSpec;
pub use sealed::{StoredEnrollment, StoredMfa};
pub use sessions::session_grant;
pub use values::{IndexedId, UniqueValue, reference};

use crate::engine::StoreError;
use crate::key::{Kind, RecordKey};
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::RecordNumber;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Identities; a root.
pub const IDENTITY: Kind = Kind::new::<1>();
/// Authentication policies; a root.
pub const AUTH_POLICY: Kind = Kind::new::<2>();
/// Enrollments, under their identity or their router.
pub const ENROLLMENT: Kind = Kind::new::<3>();
/// Authenticators, under their identity.
pub const AUTHENTICATOR: Kind = Kind::new::<4>();
/// API sessions, under their identity.
pub const API_SESSION: Kind = Kind::new::<5>();
/// Third-party certificate authorities; a root.
pub const CA: Kind = Kind::new::<6>();
/// External JWT signers; a root.
pub const SIGNER: Kind = Kind::new::<7>();
/// Certificates of API sessions, under the identity of their session.
pub const SESSION_CERTIFICATE: Kind = Kind::new::<8>();
/// TOTP enrollments, under their identity.
pub const MFA: Kind = Kind::new::<9>();
/// Types of configurations; a root.
pub const CONFIG_TYPE: Kind = Kind::new::<10>();
/// Configurations; a root.
pub const CONFIG: Kind = Kind::new::<11>();
/// Services; a root.
pub const SERVICE: Kind = Kind::new::<12>();
/// Routers; a root.
pub const ROUTER: Kind = Kind::new::<13>();
/// Terminators; a root.
pub const TERMINATOR: Kind = Kind::new::<14>();
/// Service policies; a root.
pub const SERVICE_POLICY: Kind = Kind::new::<15>();
/// Edge-router policies; a root.
pub const EDGE_ROUTER_POLICY: Kind = Kind::new::<16>();
/// Service-edge-router policies; a root.
pub const SERVICE_EDGE_ROUTER_POLICY: Kind = Kind::new::<17>();
/// Posture checks; a root.
pub const POSTURE_CHECK: Kind = Kind::new::<18>();
/// Service sessions, under the identity of their API session.
pub const SESSION: Kind = Kind::new::<19>();
/// Revocations; a root.
pub const REVOCATION: Kind = Kind::new::<20>();

/// The kinds of root records.
pub const ROOTS: [Kind; 14] = [
    IDENTITY,
    AUTH_POLICY,
    CA,
    SIGNER,
    CONFIG_TYPE,
    CONFIG,
    SERVICE,
    ROUTER,
    TERMINATOR,
    SERVICE_POLICY,
    EDGE_ROUTER_POLICY,
    SERVICE_EDGE_ROUTER_POLICY,
    POSTURE_CHECK,
    REVOCATION,
];

/// An entity that has a table.
pub trait Entity: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    const KIND: Kind;

    /// Kinds of referrers that are deleted together with this entity.
    const CASCADES_TO: &'static [Kind] = &[];

    /// Kinds of referrers that stay when this entity is deleted but are unlinked from it by
    /// [`Entity::unlink`].
    const UNLINKED_FROM: &'static [Kind] = &[];

    /// Its unique values.
    fn unique_values(&self) -> Vec<UniqueValue>;

    /// Distinct references by the id of the target. A target either has to exist as long as this
    /// entity, cascades its deletion ([`Entity::CASCADES_TO`]), or is unlinked
    /// ([`Entity::UNLINKED_FROM`]).
    fn references(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// Removes the entity with the unique value `gone` from all lists; returns whether it was
    /// present.
    fn unlink(&mut self, _gone: &UniqueValue) -> bool {
        false
    }

    /// Builds its change.
    fn change(owner: Option<Owner>, number: RecordNumber, now: Option<&Self>) -> Change;
}

fn entity_change<E: Clone>(
    owner: Option<Owner>,
    number: RecordNumber,
    now: Option<&E>,
) -> EntityChange<E> {
    EntityChange {
        owner,
        number,
        entity: now.cloned().map(Arc::new),
    }
}

/// The key of an identity's record.
pub fn identity_key(number: RecordNumber) -> RecordKey {
    RecordKey::root(IDENTITY, number.0)
}

/// The key of a router's record.
pub fn router_key(number: RecordNumber) -> RecordKey {
    RecordKey::root(ROUTER, number.0)
}

/// The owner of the record at `key`; `None` for a root.
///
/// # Errors
///
/// [`StoreError::Corrupt`] for a dependent of a root kind without dependents.
pub(super) fn owner_of(key: &RecordKey) -> Result<Option<Owner>, StoreError> {
    if key.is_root() {
        return Ok(None);
    }
    match key.root_id() {
        (IDENTITY, number) => Ok(Some(Owner::Identity(RecordNumber(number)))),
        (ROUTER, number) => Ok(Some(Owner::Router(RecordNumber(number)))),
        _ => Err(StoreError::corrupt(format!(
            "record {key} depends on a record of a kind without dependents"
        ))),
    }
}
