//! Unique values and references of entities.

use super::UniqueIndex;
use crate::key::UniqueKey;
use portcullis_domain::auth_policy;
use portcullis_domain::ids::{AuthPolicyId, EntityId};
use portcullis_domain::roles::RoleSelectors;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// A unique value of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueValue {
    pub index: UniqueIndex,
    pub value: Vec<u8>,
}

impl UniqueValue {
    /// A value of `index`.
    pub fn new(index: UniqueIndex, value: impl Into<Vec<u8>>) -> Self {
        Self {
            index,
            value: value.into(),
        }
    }

    /// The key of its row.
    pub fn key(&self) -> UniqueKey {
        UniqueKey::new(self.index as u8, &self.value)
    }

    /// The id, if it is a value of the id index of `I`.
    pub(super) fn id<I: IndexedId>(&self) -> Option<I> {
        let text = std::str::from_utf8(&self.value).ok()?;
        (self.index == I::INDEX).then(|| I::from_wire(text.to_owned()))
    }
}

/// An id with a unique index.
pub trait IndexedId: EntityId + Serialize + DeserializeOwned + Send + Sync + 'static {
    const INDEX: UniqueIndex;
}

/// Reference to the entity with this id.
pub fn reference<I: IndexedId>(id: &I) -> UniqueValue {
    UniqueValue::new(I::INDEX, id.as_str())
}

/// References to the entities with these ids, which have to be distinct.
pub(super) fn references<'i, I: IndexedId>(
    ids: impl IntoIterator<Item = &'i I>,
) -> impl Iterator<Item = UniqueValue> {
    ids.into_iter().map(reference)
}

/// Reference to an authentication policy; none for the default policy, which cannot be deleted.
pub(super) fn policy_reference(policy: &AuthPolicyId) -> Option<UniqueValue> {
    (policy.as_str() != auth_policy::DEFAULT_ID).then(|| reference(policy))
}

/// Removes `gone` from a set of ids; returns whether it was present.
pub(super) fn unlink_id<I: IndexedId>(ids: &mut BTreeSet<I>, gone: &UniqueValue) -> bool {
    gone.id().is_some_and(|id| ids.remove(&id))
}

/// Removes `gone` from a list of selectors; returns whether it was present.
pub(super) fn unlink_role<I: IndexedId>(roles: &mut RoleSelectors<I>, gone: &UniqueValue) -> bool {
    gone.id().is_some_and(|id| roles.remove_id(&id))
}
