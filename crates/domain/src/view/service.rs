//! Read models of services and configurations.

use super::{NamedRef, PolicyPosture};
use crate::config::{Config, JsonObject};
use crate::ids::{ConfigId, ConfigTypeId, ServiceId};
use crate::policies::ServiceGrant;
use crate::service::Service;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A service as seen by a viewer.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceView {
    pub service: Service,
    /// Grants of the viewer; `None` if not requested.
    pub grants: Option<ServiceGrants>,
    /// Configuration data for the viewer by type name; `None` if not requested.
    pub config: Option<BTreeMap<Arc<str>, Arc<JsonObject>>>,
    /// Posture evaluation for the policies that grant the service; empty without posture checks.
    pub posture: Vec<PolicyPosture>,
}

/// A set of grants on a service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServiceGrants {
    /// Offer it.
    pub bind: bool,
    /// Connect to it.
    pub dial: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConfigView {
    pub config: Config,
    pub config_type: NamedRef<ConfigTypeId>,
}

/// A configuration that overrides one of a service for an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceConfigView {
    pub service: NamedRef<ServiceId>,
    pub config: NamedRef<ConfigId>,
}

impl ServiceGrants {
    pub const fn is_empty(self) -> bool {
        !self.bind && !self.dial
    }

    /// In display order.
    pub fn iter(self) -> impl Iterator<Item = ServiceGrant> {
        let bind = self.bind.then_some(ServiceGrant::Bind);
        let dial = self.dial.then_some(ServiceGrant::Dial);
        bind.into_iter().chain(dial)
    }
}

impl FromIterator<ServiceGrant> for ServiceGrants {
    fn from_iter<G: IntoIterator<Item = ServiceGrant>>(grants: G) -> Self {
        let mut all = Self::default();
        for grant in grants {
            match grant {
                ServiceGrant::Bind => all.bind = true,
                ServiceGrant::Dial => all.dial = true,
            }
        }
        all
    }
}

impl ServiceView {
    /// A service without viewer-specific data.
    pub fn from_service(service: Service) -> Self {
        Self {
            service,
            grants: None,
            config: None,
            posture: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ServiceGrant::{Bind, Dial};

    #[test]
    fn grants_are_shown_in_one_order() {
        for (given, shown) in [
            (&[][..], &[][..]),
            (&[Dial], &[Dial]),
            (&[Dial, Bind, Dial], &[Bind, Dial]),
        ] {
            let all: ServiceGrants = given.iter().copied().collect();
            assert_eq!(all.iter().collect::<Vec<_>>(), shown);
            assert_eq!(all.is_empty(), shown.is_empty());
        }
    }
}
