//! Enough of an entity to refer to it.

use crate::config::{Config, ConfigType};
use crate::ids::{ConfigId, ConfigTypeId, RouterId, ServiceId, ServicePolicyId};
use crate::policies::ServicePolicy;
use crate::router::Router;
use crate::service::Service;
use std::collections::BTreeMap;

/// Names by id, of those entities that are named somewhere and that there are.
pub type Names<I> = BTreeMap<I, String>;

/// Enough of an entity to refer to it; `I` is its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<I> {
    /// Its id.
    pub id: I,
    /// Its name.
    pub name: String,
}

/// Enough of a router to refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterRef {
    /// Its id.
    pub id: RouterId,
    /// Its name.
    pub name: String,
    /// Whether clients connect to it; references say so.
    pub is_edge: bool,
}

/// Declares how entities are referred to that have nothing to show but their name.
macro_rules! named {
    ($($entity:ty, $id:ty;)*) => {
        $(impl From<&$entity> for Named<$id> {
            fn from(entity: &$entity) -> Self {
                Self {
                    id: entity.id.clone(),
                    name: entity.spec.name.clone(),
                }
            }
        })*
    };
}

named! {
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
