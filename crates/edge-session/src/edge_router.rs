//! Edge routers that an identity may use.

use portcullis_api::edge_router::{CurrentIdentityEdgeRouter, SessionEdgeRouter};
use portcullis_api::router::CommonEdgeRouter;
use portcullis_domain::ids::RouterId;
use std::collections::BTreeMap;

/// An edge router that the identity may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeRouter {
    /// The common name of its certificates; `None` where the controller does not say it.
    pub id: Option<RouterId>,
    pub name: String,
    /// Addresses by protocol, such as `tls://host:port` for `tls`.
    pub urls: BTreeMap<String, String>,
}

impl EdgeRouter {
    /// Its address for connections of SDKs: host and port after `tls://`.
    pub fn tls(&self) -> Option<&str> {
        let url = self.urls.get("tls")?;
        Some(url.strip_prefix("tls://").unwrap_or(url))
    }
}

impl From<CommonEdgeRouter> for EdgeRouter {
    fn from(router: CommonEdgeRouter) -> Self {
        Self {
            id: None,
            name: router.name,
            urls: router.supported_protocols,
        }
    }
}

impl From<CurrentIdentityEdgeRouter> for EdgeRouter {
    fn from(router: CurrentIdentityEdgeRouter) -> Self {
        Self {
            id: Some(router.base.id),
            ..router.common.into()
        }
    }
}

impl From<SessionEdgeRouter> for EdgeRouter {
    /// Older controllers have the addresses in `urls` alone.
    fn from(router: SessionEdgeRouter) -> Self {
        let mut read = Self::from(router.common);
        if read.urls.is_empty() {
            read.urls = router.urls;
        }
        read
    }
}
