//! What is unique about entities, and by which of it they are referred to.

use super::Index;
use crate::key::UniqueKey;
use portcullis_domain::auth_policy;
use portcullis_domain::ids::{
    AuthPolicyId, CaId, ConfigId, ConfigTypeId, EdgeRouterPolicyId, EntityId, IdentityId,
    PostureCheckId, RevocationId, RouterId, ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId,
    SessionId, SignerId, TerminatorId,
};
use portcullis_domain::roles::Roles;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// A unique value of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueValue {
    /// What it is.
    pub index: Index,
    /// Its bytes.
    pub value: Vec<u8>,
}

impl UniqueValue {
    /// A value of `index`.
    pub fn new(index: Index, value: impl Into<Vec<u8>>) -> Self {
        Self {
            index,
            value: value.into(),
        }
    }

    /// The key of the row that carries its uniqueness.
    pub(in crate::tables) fn key(&self) -> UniqueKey {
        UniqueKey::new(self.index as u8, &self.value)
    }

    /// The id that it is; `None` when it is something else.
    pub(super) fn id<I: IndexedId>(&self) -> Option<I> {
        let text = std::str::from_utf8(&self.value).ok()?;
        (self.index == I::INDEX).then(|| I::from_wire(text.to_owned()))
    }
}

/// An id by which the tables find its entity.
pub trait IndexedId: EntityId + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The index that holds such ids.
    const INDEX: Index;
}

/// The reference to the entity that `id` names.
pub fn reference<I: IndexedId>(id: &I) -> UniqueValue {
    UniqueValue::new(I::INDEX, id.as_str())
}

/// References to what `ids` name; each id has to come once.
pub(super) fn references<'i, I: IndexedId>(
    ids: impl IntoIterator<Item = &'i I>,
) -> impl Iterator<Item = UniqueValue> {
    ids.into_iter().map(reference)
}

/// The default policy cannot be deleted, so nothing has to guard it.
pub(super) fn policy_reference(policy: &AuthPolicyId) -> Option<UniqueValue> {
    (policy.as_str() != auth_policy::DEFAULT_ID).then(|| reference(policy))
}

/// Takes what is `gone` off a set of ids; answers whether it was in it.
pub(super) fn forget_id<I: IndexedId>(ids: &mut BTreeSet<I>, gone: &UniqueValue) -> bool {
    gone.id().is_some_and(|id| ids.remove(&id))
}

/// Takes what is `gone` off a list of selectors; answers whether it was named there.
pub(super) fn forget_role<I: IndexedId>(roles: &mut Roles<I>, gone: &UniqueValue) -> bool {
    gone.id().is_some_and(|id| roles.forget(&id))
}

/// Says under which index the ids of a type are found.
macro_rules! indexed {
    ($($id:ty => $index:ident,)*) => {
        $(impl IndexedId for $id {
            const INDEX: Index = Index::$index;
        })*
    };
}

indexed! {
    IdentityId => IdentityId,
    AuthPolicyId => AuthPolicyId,
    CaId => CaId,
    SignerId => SignerId,
    ConfigTypeId => ConfigTypeId,
    ConfigId => ConfigId,
    ServiceId => ServiceId,
    RouterId => RouterId,
    TerminatorId => TerminatorId,
    ServicePolicyId => ServicePolicyId,
    EdgeRouterPolicyId => EdgeRouterPolicyId,
    ServiceEdgeRouterPolicyId => ServiceEdgeRouterPolicyId,
    PostureCheckId => PostureCheckId,
    SessionId => SessionId,
    RevocationId => RevocationId,
}
