//! Tables of managed entities.

use super::values::{IndexedId, UniqueValue, reference};
use super::{Entity, UniqueIndex, Versions, entity_change};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::managed::{Managed, MaybeNamed, Spec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What the row of a managed kind says; implemented by the rows.
pub trait ManagedKind: Spec + MaybeNamed {
    type Id: IndexedId;

    const KIND: Kind;

    /// Name in error messages.
    const NOUN: &'static str;

    /// Index of the names, if any.
    const NAME: Option<UniqueIndex>;

    fn change(change: EntityChange<Managed<Self::Id, Self>>) -> Change;
}

/// Specification of a managed entity with a table.
pub trait StoredSpec: ManagedKind + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// See [`Entity::CASCADES_TO`].
    const CASCADES_TO: &'static [Kind] = &[];

    /// See [`Entity::UNLINKED_FROM`].
    const UNLINKED_FROM: &'static [Kind] = &[];

    /// Unique values besides id and name.
    fn further_values(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// See [`Entity::references`].
    fn references(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// See [`Entity::unlink`].
    fn unlink(&mut self, _gone: &UniqueValue) -> bool {
        false
    }
}

impl<I, S> Entity for Managed<I, S>
where
    I: IndexedId + Serialize + DeserializeOwned + Send + Sync,
    S: StoredSpec<Id = I>,
{
    const KIND: Kind = S::KIND;
    const CASCADES_TO: &'static [Kind] = S::CASCADES_TO;
    const UNLINKED_FROM: &'static [Kind] = S::UNLINKED_FROM;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let mut values = vec![reference(&self.id)];
        if let Some((index, name)) = S::NAME.zip(self.spec.name()) {
            values.push(UniqueValue::new(index, name));
        }
        values.extend(self.spec.further_values());
        values
    }

    fn references(&self) -> Vec<UniqueValue> {
        self.spec.references()
    }

    fn unlink(&mut self, gone: &UniqueValue) -> bool {
        self.spec.unlink(gone)
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        S::change(entity_change(owner, number, versions))
    }
}
