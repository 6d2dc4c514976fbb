//! Which entities there are, where their records lie and what about them is unique.
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

pub use index::Index;
pub use managed::Kept;
pub use sealed::{StoredEnrollment, StoredMfa};
pub use sessions::session_grant;
pub use values::{IndexedId, UniqueValue, reference};

use crate::engine::StoreError;
use crate::key::{Kind, RecordKey};
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::Number;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Identities; a root.
pub const IDENTITY: Kind = Kind::of::<1>();
/// Authentication policies; a root.
pub const AUTH_POLICY: Kind = Kind::of::<2>();
/// Enrollments, under their identity or their router.
pub const ENROLLMENT: Kind = Kind::of::<3>();
/// Authenticators, under their identity.
pub const AUTHENTICATOR: Kind = Kind::of::<4>();
/// API sessions, under their identity.
pub const API_SESSION: Kind = Kind::of::<5>();
/// Third-party certificate authorities; a root.
pub const CA: Kind = Kind::of::<6>();
/// External JWT signers; a root.
pub const SIGNER: Kind = Kind::of::<7>();
/// Certificates of API sessions, under the identity of their session.
pub const SESSION_CERTIFICATE: Kind = Kind::of::<8>();
/// TOTP enrollments, under their identity.
pub const MFA: Kind = Kind::of::<9>();
/// Types of configurations; a root.
pub const CONFIG_TYPE: Kind = Kind::of::<10>();
/// Configurations; a root.
pub const CONFIG: Kind = Kind::of::<11>();
/// Services; a root.
pub const SERVICE: Kind = Kind::of::<12>();
/// Routers; a root.
pub const ROUTER: Kind = Kind::of::<13>();
/// Terminators; a root.
pub const TERMINATOR: Kind = Kind::of::<14>();
/// Service policies; a root.
pub const SERVICE_POLICY: Kind = Kind::of::<15>();
/// Edge-router policies; a root.
pub const EDGE_ROUTER_POLICY: Kind = Kind::of::<16>();
/// Service-edge-router policies; a root.
pub const SERVICE_EDGE_ROUTER_POLICY: Kind = Kind::of::<17>();
/// Posture checks; a root.
pub const POSTURE_CHECK: Kind = Kind::of::<18>();
/// Service sessions, under the identity of their API session.
pub const SESSION: Kind = Kind::of::<19>();
/// Revocations; a root.
pub const REVOCATION: Kind = Kind::of::<20>();

/// The kinds whose records lie under no other.
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
    /// Its kind.
    const KIND: Kind;

    /// The kinds whose records go with what they refer to, if that is one of these entities. What
    /// else such records refer to loses their references with them.
    const TAKES_ALONG: &'static [Kind] = &[];

    /// The kinds whose records name these entities in lists, and stay when one of these is removed,
    /// but name it no more. They answer [`Entity::forget`].
    const NAMED_BY: &'static [Kind] = &[];

    /// What about it is unique.
    fn unique_values(&self) -> Vec<UniqueValue>;

    /// What it refers to, by the target's id, each target once: what has to exist as long as it
    /// does, takes it along ([`Entity::TAKES_ALONG`]), or is forgotten ([`Entity::NAMED_BY`]).
    fn references(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// Takes what has the unique value `gone` off the lists in which it is named; answers whether
    /// it was.
    fn forget(&mut self, _gone: &UniqueValue) -> bool {
        false
    }

    /// The change that says what became of it.
    fn change(owner: Option<Owner>, number: Number, now: Option<&Self>) -> Change;
}

fn entity_change<E: Clone>(
    owner: Option<Owner>,
    number: Number,
    now: Option<&E>,
) -> EntityChange<E> {
    EntityChange {
        owner,
        number,
        now: now.cloned().map(Arc::new),
    }
}

/// The key of an identity's record.
pub fn identity_key(number: Number) -> RecordKey {
    RecordKey::root(IDENTITY, number.0)
}

/// The key of a router's record.
pub fn router_key(number: Number) -> RecordKey {
    RecordKey::root(ROUTER, number.0)
}

/// What the record at `key` lives and dies with; `None` for a root.
///
/// # Errors
///
/// [`StoreError::Corrupt`] for what lies under a root that nothing lies under.
pub(super) fn owner_of(key: &RecordKey) -> Result<Option<Owner>, StoreError> {
    if key.is_root() {
        return Ok(None);
    }
    match key.root_id() {
        (IDENTITY, number) => Ok(Some(Owner::Identity(Number(number)))),
        (ROUTER, number) => Ok(Some(Owner::Router(Number(number)))),
        _ => Err(StoreError::corrupt(format!(
            "record {key} lies under one that nothing lies under"
        ))),
    }
}
