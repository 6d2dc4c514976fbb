//! Tables of what administrators manage, by what they decide about it.

use super::values::{IndexedId, UniqueValue, reference};
use super::{Entity, Index, entity_change};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::Number;
use portcullis_domain::managed::{Managed, Spec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What administrators decide about a kind of entity that has a table.
pub trait Kept: Spec + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The ids of such entities.
    type Id: IndexedId + Serialize + DeserializeOwned + Send + Sync;

    /// Their kind.
    const KIND: Kind;

    /// The index that holds their ids.
    const ID: Index = <Self::Id as IndexedId>::INDEX;

    /// The index that holds their names, if they have names.
    const NAME: Option<Index>;

    /// As [`Entity::TAKES_ALONG`].
    const TAKES_ALONG: &'static [Kind] = &[];

    /// As [`Entity::NAMED_BY`].
    const NAMED_BY: &'static [Kind] = &[];

    /// The name, if such entities have names.
    fn name(&self) -> Option<&str>;

    /// What is unique besides id and name.
    fn further_values(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// As [`Entity::references`].
    fn references(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// As [`Entity::forget`].
    fn forget(&mut self, _gone: &UniqueValue) -> bool {
        false
    }

    /// The change that says what became of an entity.
    fn change(change: EntityChange<Managed<Self::Id, Self>>) -> Change;
}

impl<I, S> Entity for Managed<I, S>
where
    I: IndexedId + Serialize + DeserializeOwned + Send + Sync,
    S: Kept<Id = I>,
{
    const KIND: Kind = S::KIND;
    const TAKES_ALONG: &'static [Kind] = S::TAKES_ALONG;
    const NAMED_BY: &'static [Kind] = S::NAMED_BY;

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

    fn forget(&mut self, gone: &UniqueValue) -> bool {
        self.spec.forget(gone)
    }

    fn change(owner: Option<Owner>, number: Number, now: Option<&Self>) -> Change {
        S::change(entity_change(owner, number, now))
    }
}
