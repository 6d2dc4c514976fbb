//! Role attributes in use.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::ListEnvelope;

/// A kind of entity with role attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleAttributeKind {
    /// Identities.
    Identity,
    /// Services.
    Service,
    /// Edge routers.
    EdgeRouter,
    /// Posture checks.
    PostureCheck,
}

impl RoleAttributeKind {
    /// Path of the collection of role attributes.
    const fn path(self) -> &'static str {
        match self {
            Self::Identity => "identity-role-attributes",
            Self::Service => "service-role-attributes",
            Self::EdgeRouter => "edge-router-role-attributes",
            Self::PostureCheck => "posture-check-role-attributes",
        }
    }
}

impl Client {
    /// The distinct role attributes of entities of a kind. A filter refers to them as `id`; controllers
    /// ignore the rest of `query`.
    pub async fn role_attributes(
        &self,
        kind: RoleAttributeKind,
        query: &ListQuery,
    ) -> Result<ListEnvelope<String>, ClientError> {
        self.list(Endpoint::new(Api::Management, kind.path()), query)
            .await
    }
}
