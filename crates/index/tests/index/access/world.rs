//! Catalogs and access under random changes, beside what they were told.

use super::naive::{Entities, Kind, Names, Policies, Said};
use crate::support::{at, edge_router, identity, posture_check, router, service};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{
    EdgeRouterPolicyId, Number, ServiceEdgeRouterPolicyId, ServicePolicyId,
};
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServiceGrant, ServicePolicy, ServicePolicySpec,
};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::roles::{RoleAttributes, Roles, Semantic};
use portcullis_domain::router::{Router, RouterKind};
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_index::{Access, Catalog, Catalogued, Kinds, Policy, PolicyKind, Side, Slot};
use proptest::prelude::*;

/// One thing that happens.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// An entity is made, or gets other attributes. The second member chooses which one.
    Put(Kind, usize, Names),
    /// An entity goes, if there is one.
    Remove(Kind, usize),
    /// A policy is made or replaced. Numbers in its lists choose among the entities.
    Say(PolicyKind, usize, bool, bool, [List; 3]),
    /// A policy goes, if there is one.
    Revoke(PolicyKind, usize),
}

/// A list of selectors, as far as it is known before it is clear whom there is to name.
#[derive(Debug, Clone)]
pub(crate) enum List {
    All,
    Of(Names, Vec<usize>),
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Identity, Kind::Service, Kind::Router, Kind::Check];

pub(crate) const POLICY_KINDS: [PolicyKind; 3] = [
    PolicyKind::Service,
    PolicyKind::EdgeRouter,
    PolicyKind::ServiceEdgeRouter,
];

/// What the lists of a kind of policy are about.
pub(crate) const fn lists_of(policy: PolicyKind) -> &'static [Kind] {
    match policy {
        PolicyKind::Service => &[Kind::Identity, Kind::Service, Kind::Check],
        PolicyKind::EdgeRouter => &[Kind::Identity, Kind::Router],
        PolicyKind::ServiceEdgeRouter => &[Kind::Service, Kind::Router],
    }
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) entities: Entities,
    policies: [Policies; 3],
    next: u64,
    identities: Catalog<Identity>,
    services: Catalog<Service>,
    routers: Catalog<Router>,
    checks: Catalog<PostureCheck>,
    service_policies: Catalog<ServicePolicy>,
    edge_router_policies: Catalog<EdgeRouterPolicy>,
    service_edge_router_policies: Catalog<ServiceEdgeRouterPolicy>,
    pub(crate) access: Access,
}

impl World {
    pub(crate) fn policies(&self, kind: PolicyKind) -> &Policies {
        &self.policies[kind as usize]
    }

    pub(crate) fn run(&mut self, op: Op) {
        match op {
            Op::Put(kind, which, attributes) => {
                let id = self
                    .some_entity(kind, which)
                    .unwrap_or_else(|| self.fresh());
                self.put(kind, &id, &attributes);
                self.entities.insert((kind, id), attributes);
            },
            Op::Remove(kind, which) => {
                if let Some(id) = self.some_entity(kind, which) {
                    self.remove(kind, &id);
                }
            },
            Op::Say(kind, which, is_binding, is_all_of, lists) => {
                let name = self
                    .some_policy(kind, which)
                    .unwrap_or_else(|| self.fresh());
                let lists = lists_of(kind)
                    .iter()
                    .zip(lists)
                    .map(|(about, list)| (*about, self.selectors(*about, list)))
                    .collect();
                let said = Said {
                    is_binding,
                    is_all_of,
                    lists,
                };
                self.say(kind, &name, said);
            },
            Op::Revoke(kind, which) => {
                if let Some(name) = self.some_policy(kind, which) {
                    self.revoke(kind, &name);
                }
            },
        }
    }

    /// Adds a router that policies are not about.
    pub(crate) fn add_transit_router(&mut self, id: &str) {
        put(&mut self.routers, &router(id, RouterKind::Transit));
    }

    pub(crate) fn kinds(&self) -> Kinds<'_> {
        Kinds {
            identities: &self.identities,
            services: &self.services,
            routers: &self.routers,
            posture_checks: &self.checks,
        }
    }

    pub(crate) fn slot(&self, kind: Kind, id: &str) -> Slot {
        match kind {
            Kind::Identity => self.identities.slot_by_id(id),
            Kind::Service => self.services.slot_by_id(id),
            Kind::Router => self.routers.slot_by_id(id),
            Kind::Check => self.checks.slot_by_id(id),
        }
        .unwrap()
    }

    pub(crate) fn policy_slot(&self, kind: PolicyKind, name: &str) -> Slot {
        match kind {
            PolicyKind::Service => self.service_policies.slot_by_id(name),
            PolicyKind::EdgeRouter => self.edge_router_policies.slot_by_id(name),
            PolicyKind::ServiceEdgeRouter => self.service_edge_router_policies.slot_by_id(name),
        }
        .unwrap()
    }

    /// The ids of entities.
    pub(crate) fn ids(&self, kind: Kind, slots: impl IntoIterator<Item = u32>) -> Names {
        match kind {
            Kind::Identity => ids(&self.identities, slots),
            Kind::Service => ids(&self.services, slots),
            Kind::Router => ids(&self.routers, slots),
            Kind::Check => ids(&self.checks, slots),
        }
    }

    /// The ids of policies.
    pub(crate) fn names(&self, kind: PolicyKind, slots: impl IntoIterator<Item = u32>) -> Names {
        match kind {
            PolicyKind::Service => ids(&self.service_policies, slots),
            PolicyKind::EdgeRouter => ids(&self.edge_router_policies, slots),
            PolicyKind::ServiceEdgeRouter => ids(&self.service_edge_router_policies, slots),
        }
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        // Ids come in another order than the entities do.
        format!("{}-{}", self.next * 7 % 10, self.next)
    }

    fn some_entity(&self, kind: Kind, which: usize) -> Option<String> {
        let of_kind = self.entities.keys().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, id)| id.clone()).nth(which)
    }

    fn some_policy(&self, kind: PolicyKind, which: usize) -> Option<String> {
        self.policies(kind).keys().nth(which).cloned()
    }

    fn selectors(&self, about: Kind, list: List) -> Names {
        match list {
            List::All => Names::from(["#all".to_owned()]),
            List::Of(attributes, named) => {
                let attributes = attributes.iter().map(|attribute| format!("#{attribute}"));
                let named = named.into_iter();
                let ids = named.filter_map(|which| self.some_entity(about, which));
                attributes.chain(ids.map(|id| format!("@{id}"))).collect()
            },
        }
    }

    fn put(&mut self, kind: Kind, id: &str, attributes: &Names) {
        let attributes = RoleAttributes::new(attributes.iter().cloned()).unwrap();
        match kind {
            Kind::Identity => {
                let mut identity = identity(id, id, 0);
                identity.spec.role_attributes = attributes;
                put(&mut self.identities, &identity)
            },
            Kind::Service => put(&mut self.services, &service(id, attributes)),
            Kind::Router => put(&mut self.routers, &edge_router(id, attributes)),
            Kind::Check => put(&mut self.checks, &posture_check(id, attributes)),
        };
    }

    /// An entity is named nowhere any more once it is gone.
    fn remove(&mut self, kind: Kind, id: &str) {
        self.entities.remove(&(kind, id.to_owned()));
        match kind {
            Kind::Identity => remove(&mut self.identities, id),
            Kind::Service => remove(&mut self.services, id),
            Kind::Router => remove(&mut self.routers, id),
            Kind::Check => remove(&mut self.checks, id),
        }
        let selector = format!("@{id}");
        for policy in POLICY_KINDS {
            for (name, mut said) in self.policies(policy).clone() {
                let list = said.lists.get_mut(&kind);
                if list.is_some_and(|list| list.remove(&selector)) {
                    self.say(policy, &name, said);
                }
            }
        }
    }

    fn say(&mut self, kind: PolicyKind, name: &str, said: Said) {
        let list = |about| said.lists[&about].iter().cloned();
        let semantic = if said.is_all_of {
            Semantic::AllOf
        } else {
            Semantic::AnyOf
        };
        match kind {
            PolicyKind::Service => {
                let grant = if said.is_binding {
                    ServiceGrant::Bind
                } else {
                    ServiceGrant::Dial
                };
                let spec = ServicePolicySpec {
                    name: name.to_owned(),
                    grant,
                    semantic,
                    identity_roles: Roles::new("", list(Kind::Identity)).unwrap(),
                    service_roles: Roles::new("", list(Kind::Service)).unwrap(),
                    posture_check_roles: Roles::new("", list(Kind::Check)).unwrap(),
                    tags: Tags::default(),
                };
                let policy = managed(ServicePolicyId::from_wire(name), spec);
                let slot = put(&mut self.service_policies, &policy);
                self.allow(slot, Policy::Service(&policy));
            },
            PolicyKind::EdgeRouter => {
                let spec = EdgeRouterPolicySpec {
                    name: name.to_owned(),
                    semantic,
                    identity_roles: Roles::new("", list(Kind::Identity)).unwrap(),
                    edge_router_roles: Roles::new("", list(Kind::Router)).unwrap(),
                    is_system: false,
                    tags: Tags::default(),
                };
                let policy = managed(EdgeRouterPolicyId::from_wire(name), spec);
                let slot = put(&mut self.edge_router_policies, &policy);
                self.allow(slot, Policy::EdgeRouter(&policy));
            },
            PolicyKind::ServiceEdgeRouter => {
                let spec = ServiceEdgeRouterPolicySpec {
                    name: name.to_owned(),
                    semantic,
                    service_roles: Roles::new("", list(Kind::Service)).unwrap(),
                    edge_router_roles: Roles::new("", list(Kind::Router)).unwrap(),
                    tags: Tags::default(),
                };
                let policy = managed(ServiceEdgeRouterPolicyId::from_wire(name), spec);
                let slot = put(&mut self.service_edge_router_policies, &policy);
                self.allow(slot, Policy::ServiceEdgeRouter(&policy));
            },
        }
        self.policies[kind as usize].insert(name.to_owned(), said);
    }

    fn allow(&mut self, slot: Slot, policy: Policy<'_>) {
        let kinds = Kinds {
            identities: &self.identities,
            services: &self.services,
            routers: &self.routers,
            posture_checks: &self.checks,
        };
        self.access.put(slot, policy, kinds);
    }

    fn revoke(&mut self, kind: PolicyKind, name: &str) {
        let slot = self.policy_slot(kind, name);
        self.access.remove(kind, slot);
        match kind {
            PolicyKind::Service => remove(&mut self.service_policies, name),
            PolicyKind::EdgeRouter => remove(&mut self.edge_router_policies, name),
            PolicyKind::ServiceEdgeRouter => remove(&mut self.service_edge_router_policies, name),
        }
        self.policies[kind as usize].remove(name);
    }
}

fn managed<I, S: portcullis_domain::managed::Spec>(id: I, spec: S) -> Managed<I, S> {
    Managed::new(id, spec, at(0)).unwrap()
}

/// The number of an entity's record.
fn number(id: &str) -> Number {
    Number(id.split('-').next_back().unwrap().parse().unwrap())
}

fn put<E: Catalogued>(catalog: &mut Catalog<E>, entity: &E) -> Slot {
    let number = number(entity.id());
    catalog.put(number, None, entity);
    catalog.slot(number).unwrap()
}

fn remove<E: Catalogued>(catalog: &mut Catalog<E>, id: &str) {
    assert!(catalog.remove(number(id)));
}

fn ids<E: Catalogued>(catalog: &Catalog<E>, slots: impl IntoIterator<Item = u32>) -> Names {
    slots
        .into_iter()
        .map(|slot| catalog.id(Slot::from_bit(slot)).unwrap().to_owned())
        .collect()
}

/// Where the entities of a kind stand.
pub(crate) const fn side(kind: Kind) -> Side {
    match kind {
        Kind::Identity => Side::Identities,
        Kind::Service => Side::Services,
        Kind::Router => Side::EdgeRouters,
        Kind::Check => Side::PostureChecks,
    }
}

pub(crate) fn any_op() -> impl Strategy<Value = Op> {
    let kind = || prop::sample::select(&KINDS[..]);
    let policy = || prop::sample::select(&POLICY_KINDS[..]);
    prop_oneof![
        // More than there are already makes a new one.
        4 => (kind(), 0..6_usize, any_attributes())
            .prop_map(|(kind, which, attributes)| Op::Put(kind, which, attributes)),
        1 => (kind(), 0..4_usize).prop_map(|(kind, which)| Op::Remove(kind, which)),
        4 => (policy(), 0..4_usize, any::<bool>(), any::<bool>(), [any_list(), any_list(), any_list()])
            .prop_map(|(kind, which, binds, all_of, lists)| Op::Say(kind, which, binds, all_of, lists)),
        1 => (policy(), 0..4_usize).prop_map(|(kind, which)| Op::Revoke(kind, which)),
    ]
}

fn any_attributes() -> impl Strategy<Value = Names> {
    prop::collection::btree_set("[a-d]", 0..4)
}

fn any_list() -> impl Strategy<Value = List> {
    prop_oneof![
        1 => Just(List::All),
        6 => (any_attributes(), prop::collection::vec(0..4_usize, 0..2))
            .prop_map(|(attributes, named)| List::Of(attributes, named)),
    ]
}
