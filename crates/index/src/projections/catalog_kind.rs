//! Kinds that have catalogs, and their changes.

use crate::access::{Policy, PolicyKind};
use crate::catalog::CatalogEntry;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};

/// A kind of entity that has a catalog.
pub(super) trait CatalogKind: CatalogEntry + Sized {
    const OWNERSHIP: Ownership;

    /// The change, if it is one of this kind.
    fn change_of(change: &Change) -> Option<&EntityChange<Self>>;

    /// Whether a change affects this kind.
    fn is_affected_by(change: &Change) -> bool {
        Self::change_of(change).is_some()
            || (Self::OWNERSHIP == Ownership::Owned && removed_owner(change).is_some())
    }
}

/// Whether the entities of a kind belong to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ownership {
    /// They do not.
    Root,
    /// They belong to an owner and are removed with it.
    Owned,
}

/// A kind of policy, which is part of the access index.
pub(super) trait PolicyRecord: CatalogKind {
    const KIND: PolicyKind;

    fn as_policy(&self) -> Policy<'_>;
}

impl PolicyRecord for ServicePolicy {
    const KIND: PolicyKind = PolicyKind::Service;

    fn as_policy(&self) -> Policy<'_> {
        Policy::Service(self)
    }
}

impl PolicyRecord for EdgeRouterPolicy {
    const KIND: PolicyKind = PolicyKind::EdgeRouter;

    fn as_policy(&self) -> Policy<'_> {
        Policy::EdgeRouter(self)
    }
}

impl PolicyRecord for ServiceEdgeRouterPolicy {
    const KIND: PolicyKind = PolicyKind::ServiceEdgeRouter;

    fn as_policy(&self) -> Policy<'_> {
        Policy::ServiceEdgeRouter(self)
    }
}

/// The owner that a change removed. Its dependents are removed with it, whether or not a change for
/// each follows.
pub(super) fn removed_owner(change: &Change) -> Option<Owner> {
    match change {
        Change::Identity(change) if change.entity.is_none() => Some(Owner::Identity(change.number)),
        Change::Router(change) if change.entity.is_none() => Some(Owner::Router(change.number)),
        _ => None,
    }
}
