//! Queries of the access index.

use super::{AccessIndex, PolicyKind, PolicySide, SelectableCatalogs};
use crate::slots::Slot;
use portcullis_domain::policies::ServiceGrant;
use roaring::RoaringBitmap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

impl AccessIndex {
    /// The policies of a kind that select an entity on a side.
    pub fn selecting(
        &self,
        kind: PolicyKind,
        side: PolicySide,
        entity: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let entities = kinds.on_side(side);
        self.policies(kind).selecting(side, entity, entities, None)
    }

    /// The policies of a kind that select by an attribute on a side, whether or not any entity has
    /// it.
    pub fn selecting_by_attribute(
        &self,
        kind: PolicyKind,
        side: PolicySide,
        attribute: &str,
    ) -> RoaringBitmap {
        self.policies(kind).selecting_by_attribute(side, attribute)
    }

    /// The attributes by which the policies of a kind select on a side, with repetitions.
    pub fn attributes(&self, kind: PolicyKind, side: PolicySide) -> impl Iterator<Item = &str> {
        self.policies(kind).attributes(side)
    }

    /// The entities that a policy selects on a side.
    pub fn selected(
        &self,
        kind: PolicyKind,
        policy: Slot,
        side: PolicySide,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let only = RoaringBitmap::from([policy.bit()]);
        self.policies(kind)
            .members(&only, side, kinds.on_side(side))
    }

    pub fn selects_any(
        &self,
        kind: PolicyKind,
        policy: Slot,
        side: PolicySide,
        kinds: SelectableCatalogs<'_>,
    ) -> bool {
        !self.selected(kind, policy, side, kinds).is_empty()
    }

    /// Digest of a service policy's grant, services and posture checks: while it is unchanged, so
    /// are the grants of the identities that the policy selects, as far as they depend on the
    /// policy alone.
    pub fn grant_digest(&self, policy: Slot) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.binding.contains(policy.bit()).hash(&mut hasher);
        for side in [PolicySide::Services, PolicySide::PostureChecks] {
            self.service_policies.hash_into(&mut hasher, policy, side);
        }
        hasher.finish()
    }

    /// The service policies that grant a service to an identity, subject to their posture checks.
    pub fn granting(
        &self,
        grant: ServiceGrant,
        identity: Slot,
        service: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let policies = self.selecting(PolicyKind::Service, PolicySide::Identities, identity, kinds);
        self.selecting_service(&self.with_grant(grant, policies), service, kinds)
    }

    /// The given service policies that select a service.
    pub fn selecting_service(
        &self,
        policies: &RoaringBitmap,
        service: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let side = PolicySide::Services;
        self.service_policies
            .selecting(side, service, kinds.on_side(side), Some(policies))
    }

    /// The services that an identity is granted, by one grant or any, subject to posture checks.
    pub fn services(
        &self,
        grant: Option<ServiceGrant>,
        identity: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let from = (PolicySide::Identities, identity);
        self.entities_across(
            PolicyKind::Service,
            grant,
            from,
            PolicySide::Services,
            kinds,
        )
    }

    /// The identities that are granted a service, by one grant or any, subject to posture checks.
    pub fn identities(
        &self,
        grant: Option<ServiceGrant>,
        service: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let from = (PolicySide::Services, service);
        self.entities_across(
            PolicyKind::Service,
            grant,
            from,
            PolicySide::Identities,
            kinds,
        )
    }

    /// The edge routers to which an identity may connect.
    pub fn routers_of_identity(
        &self,
        identity: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let from = (PolicySide::Identities, identity);
        self.entities_across(
            PolicyKind::EdgeRouter,
            None,
            from,
            PolicySide::EdgeRouters,
            kinds,
        )
    }

    /// The identities that may connect to an edge router.
    pub fn identities_of_router(
        &self,
        router: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let from = (PolicySide::EdgeRouters, router);
        self.entities_across(
            PolicyKind::EdgeRouter,
            None,
            from,
            PolicySide::Identities,
            kinds,
        )
    }

    /// The edge routers through which a service may be used.
    pub fn routers_of_service(
        &self,
        service: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let from = (PolicySide::Services, service);
        let kind = PolicyKind::ServiceEdgeRouter;
        self.entities_across(kind, None, from, PolicySide::EdgeRouters, kinds)
    }

    /// The services that may be used through an edge router.
    pub fn services_of_router(&self, router: Slot, kinds: SelectableCatalogs<'_>) -> RoaringBitmap {
        let from = (PolicySide::EdgeRouters, router);
        let kind = PolicyKind::ServiceEdgeRouter;
        self.entities_across(kind, None, from, PolicySide::Services, kinds)
    }

    /// The edge routers through which an identity may use a service.
    pub fn common_routers(
        &self,
        identity: Slot,
        service: Slot,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        self.routers_of_identity(identity, kinds) & self.routers_of_service(service, kinds)
    }

    /// The given service policies with this grant.
    pub fn with_grant(&self, grant: ServiceGrant, policies: RoaringBitmap) -> RoaringBitmap {
        match grant {
            ServiceGrant::Bind => policies & &self.binding,
            ServiceGrant::Dial => policies - &self.binding,
        }
    }

    /// The entities on one side of the policies that select an entity on another side.
    fn entities_across(
        &self,
        kind: PolicyKind,
        grant: Option<ServiceGrant>,
        (from, entity): (PolicySide, Slot),
        to: PolicySide,
        kinds: SelectableCatalogs<'_>,
    ) -> RoaringBitmap {
        let selecting = self.selecting(kind, from, entity, kinds);
        let policies = match grant {
            Some(grant) => self.with_grant(grant, selecting),
            None => selecting,
        };
        self.policies(kind)
            .members(&policies, to, kinds.on_side(to))
    }
}
