//! Access: who may use what, by which policies.
//!
//! A policy is one record, and what follows from it is never stored. This projection knows of each
//! policy what its lists select, and of each attribute and each named entity in which lists it
//! stands; whom an attribute selects is what the catalogs know anyway. So a policy that touches a
//! hundred thousand identities is taken in at once, and so is a change of one of them.
//!
//! Everything is in the slots of catalogs: it holds as long as none of them changes.

mod answers;
mod members;
mod policies;
mod policy;
mod selection;

pub use policies::Side;
pub use policy::{Policy, PolicyKind};

use self::policies::Policies;
use crate::bits::mark;
use crate::catalog::{Catalog, Catalogued};
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::EntityId;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use roaring::RoaringBitmap;

/// What all policies say, in the slots of the catalogs of policies.
#[derive(Debug, Default)]
pub struct Access {
    service_policies: Policies,
    edge_router_policies: Policies,
    service_edge_router_policies: Policies,
    /// The service policies that grant to bind; all others grant to dial.
    binding: RoaringBitmap,
    /// Counts changes of policies.
    revision: u64,
}

/// A kind of entity that policies select.
pub trait Selectable: Catalogued {
    /// The ids by which policies name it.
    type Id: EntityId;

    /// On which side of policies it stands.
    const SIDE: Side;

    /// Who of them carries which role attribute.
    fn role_attributes(columns: &Self::Columns) -> &Postings;

    /// Those that policies select at all.
    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap
    where
        Self: Sized,
    {
        catalog.live()
    }
}

/// The catalogs of what policies select.
#[derive(Debug, Clone, Copy)]
pub struct Kinds<'c> {
    /// Identities.
    pub identities: &'c Catalog<Identity>,
    /// Services.
    pub services: &'c Catalog<Service>,
    /// Routers, of which policies select the edge routers.
    pub routers: &'c Catalog<Router>,
    /// Posture checks.
    pub posture_checks: &'c Catalog<PostureCheck>,
}

/// The entities of a kind, as far as policies look at them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selected<'c> {
    /// Those that policies select at all.
    pub live: &'c RoaringBitmap,
    /// Who carries which role attribute.
    pub carried: &'c Postings,
}

impl<'c> Selected<'c> {
    /// The entities of a catalog.
    fn of<E: Selectable>(catalog: &'c Catalog<E>) -> Self {
        Self {
            live: E::selectable(catalog),
            carried: E::role_attributes(catalog.columns()),
        }
    }

    /// Whether policies select an entity at all.
    fn has(&self, slot: Slot) -> bool {
        self.live.contains(slot.bit())
    }
}

impl<'c> Kinds<'c> {
    /// The entities on one side of policies.
    fn on(&self, side: Side) -> Selected<'c> {
        match side {
            Side::Identities => Selected::of(self.identities),
            Side::Services => Selected::of(self.services),
            Side::EdgeRouters => Selected::of(self.routers),
            Side::PostureChecks => Selected::of(self.posture_checks),
        }
    }
}

impl Access {
    /// Takes over what the policy in a slot of its catalog says now. What it names has to be in the
    /// catalogs already.
    pub fn put(&mut self, slot: Slot, policy: Policy<'_>, kinds: Kinds<'_>) {
        self.policies_mut(policy.kind())
            .put(slot, policy.lists(kinds));
        if policy.kind() == PolicyKind::Service {
            mark(&mut self.binding, slot, policy.grants_binding());
        }
        self.revision += 1;
    }

    /// Forgets a policy. It has to be forgotten before its slot is used again.
    pub fn remove(&mut self, kind: PolicyKind, slot: Slot) {
        self.policies_mut(kind).remove(slot);
        if kind == PolicyKind::Service {
            self.binding.remove(slot.bit());
        }
        self.revision += 1;
    }

    /// A number that changes whenever a policy does: as long as it stays the same, slots of policies
    /// mean what they did.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Counts on from what was in its place before.
    pub(crate) const fn follow(&mut self, before: &Self) {
        self.revision += before.revision + 1;
    }

    /// Memory behind the projection, in bytes, by its own count.
    pub fn heap_bytes(&self) -> usize {
        self.service_policies.heap_bytes()
            + self.edge_router_policies.heap_bytes()
            + self.service_edge_router_policies.heap_bytes()
            + self.binding.serialized_size()
    }

    const fn policies(&self, kind: PolicyKind) -> &Policies {
        match kind {
            PolicyKind::Service => &self.service_policies,
            PolicyKind::EdgeRouter => &self.edge_router_policies,
            PolicyKind::ServiceEdgeRouter => &self.service_edge_router_policies,
        }
    }

    const fn policies_mut(&mut self, kind: PolicyKind) -> &mut Policies {
        match kind {
            PolicyKind::Service => &mut self.service_policies,
            PolicyKind::EdgeRouter => &mut self.edge_router_policies,
            PolicyKind::ServiceEdgeRouter => &mut self.service_edge_router_policies,
        }
    }
}
