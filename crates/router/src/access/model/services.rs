//! Services, and those that an identity may use.

use super::entities::Entities;
use super::{DataModel, EffectiveConfig, Policy};
use portcullis_wire::control::data_model::{PolicyType, Service};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Services {
    services: Entities<Service>,
    /// Ids; of several while names change hands.
    by_name: Arc<BTreeMap<String, BTreeSet<String>>>,
}

impl Services {
    pub(super) fn get(&self, id: &str) -> Option<&Service> {
        self.services.get(id)
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&Service> {
        let id = self.by_name.get(name)?.first()?;
        self.services.get(id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Service> {
        self.services.values()
    }

    pub(super) fn put(&mut self, service: Service) {
        self.remove(&service.id);
        let by_name = Arc::make_mut(&mut self.by_name);
        let named = by_name.entry(service.name.clone()).or_default();
        named.insert(service.id.clone());
        self.services.put(service.id.clone(), service);
    }

    pub(super) fn remove(&mut self, id: &str) {
        let Some(service) = self.services.remove(id) else {
            return;
        };
        let by_name = Arc::make_mut(&mut self.by_name);
        if let Some(named) = by_name.get_mut(&service.name) {
            named.remove(id);
            if named.is_empty() {
                by_name.remove(&service.name);
            }
        }
    }
}

/// A service that policies permit an identity, whether its posture passes or not.
#[derive(Debug, Clone)]
pub struct IdentityService<'m> {
    pub service: &'m Service,
    /// Those that permit it to dial or to host the service.
    pub policies: Vec<&'m Policy>,
    /// One of each type.
    pub configs: Vec<EffectiveConfig<'m>>,
}

impl DataModel {
    /// The services of an identity, by id; none if it is unknown or disabled.
    pub fn services_of(&self, identity: &str) -> Vec<IdentityService<'_>> {
        let Some(identity) = self.enabled_identity(identity) else {
            return Vec::new();
        };
        let mut policies = BTreeMap::<&str, Vec<&Policy>>::new();
        for policy in self.policies.of_identity(&identity.id) {
            if matches!(policy.policy_type, PolicyType::Dial | PolicyType::Bind) {
                for service in &policy.services {
                    policies.entry(service).or_default().push(policy);
                }
            }
        }
        let services = policies.into_iter().filter_map(|(id, policies)| {
            let service = self.services.get(id)?;
            Some(IdentityService {
                service,
                policies,
                configs: self.configs_of(identity, service),
            })
        });
        services.collect()
    }
}
