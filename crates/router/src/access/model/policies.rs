//! Service policies, and which of them relate an entity.

use portcullis_data_model::{Kind, Policy};
use portcullis_wire::control::data_model::{RelatedEntity, ServicePolicy, ServicePolicyChange};
use std::collections::{BTreeMap, BTreeSet};

/// Ids of policies, by the id of what they relate.
type Index = BTreeMap<String, BTreeSet<String>>;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Policies {
    all: BTreeMap<String, Policy>,
    by_service: Index,
    by_identity: Index,
    by_check: Index,
}

impl Policies {
    pub(super) fn get(&self, id: &str) -> Option<&Policy> {
        self.all.get(id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.all.values()
    }

    /// Adds a policy, or changes it; what it relates stays.
    pub(super) fn put(&mut self, policy: ServicePolicy) {
        let entry = self.all.entry(policy.id.clone());
        let known = entry.or_insert_with(|| Policy {
            id: policy.id,
            name: String::new(),
            policy_type: policy.policy_type,
            services: BTreeSet::new(),
            posture_checks: BTreeSet::new(),
            identities: BTreeSet::new(),
        });
        known.name = policy.name;
        known.policy_type = policy.policy_type;
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Policy> {
        let policy = self.all.remove(id)?;
        for (kind, entities) in [
            (Kind::Service, &policy.services),
            (Kind::PostureCheck, &policy.posture_checks),
            (Kind::Identity, &policy.identities),
        ] {
            for entity in entities {
                unlink(self.index(kind), entity, id);
            }
        }
        Some(policy)
    }

    /// Adds entities to a policy, or removes them from it. Those of an unknown policy are lost.
    pub(super) fn relate(&mut self, change: &ServicePolicyChange) {
        let kind = match change.entity_type {
            RelatedEntity::Service => Kind::Service,
            RelatedEntity::Identity => Kind::Identity,
            RelatedEntity::PostureCheck => Kind::PostureCheck,
            RelatedEntity::Invalid | RelatedEntity::Unrecognized(_) => return,
        };
        let Some(policy) = self.all.get_mut(&change.policy_id) else {
            return;
        };
        for entity in &change.entity_ids {
            if change.adds {
                related(policy, kind).insert(entity.clone());
            } else {
                related(policy, kind).remove(entity);
            }
        }
        let id = policy.id.clone();
        let index = self.index(kind);
        for entity in &change.entity_ids {
            if change.adds {
                index.entry(entity.clone()).or_default().insert(id.clone());
            } else {
                unlink(index, entity, &id);
            }
        }
    }

    /// Removes a deleted entity from all policies.
    pub(super) fn forget(&mut self, kind: Kind, entity: &str) {
        let policies = self.index(kind).remove(entity).unwrap_or_default();
        for id in policies {
            if let Some(policy) = self.all.get_mut(&id) {
                related(policy, kind).remove(entity);
            }
        }
    }

    /// The policies that relate an identity.
    pub(super) fn of_identity(&self, identity: &str) -> impl Iterator<Item = &Policy> {
        let ids = self.by_identity.get(identity).into_iter().flatten();
        ids.filter_map(|id| self.all.get(id))
    }

    /// Ids of the policies that relate a service.
    pub(super) fn of_service(&self, service: &str) -> impl Iterator<Item = &String> {
        self.by_service.get(service).into_iter().flatten()
    }

    /// Ids of the policies that relate a posture check.
    pub(super) fn of_check(&self, check: &str) -> impl Iterator<Item = &String> {
        self.by_check.get(check).into_iter().flatten()
    }

    const fn index(&mut self, kind: Kind) -> &mut Index {
        match kind {
            Kind::Service => &mut self.by_service,
            Kind::PostureCheck => &mut self.by_check,
            _ => &mut self.by_identity,
        }
    }
}

const fn related(policy: &mut Policy, kind: Kind) -> &mut BTreeSet<String> {
    match kind {
        Kind::Service => &mut policy.services,
        Kind::PostureCheck => &mut policy.posture_checks,
        _ => &mut policy.identities,
    }
}

fn unlink(index: &mut Index, entity: &str, policy: &str) {
    if let Some(policies) = index.get_mut(entity) {
        policies.remove(policy);
        if policies.is_empty() {
            index.remove(entity);
        }
    }
}
