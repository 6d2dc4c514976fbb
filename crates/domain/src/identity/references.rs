//! References of identities to services and configurations.

use super::Identity;
use crate::ids::{ConfigId, ServiceId};
use std::collections::BTreeSet;

impl Identity {
    /// The services that it refers to, by hosting settings or configuration overrides.
    pub fn services(&self) -> BTreeSet<&ServiceId> {
        let hosted = self.spec.hosting.services();
        hosted.chain(self.service_configs.keys()).collect()
    }

    /// The configurations that override those of services.
    pub fn configs(&self) -> BTreeSet<&ConfigId> {
        self.service_configs.values().flatten().collect()
    }

    /// Removes all references to a deleted service; returns whether there were any.
    pub fn unlink_service(&mut self, service: &ServiceId) -> bool {
        let hosted = self.spec.hosting.unlink(service);
        self.service_configs.remove(service).is_some() || hosted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::identity::{Hosting, IdentityName, IdentitySpec, Precedence};
    use crate::ids::IdentityId;

    #[test]
    fn a_service_that_is_gone_is_named_nowhere() {
        let [one, two, three] = ["one", "two", "three"].map(ServiceId::from_wire);
        let mut spec = IdentitySpec::named(IdentityName::new("laptop").unwrap());
        spec.hosting.costs = [(one.clone(), 1), (two.clone(), 2)].into();
        spec.hosting.precedences = [(one.clone(), Precedence::Failed)].into();
        let id = IdentityId::from_wire("i");
        let mut identity = Identity::new(id, spec, Timestamp::UNIX_EPOCH);
        let configs = |id: &str| BTreeSet::from([ConfigId::from_wire(id)]);
        identity.service_configs =
            [(one.clone(), configs("a")), (three.clone(), configs("b"))].into();
        assert_eq!(identity.services(), [&one, &two, &three].into());
        assert_eq!(identity.configs().len(), 2);

        for service in [&one, &two, &three] {
            assert!(identity.unlink_service(service), "{service}");
            assert!(!identity.services().contains(service), "{service}");
            assert!(!identity.unlink_service(service), "{service}");
        }
        assert!(identity.configs().is_empty());
        assert_eq!(identity.spec.hosting, Hosting::default());
    }
}
