//! Edge routers as shown to clients.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::router::CommonEdgeRouter;
use portcullis_domain::ids::RouterId;
use portcullis_domain::view::RouterView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An edge router that the caller may use, as listed by GET `/current-identity/edge-routers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CurrentIdentityEdgeRouter {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RouterId>,
    /// Connection details.
    #[serde(flatten)]
    pub common: CommonEdgeRouter,
}

/// An edge router through which a service session may be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEdgeRouter {
    /// Connection details.
    #[serde(flatten)]
    pub common: CommonEdgeRouter,
    /// The same addresses, for older clients.
    #[serde(default)]
    pub urls: BTreeMap<String, String>,
}

/// Edge routers through which the caller may use a service: the response to GET
/// `/services/{id}/edge-routers` of the client API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEdgeRouters {
    /// Edge routers; `null` if there are none.
    pub edge_routers: Option<Vec<CommonEdgeRouter>>,
}

impl From<RouterView> for CurrentIdentityEdgeRouter {
    fn from(view: RouterView) -> Self {
        let router = &view.router;
        let base = Base {
            links: Links::of_edge_router(&router.id),
            created_at: router.created_at.into(),
            id: router.id.clone(),
            tags: router.spec.tags.clone(),
            updated_at: router.updated_at.into(),
        };
        Self {
            base,
            common: view.into(),
        }
    }
}

impl From<RouterView> for SessionEdgeRouter {
    fn from(view: RouterView) -> Self {
        Self {
            urls: view.connection.supported_protocols.clone(),
            common: view.into(),
        }
    }
}

impl FromIterator<RouterView> for ServiceEdgeRouters {
    fn from_iter<R: IntoIterator<Item = RouterView>>(routers: R) -> Self {
        let routers: Vec<_> = routers.into_iter().map(CommonEdgeRouter::from).collect();
        Self {
            edge_routers: Some(routers).filter(|routers| !routers.is_empty()),
        }
    }
}
