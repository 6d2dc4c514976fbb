//! Kinds of records, their keys and unique values.
//!
//! The numbers of kinds and indexes are part of the file format: none is ever reused.

mod configs;
mod identities;
mod managed;
mod policies;
mod rows;
mod sealed;
mod services;
mod sessions;
mod trust;
mod values;

pub use managed::{ManagedKind, StoredSpec};
pub use rows::*;
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
    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change;
}

/// An entity before and after a write; `None` where it does not exist.
#[derive(Debug)]
pub struct Versions<'e, E> {
    pub before: Option<&'e E>,
    pub now: Option<&'e E>,
}

impl<'e, E> Versions<'e, E> {
    /// The versions of a part of the entity.
    fn map<P>(self, part: impl Fn(&'e E) -> &'e P) -> Versions<'e, P> {
        Versions {
            before: self.before.map(&part),
            now: self.now.map(part),
        }
    }
}

fn entity_change<E: Clone>(
    owner: Option<Owner>,
    number: RecordNumber,
    Versions { before, now }: Versions<'_, E>,
) -> EntityChange<E> {
    let share = |version: Option<&E>| version.cloned().map(Arc::new);
    EntityChange {
        owner,
        number,
        before: share(before),
        entity: share(now),
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
