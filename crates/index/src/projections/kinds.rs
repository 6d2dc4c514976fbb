//! What committed changes say about the kinds that have catalogs.

use crate::access::{Policy, PolicyKind};
use crate::catalog::Catalogued;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};

/// A kind of entity that has a catalog among the projections.
pub(super) trait Followed: Catalogued + Sized {
    /// How entities of this kind live.
    const LIVES: Lives;

    /// What became of an entity of this kind, if a change is about one.
    fn of(change: &Change) -> Option<&EntityChange<Self>>;

    /// Whether a change is about this kind.
    fn concerns(change: &Change) -> bool {
        Self::of(change).is_some()
            || (Self::LIVES == Lives::Owned && removed_owner(change).is_some())
    }
}

/// How the entities of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lives {
    /// On their own.
    Root,
    /// Under others, with which they go.
    Owned,
}

/// A kind of policy, which has its part in access.
pub(super) trait Ruling: Followed {
    const KIND: PolicyKind;

    fn as_policy(&self) -> Policy<'_>;
}

impl Ruling for ServicePolicy {
    const KIND: PolicyKind = PolicyKind::Service;

    fn as_policy(&self) -> Policy<'_> {
        Policy::Service(self)
    }
}

impl Ruling for EdgeRouterPolicy {
    const KIND: PolicyKind = PolicyKind::EdgeRouter;

    fn as_policy(&self) -> Policy<'_> {
        Policy::EdgeRouter(self)
    }
}

impl Ruling for ServiceEdgeRouterPolicy {
    const KIND: PolicyKind = PolicyKind::ServiceEdgeRouter;

    fn as_policy(&self) -> Policy<'_> {
        Policy::ServiceEdgeRouter(self)
    }
}

/// The owner that a change removed. What lived under it goes with it, whether or not the change of
/// each follows.
pub(super) fn removed_owner(change: &Change) -> Option<Owner> {
    match change {
        Change::Identity(change) if change.now.is_none() => Some(Owner::Identity(change.number)),
        Change::Router(change) if change.now.is_none() => Some(Owner::Router(change.number)),
        _ => None,
    }
}
