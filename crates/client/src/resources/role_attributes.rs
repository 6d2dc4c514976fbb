//! The role attributes that are in use.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::ListEnvelope;

/// A kind whose members have role attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearer {
    /// Identities.
    Identity,
    /// Services.
    Service,
    /// Edge routers.
    EdgeRouter,
    /// Posture checks.
    PostureCheck,
}

impl Bearer {
    /// Where their attributes are.
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
    /// The role attributes that members of a kind have, each once, as far as the filter lets them
    /// through. Its symbol is `id`; controllers pay no attention to the rest of `query`.
    pub async fn role_attributes(
        &self,
        bearer: Bearer,
        query: &ListQuery,
    ) -> Result<ListEnvelope<String>, ClientError> {
        self.list(Endpoint::new(Api::Management, bearer.path()), query)
            .await
    }
}
