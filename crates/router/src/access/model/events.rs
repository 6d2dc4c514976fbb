//! The model as events that lead to it.

use super::{DataModel, Policy};
use portcullis_wire::control::data_model::{
    Action, Event, RelatedEntity, ServicePolicy, ServicePolicyChange, Subject,
};
use std::collections::BTreeSet;
use std::sync::Arc;

impl DataModel {
    /// Creations of all entities, each after those that it names, which make the same model of an empty one.
    pub fn to_events(&self) -> Vec<Event> {
        let config_types = self.config_types.values().cloned();
        let configs = self.configs.values().cloned();
        let identities = self.identities.values().cloned();
        let services = self.services.iter().cloned();
        let routers = self.routers.values().cloned();
        let checks = self.posture_checks.values();
        let keys = self.public_keys.values().cloned();
        let revocations = self.revocations.values().cloned();
        config_types
            .map(|entity| Subject::ConfigType(Box::new(entity)))
            .chain(configs.map(|entity| Subject::Config(Box::new(entity))))
            .chain(identities.map(|entity| Subject::Identity(Box::new(entity))))
            .chain(services.map(|entity| Subject::Service(Box::new(entity))))
            .chain(routers.map(|entity| Subject::Router(Box::new(entity))))
            .chain(checks.map(|check| Subject::PostureCheck(Box::new(check.definition().clone()))))
            .chain(self.policies.iter().flat_map(policy))
            .chain(keys.map(|key| Subject::PublicKey(Box::new(key))))
            .chain(revocations.map(|entity| Subject::Revocation(Box::new(entity))))
            .map(|subject| Event {
                action: Action::Create,
                is_synthetic: false,
                subject: Some(subject),
            })
            .collect()
    }
}

/// A policy, and what it relates.
fn policy(policy: &Policy) -> impl Iterator<Item = Subject> {
    let itself = Subject::ServicePolicy(Box::new(ServicePolicy {
        id: policy.id.as_ref().to_owned(),
        name: policy.name.clone(),
        policy_type: policy.policy_type,
    }));
    let relation = |entity_type, ids: &BTreeSet<Arc<str>>| {
        Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
            policy_id: policy.id.as_ref().to_owned(),
            entity_ids: ids.iter().map(|id| id.as_ref().to_owned()).collect(),
            entity_type,
            adds: true,
        }))
    };
    [
        itself,
        relation(RelatedEntity::Service, &policy.services),
        relation(RelatedEntity::PostureCheck, &policy.posture_checks),
        relation(RelatedEntity::Identity, &policy.identities),
    ]
    .into_iter()
}
