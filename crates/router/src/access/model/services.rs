//! Services, and those that an identity may use.

use super::entities::Entities;
use super::index::{Index, link, unlink};
use super::{DataModel, EffectiveConfig, Policy};
use portcullis_wire::control::data_model::{PolicyType, Service};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Services {
    services: Entities<Service>,
    /// Ids; of several while names change hands.
    by_name: Index,
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
        let known = self.services.get(&service.id);
        if known.is_none_or(|known| known.name != service.name) {
            self.remove(&service.id);
            link(&mut self.by_name, &service.name, service.id.as_str().into());
        }
        self.services.put(service.id.clone(), service);
    }

    pub(super) fn remove(&mut self, id: &str) {
        if let Some(service) = self.services.remove(id) {
            unlink(&mut self.by_name, &service.name, id);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn service(id: &str, name: &str) -> Service {
        Service {
            id: id.to_owned(),
            name: name.to_owned(),
            ..Service::default()
        }
    }

    #[test]
    fn names_are_shared_with_copies_and_may_change_hands() {
        let mut services = Services::default();
        services.put(service("1", "wiki"));
        services.put(service("2", "mail"));
        let copy = services.clone();
        services.put(service("3", "wiki"));
        services.put(service("1", "news"));
        let found = |services: &Services, name| Some(services.by_name(name)?.id.clone());
        assert_eq!(found(&services, "wiki").as_deref(), Some("3"));
        assert_eq!(found(&services, "news").as_deref(), Some("1"));
        assert_eq!(found(&copy, "wiki").as_deref(), Some("1"));
        assert_eq!(found(&copy, "news"), None);
        let of_mail = |services: &Services| Arc::clone(services.by_name.shared("mail").unwrap());
        assert!(Arc::ptr_eq(&of_mail(&services), &of_mail(&copy)));
        services.remove("3");
        assert_eq!(found(&services, "wiki"), None);
    }
}
