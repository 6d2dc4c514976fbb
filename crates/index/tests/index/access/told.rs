//! What was decided about entities and policies, and the changes that a store commits for it.

use super::naive::{Entities, Kind, Names, Policies, Said};
use super::ops::{List, Op, POLICY_KINDS, lists_of};
use crate::support::{at, edge_router, identity, posture_check, router, service};
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::ids::{
    EdgeRouterPolicyId, RecordNumber, ServiceEdgeRouterPolicyId, ServicePolicyId,
};
use portcullis_domain::managed::{Managed, Spec};
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServiceGrant, ServicePolicySpec,
};
use portcullis_domain::roles::{RoleAttributes, RoleSelectors, Semantic};
use portcullis_domain::router::RouterKind;
use portcullis_index::PolicyKind;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Told {
    pub(crate) entities: Entities,
    policies: [Policies; 3],
    next: u64,
}

impl Told {
    pub(crate) fn policies(&self, kind: PolicyKind) -> &Policies {
        &self.policies[kind as usize]
    }

    pub(crate) fn ids(&self, kind: Kind) -> Vec<String> {
        let of_kind = self.entities.keys().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, id)| id.clone()).collect()
    }

    /// Decides, and returns what a store commits then, in its order.
    pub(crate) fn run(&mut self, op: Op) -> Vec<Change> {
        match op {
            Op::Put(kind, which, attributes) => {
                let id = self.some_entity(kind, which);
                let id = id.unwrap_or_else(|| self.fresh());
                vec![self.put(kind, id, attributes)]
            },
            Op::Remove(kind, which) => match self.some_entity(kind, which) {
                Some(id) => self.remove(kind, id),
                None => Vec::new(),
            },
            Op::Say(kind, which, is_binding, is_all_of, lists) => {
                let name = self.some_policy(kind, which);
                let name = name.unwrap_or_else(|| self.fresh());
                let about = lists_of(kind).iter().zip(lists);
                let lists = about.map(|(about, list)| (*about, self.selectors(*about, list)));
                let said = Said {
                    is_binding,
                    is_all_of,
                    lists: lists.collect(),
                };
                vec![self.say(kind, name, said)]
            },
            Op::Revoke(kind, which) => {
                let name = self.some_policy(kind, which);
                let revoked = name.map(|name| {
                    self.policies[kind as usize].remove(&name);
                    policy(kind, &name, None)
                });
                revoked.into_iter().collect()
            },
        }
    }

    /// The record of everything.
    pub(crate) fn records(&self) -> Vec<Change> {
        let entities = self.entities.iter();
        let mut records: Vec<Change> = entities
            .map(|((kind, id), attributes)| entity(*kind, id, Some(attributes)))
            .collect();
        for kind in POLICY_KINDS {
            let policies = self.policies(kind).iter();
            records.extend(policies.map(|(name, said)| policy(kind, name, Some(said))));
        }
        records
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        // Ids come in another order than the entities do.
        format!("{}-{}", self.next * 7 % 10, self.next)
    }

    fn some_entity(&self, kind: Kind, which: usize) -> Option<String> {
        self.ids(kind).into_iter().nth(which)
    }

    fn some_policy(&self, kind: PolicyKind, which: usize) -> Option<String> {
        self.policies(kind).keys().nth(which).cloned()
    }

    fn selectors(&self, about: Kind, list: List) -> Names {
        let (attributes, named) = match list {
            List::All => return Names::from(["#all".to_owned()]),
            List::Of(attributes, named) => (attributes, named),
        };
        let mut ids = self.ids(about);
        if about == Kind::Router {
            ids.extend(self.ids(Kind::Transit));
        }
        let attributes = attributes.iter().map(|attribute| format!("#{attribute}"));
        let named = named.into_iter().filter_map(|which| ids.get(which));
        attributes.chain(named.map(|id| format!("@{id}"))).collect()
    }

    fn put(&mut self, kind: Kind, id: String, attributes: Names) -> Change {
        let change = entity(kind, &id, Some(&attributes));
        self.entities.insert((kind, id), attributes);
        change
    }

    /// Policies forget an entity before it goes.
    fn remove(&mut self, kind: Kind, id: String) -> Vec<Change> {
        let selector = format!("@{id}");
        let list = match kind {
            Kind::Transit => Kind::Router,
            kind => kind,
        };
        let mut changes = Vec::new();
        for policy in POLICY_KINDS {
            for (name, mut said) in self.policies(policy).clone() {
                let list = said.lists.get_mut(&list);
                if list.is_some_and(|list| list.remove(&selector)) {
                    changes.push(self.say(policy, name, said));
                }
            }
        }
        changes.push(entity(kind, &id, None));
        self.entities.remove(&(kind, id));
        changes
    }

    fn say(&mut self, kind: PolicyKind, name: String, said: Said) -> Change {
        let change = policy(kind, &name, Some(&said));
        self.policies[kind as usize].insert(name, said);
        change
    }
}

/// The number of a record.
fn number(id: &str) -> RecordNumber {
    RecordNumber(id.split('-').next_back().unwrap().parse().unwrap())
}

fn change<E>(id: &str, now: Option<E>) -> EntityChange<E> {
    EntityChange {
        owner: None,
        number: number(id),
        before: None,
        entity: now.map(Arc::new),
    }
}

pub(crate) fn entity(kind: Kind, id: &str, attributes: Option<&Names>) -> Change {
    let now = attributes.map(|names| RoleAttributes::new(names.iter().cloned()).unwrap());
    match kind {
        Kind::Identity => {
            let now = now.map(|attributes| {
                let mut identity = identity(id, id, 0);
                identity.spec.role_attributes = attributes;
                identity
            });
            Change::Identity(change(id, now))
        },
        Kind::Service => Change::Service(change(id, now.map(|now| service(id, now)))),
        Kind::Router => Change::Router(change(id, now.map(|now| edge_router(id, now)))),
        Kind::Transit => {
            let now = now.map(|_| router(id, RouterKind::Transit));
            Change::Router(change(id, now))
        },
        Kind::Check => Change::PostureCheck(change(id, now.map(|now| posture_check(id, now)))),
    }
}

pub(crate) fn policy(kind: PolicyKind, name: &str, said: Option<&Said>) -> Change {
    match kind {
        PolicyKind::Service => {
            let id = ServicePolicyId::from_wire(name);
            let now = said.map(|said| managed(id, service_policy(name, said)));
            Change::ServicePolicy(change(name, now))
        },
        PolicyKind::EdgeRouter => {
            let id = EdgeRouterPolicyId::from_wire(name);
            let now = said.map(|said| managed(id, edge_router_policy(name, said)));
            Change::EdgeRouterPolicy(change(name, now))
        },
        PolicyKind::ServiceEdgeRouter => {
            let id = ServiceEdgeRouterPolicyId::from_wire(name);
            let now = said.map(|said| managed(id, service_edge_router_policy(name, said)));
            Change::ServiceEdgeRouterPolicy(change(name, now))
        },
    }
}

fn managed<I, S: Spec>(id: I, spec: S) -> Managed<I, S> {
    Managed::new(id, spec, at(0)).unwrap()
}

fn semantic(said: &Said) -> Semantic {
    if said.is_all_of {
        Semantic::AllOf
    } else {
        Semantic::AnyOf
    }
}

fn list<I: portcullis_domain::ids::EntityId>(said: &Said, about: Kind) -> RoleSelectors<I> {
    RoleSelectors::new("", said.lists[&about].iter().cloned()).unwrap()
}

fn service_policy(name: &str, said: &Said) -> ServicePolicySpec {
    let grant = if said.is_binding {
        ServiceGrant::Bind
    } else {
        ServiceGrant::Dial
    };
    ServicePolicySpec {
        semantic: semantic(said),
        identity_roles: list(said, Kind::Identity),
        service_roles: list(said, Kind::Service),
        posture_check_roles: list(said, Kind::Check),
        ..ServicePolicySpec::new(name, grant)
    }
}

fn edge_router_policy(name: &str, said: &Said) -> EdgeRouterPolicySpec {
    EdgeRouterPolicySpec {
        semantic: semantic(said),
        identity_roles: list(said, Kind::Identity),
        edge_router_roles: list(said, Kind::Router),
        ..EdgeRouterPolicySpec::named(name)
    }
}

fn service_edge_router_policy(name: &str, said: &Said) -> ServiceEdgeRouterPolicySpec {
    ServiceEdgeRouterPolicySpec {
        semantic: semantic(said),
        service_roles: list(said, Kind::Service),
        edge_router_roles: list(said, Kind::Router),
        ..ServiceEdgeRouterPolicySpec::named(name)
    }
}
