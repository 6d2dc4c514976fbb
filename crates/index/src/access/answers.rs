//! What is asked of all policies together.

use super::{Access, Kinds, PolicyKind, Side};
use crate::slots::Slot;
use portcullis_domain::policies::ServiceGrant;
use roaring::RoaringBitmap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

impl Access {
    /// The policies of a kind that select an entity on a side.
    pub fn selecting(
        &self,
        kind: PolicyKind,
        side: Side,
        entity: Slot,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let among = kinds.on(side);
        self.policies(kind).selecting(side, entity, among, None)
    }

    /// The policies of a kind whose list on a side asks for an attribute, whoever carries it.
    pub fn asking(&self, kind: PolicyKind, side: Side, attribute: &str) -> RoaringBitmap {
        self.policies(kind).asking(side, attribute)
    }

    /// The attributes for which the policies of a kind ask on a side, some of them twice.
    pub fn attributes(&self, kind: PolicyKind, side: Side) -> impl Iterator<Item = &str> {
        self.policies(kind).attributes(side)
    }

    /// The entities that a policy selects on a side.
    pub fn selected(
        &self,
        kind: PolicyKind,
        policy: Slot,
        side: Side,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let only = RoaringBitmap::from([policy.bit()]);
        self.policies(kind).members(&only, side, kinds.on(side))
    }

    /// Whether a policy selects anything on a side.
    pub fn selects_any(
        &self,
        kind: PolicyKind,
        policy: Slot,
        side: Side,
        kinds: Kinds<'_>,
    ) -> bool {
        !self.selected(kind, policy, side, kinds).is_empty()
    }

    /// What a service policy grants, and after which posture checks, summed up: while it stays the same,
    /// so do the grants of those whom the policy selects, as far as they depend on the policy alone.
    pub fn terms(&self, policy: Slot) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.binding.contains(policy.bit()).hash(&mut hasher);
        for side in [Side::Services, Side::PostureChecks] {
            self.service_policies.mix_into(&mut hasher, policy, side);
        }
        hasher.finish()
    }

    /// The service policies that let an identity do something with a service, if it passes their
    /// posture checks.
    pub fn granting(
        &self,
        grant: ServiceGrant,
        identity: Slot,
        service: Slot,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let policies = self.selecting(PolicyKind::Service, Side::Identities, identity, kinds);
        self.giving(&self.of_grant(grant, policies), service, kinds)
    }

    /// Those of some service policies that are about a service.
    pub fn giving(
        &self,
        policies: &RoaringBitmap,
        service: Slot,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let side = Side::Services;
        self.service_policies
            .selecting(side, service, kinds.on(side), Some(policies))
    }

    /// The services with which an identity may do one thing, or any, if it passes posture checks.
    pub fn services(
        &self,
        grant: Option<ServiceGrant>,
        identity: Slot,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let from = (Side::Identities, identity);
        self.across(PolicyKind::Service, grant, from, Side::Services, kinds)
    }

    /// The identities that may do one thing with a service, or any, if they pass posture checks.
    pub fn identities(
        &self,
        grant: Option<ServiceGrant>,
        service: Slot,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let from = (Side::Services, service);
        self.across(PolicyKind::Service, grant, from, Side::Identities, kinds)
    }

    /// The edge routers to which an identity may connect.
    pub fn routers_of_identity(&self, identity: Slot, kinds: Kinds<'_>) -> RoaringBitmap {
        let from = (Side::Identities, identity);
        self.across(PolicyKind::EdgeRouter, None, from, Side::EdgeRouters, kinds)
    }

    /// The identities that may connect to an edge router.
    pub fn identities_of_router(&self, router: Slot, kinds: Kinds<'_>) -> RoaringBitmap {
        let from = (Side::EdgeRouters, router);
        self.across(PolicyKind::EdgeRouter, None, from, Side::Identities, kinds)
    }

    /// The edge routers through which a service may be used.
    pub fn routers_of_service(&self, service: Slot, kinds: Kinds<'_>) -> RoaringBitmap {
        let from = (Side::Services, service);
        let kind = PolicyKind::ServiceEdgeRouter;
        self.across(kind, None, from, Side::EdgeRouters, kinds)
    }

    /// The services that may be used through an edge router.
    pub fn services_of_router(&self, router: Slot, kinds: Kinds<'_>) -> RoaringBitmap {
        let from = (Side::EdgeRouters, router);
        let kind = PolicyKind::ServiceEdgeRouter;
        self.across(kind, None, from, Side::Services, kinds)
    }

    /// The edge routers through which an identity may use a service.
    pub fn common_routers(&self, identity: Slot, service: Slot, kinds: Kinds<'_>) -> RoaringBitmap {
        self.routers_of_identity(identity, kinds) & self.routers_of_service(service, kinds)
    }

    /// Those of some service policies that grant one thing.
    pub fn of_grant(&self, grant: ServiceGrant, policies: RoaringBitmap) -> RoaringBitmap {
        match grant {
            ServiceGrant::Bind => policies & &self.binding,
            ServiceGrant::Dial => policies - &self.binding,
        }
    }

    /// The entities on one side of the policies that select an entity on another.
    fn across(
        &self,
        kind: PolicyKind,
        grant: Option<ServiceGrant>,
        (from, entity): (Side, Slot),
        to: Side,
        kinds: Kinds<'_>,
    ) -> RoaringBitmap {
        let selecting = self.selecting(kind, from, entity, kinds);
        let policies = match grant {
            Some(grant) => self.of_grant(grant, selecting),
            None => selecting,
        };
        self.policies(kind).members(&policies, to, kinds.on(to))
    }
}
