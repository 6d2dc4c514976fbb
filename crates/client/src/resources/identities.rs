//! Operations on identities.

use super::entities::entity_endpoint;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::identity::{DisableParams, IdentityDetail};
use portcullis_api::trace::{TraceDetail, TraceUpdate};
use portcullis_domain::ids::IdentityId;

impl Client {
    /// Disables an identity, temporarily or until it is enabled, and ends its sessions.
    pub async fn disable_identity(
        &self,
        id: &IdentityId,
        body: &DisableParams,
    ) -> Result<(), ClientError> {
        let endpoint = entity_endpoint::<IdentityDetail>(id).join("disable");
        self.execute(Method::POST, &endpoint, Body::json(body)?)
            .await
    }

    /// Enables an identity.
    pub async fn enable_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        let endpoint = entity_endpoint::<IdentityDetail>(id).join("enable");
        self.execute(Method::POST, &endpoint, Body::empty()).await
    }

    /// Starts or stops tracing of an identity; returns the resulting state.
    pub async fn trace_identity(
        &self,
        id: &IdentityId,
        body: &TraceUpdate,
    ) -> Result<TraceDetail, ClientError> {
        let endpoint = entity_endpoint::<IdentityDetail>(id).join("trace");
        self.put_returning(&endpoint, body).await
    }

    /// Removes the MFA enrollment of an identity, verified or not, and resets its failed attempts.
    pub async fn remove_mfa_of_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        self.delete(&entity_endpoint::<IdentityDetail>(id).join("mfa"))
            .await
    }
}
