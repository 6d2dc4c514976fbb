//! Services and configurations together with what is shown beside them.

use super::{Named, PolicyPosture};
use crate::config::{Config, Object};
use crate::ids::{ConfigId, ConfigTypeId, ServiceId};
use crate::policies::ServiceGrant;
use crate::service::Service;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A service and what it is to the one who looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceView {
    /// The service.
    pub service: Service,
    /// What the viewer may do with it; `None` where that was not asked.
    pub grants: Option<ServiceGrants>,
    /// What its configurations say to the viewer, by the names of their types; `None` where none were
    /// asked for.
    pub config: Option<BTreeMap<Arc<str>, Arc<Object>>>,
    /// How the viewer's posture stands with the policies that let it use the service, if there are
    /// posture checks at all.
    pub posture: Vec<PolicyPosture>,
}

/// What somebody may do with a service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServiceGrants {
    /// Offer it.
    pub bind: bool,
    /// Connect to it.
    pub dial: bool,
}

/// A configuration and its type.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigView {
    /// The configuration.
    pub config: Config,
    /// Its type.
    pub config_type: Named<ConfigTypeId>,
}

/// A configuration that an identity is shown with a service in the place of the service's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceConfigView {
    /// The service.
    pub service: Named<ServiceId>,
    /// The configuration.
    pub config: Named<ConfigId>,
}

impl ServiceGrants {
    /// Whether nothing may be done.
    pub const fn is_empty(self) -> bool {
        !self.bind && !self.dial
    }

    /// What may be done, in the order in which it is shown.
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
    /// The service alone, as lists show it that are about something else.
    pub fn alone(service: Service) -> Self {
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
