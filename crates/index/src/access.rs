//! Access index: who may use what, by which policies.
//!
//! A policy is one record, and what follows from it is never stored. For each policy the index has
//! its selectors, and for each attribute and each referenced entity the policies that select by it;
//! the entities with an attribute are in the catalogs. So policies that affect a hundred thousand
//! identities are applied instantly, and so are changes of those identities.
//!
//! Everything is stored as slots of catalogs and is valid while none of them changes.

mod policy;
mod policy_lists;
mod queries;
mod resolved_selectors;
mod selection_union;

pub use policy::{Policy, PolicyKind};
pub use policy_lists::PolicySide;

use self::policy_lists::PolicyLists;
use crate::catalog::{Catalog, CatalogEntry};
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::EntityId;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use roaring::RoaringBitmap;

/// Index of all policies by what they select, in slots of the catalogs.
#[derive(Debug, Default)]
pub struct AccessIndex {
    service_policies: PolicyLists,
    edge_router_policies: PolicyLists,
    service_edge_router_policies: PolicyLists,
    /// Service policies that grant `Bind`; all others grant `Dial`.
    binding: RoaringBitmap,
    /// Counts changes of policies.
    revision: u64,
}

/// A kind of entity that policies select.
pub trait Selectable: CatalogEntry {
    /// The type of its ids in policies.
    type Id: EntityId;

    /// The side of policies that selects it.
    const SIDE: PolicySide;

    /// Entities by role attribute.
    fn role_attributes(columns: &Self::Columns) -> &Postings;

    /// Entities that policies can select.
    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap
    where
        Self: Sized,
    {
        catalog.live()
    }
}

/// The catalogs of the kinds that policies select.
#[derive(Debug, Clone, Copy)]
pub struct SelectableCatalogs<'c> {
    pub identities: &'c Catalog<Identity>,
    pub services: &'c Catalog<Service>,
    /// Policies select edge routers only.
    pub routers: &'c Catalog<Router>,
    pub posture_checks: &'c Catalog<PostureCheck>,
}

/// The entities of a kind that policies can select, and their attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectableEntities<'c> {
    /// Entities that policies can select.
    pub slots: &'c RoaringBitmap,
    /// Entities by role attribute.
    pub role_attributes: &'c Postings,
}

impl<'c> SelectableEntities<'c> {
    fn from_catalog<E: Selectable>(catalog: &'c Catalog<E>) -> Self {
        Self {
            slots: E::selectable(catalog),
            role_attributes: E::role_attributes(catalog.columns()),
        }
    }

    /// Whether policies can select an entity.
    fn is_selectable(&self, slot: Slot) -> bool {
        self.slots.contains(slot.bit())
    }
}

impl<'c> SelectableCatalogs<'c> {
    /// The entities of one side of policies.
    fn on_side(&self, side: PolicySide) -> SelectableEntities<'c> {
        match side {
            PolicySide::Identities => SelectableEntities::from_catalog(self.identities),
            PolicySide::Services => SelectableEntities::from_catalog(self.services),
            PolicySide::EdgeRouters => SelectableEntities::from_catalog(self.routers),
            PolicySide::PostureChecks => SelectableEntities::from_catalog(self.posture_checks),
        }
    }
}

impl AccessIndex {
    /// Inserts or updates the policy in a slot of its catalog. Entities that it references have to
    /// be in the catalogs already.
    pub fn put(&mut self, slot: Slot, policy: Policy<'_>, kinds: SelectableCatalogs<'_>) {
        self.policies_mut(policy.kind())
            .put(slot, policy.resolve_lists(kinds));
        if policy.kind() == PolicyKind::Service {
            set_flag(&mut self.binding, slot, policy.grants_bind());
        }
        self.revision += 1;
    }

    /// Removes a policy. This has to be done before its slot is reused.
    pub fn remove(&mut self, kind: PolicyKind, slot: Slot) {
        self.policies_mut(kind).remove(slot);
        if kind == PolicyKind::Service {
            self.binding.remove(slot.bit());
        }
        self.revision += 1;
    }

    /// A number that changes with every policy: slots of policies are valid while it is unchanged.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Continues the revision of the index that this one replaces.
    pub(crate) const fn continue_revision(&mut self, before: &Self) {
        self.revision += before.revision + 1;
    }

    /// Heap memory in bytes, estimated.
    pub fn heap_bytes(&self) -> usize {
        self.service_policies.heap_bytes()
            + self.edge_router_policies.heap_bytes()
            + self.service_edge_router_policies.heap_bytes()
            + self.binding.serialized_size()
    }

    const fn policies(&self, kind: PolicyKind) -> &PolicyLists {
        match kind {
            PolicyKind::Service => &self.service_policies,
            PolicyKind::EdgeRouter => &self.edge_router_policies,
            PolicyKind::ServiceEdgeRouter => &self.service_edge_router_policies,
        }
    }

    const fn policies_mut(&mut self, kind: PolicyKind) -> &mut PolicyLists {
        match kind {
            PolicyKind::Service => &mut self.service_policies,
            PolicyKind::EdgeRouter => &mut self.edge_router_policies,
            PolicyKind::ServiceEdgeRouter => &mut self.service_edge_router_policies,
        }
    }
}
