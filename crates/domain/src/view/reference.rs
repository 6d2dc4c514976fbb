//! References to entities.

use crate::config::{Config, ConfigType};
use crate::ids::{ConfigId, ConfigTypeId, RouterId, ServiceId, ServicePolicyId};
use crate::policies::ServicePolicy;
use crate::router::Router;
use crate::service::Service;
use std::collections::BTreeMap;

/// Names of existing entities by id.
pub type NamesById<I> = BTreeMap<I, String>;

/// Reference to an entity with id and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRef<I> {
    pub id: I,
    pub name: String,
}

/// Reference to a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterRef {
    pub id: RouterId,
    pub name: String,
    /// References distinguish edge routers.
    pub is_edge: bool,
}

/// Implements [`NamedRef`] conversions.
macro_rules! named_refs {
    ($($entity:ty, $id:ty;)*) => {
        $(impl From<&$entity> for NamedRef<$id> {
            fn from(entity: &$entity) -> Self {
                Self {
                    id: entity.id.clone(),
                    name: entity.spec.name.clone(),
                }
            }
        })*
    };
}

named_refs! {
    Config, ConfigId;
    ConfigType, ConfigTypeId;
    Service, ServiceId;
    ServicePolicy, ServicePolicyId;
}

impl From<&Router> for RouterRef {
    fn from(router: &Router) -> Self {
        Self {
            id: router.id.clone(),
            name: router.spec.name.clone(),
            is_edge: router.spec.edge().is_some(),
        }
    }
}
