//! Service policies, and which of them relate an entity.

use super::entities::Entities;
use super::index::{Ids, Index, link, unlink};
use portcullis_data_model::{Kind, Policy as PolicyEntity};
use portcullis_wire::control::data_model::{
    PolicyType, RelatedEntity, ServicePolicy, ServicePolicyChange,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A service policy, and ids of what it relates.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub id: Arc<str>,
    pub name: String,
    pub policy_type: PolicyType,
    pub services: BTreeSet<Arc<str>>,
    pub posture_checks: BTreeSet<Arc<str>>,
    pub identities: BTreeSet<Arc<str>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Policies {
    all: Entities<Policy>,
    /// Ids of policies, by the id of what they relate.
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
        if let Some(known) = self.all.get_mut(&policy.id) {
            known.name = policy.name;
            known.policy_type = policy.policy_type;
            return;
        }
        let id: Arc<str> = policy.id.into();
        let new = Policy {
            id: Arc::clone(&id),
            name: policy.name,
            policy_type: policy.policy_type,
            services: Ids::new(),
            posture_checks: Ids::new(),
            identities: Ids::new(),
        };
        self.all.put(id, new);
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<Policy>> {
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
        let Some(policy) = self.all.get_mut(change.policy_id.as_str()) else {
            return;
        };
        let id = Arc::clone(&policy.id);
        let related = related(policy, kind);
        let index = match kind {
            Kind::Service => &mut self.by_service,
            Kind::PostureCheck => &mut self.by_check,
            _ => &mut self.by_identity,
        };
        for entity in &change.entity_ids {
            if change.adds {
                related.insert(link(index, entity, Arc::clone(&id)));
            } else {
                related.remove(entity.as_str());
                unlink(index, entity, &id);
            }
        }
    }

    /// Removes a deleted entity from all policies.
    pub(super) fn forget(&mut self, kind: Kind, entity: &str) {
        let policies = self.index(kind).remove(entity).unwrap_or_default();
        for id in &*policies {
            if let Some(policy) = self.all.get_mut(id) {
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
    pub(super) fn of_service(&self, service: &str) -> impl Iterator<Item = &Arc<str>> {
        self.by_service.get(service).into_iter().flatten()
    }

    /// Ids of the policies that relate a posture check.
    pub(super) fn of_check(&self, check: &str) -> impl Iterator<Item = &Arc<str>> {
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

/// The policy as controllers have it.
impl From<&Policy> for PolicyEntity {
    fn from(policy: &Policy) -> Self {
        let owned = |ids: &Ids| ids.iter().map(|id| id.as_ref().to_owned()).collect();
        Self {
            id: policy.id.as_ref().to_owned(),
            name: policy.name.clone(),
            policy_type: policy.policy_type,
            services: owned(&policy.services),
            posture_checks: owned(&policy.posture_checks),
            identities: owned(&policy.identities),
        }
    }
}

const fn related(policy: &mut Policy, kind: Kind) -> &mut Ids {
    match kind {
        Kind::Service => &mut policy.services,
        Kind::PostureCheck => &mut policy.posture_checks,
        _ => &mut policy.identities,
    }
}
