//! Identities, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_api::identity::{
    DisableParams, IdentityCreate, IdentityDetail, IdentityPatch, IdentityUpdate,
};
use portcullis_api::trace::{TraceDetail, TraceUpdate};
use portcullis_domain::ids::IdentityId;

impl Client {
    /// A page of the identities.
    pub async fn identities(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<IdentityDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One identity.
    pub async fn identity(&self, id: &IdentityId) -> Result<IdentityDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates an identity.
    pub async fn create_identity(&self, body: &IdentityCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Replaces the spec of an identity.
    pub async fn replace_identity(
        &self,
        id: &IdentityId,
        body: &IdentityUpdate,
    ) -> Result<(), ClientError> {
        self.put(&item(id), body).await
    }

    /// Changes some members of an identity.
    pub async fn patch_identity(
        &self,
        id: &IdentityId,
        body: &IdentityPatch,
    ) -> Result<(), ClientError> {
        self.patch(&item(id), body).await
    }

    /// Disables an identity, temporarily or until it is enabled, and ends its sessions.
    pub async fn disable_identity(
        &self,
        id: &IdentityId,
        body: &DisableParams,
    ) -> Result<(), ClientError> {
        let endpoint = item(id).join("disable");
        self.execute(Method::POST, &endpoint, Body::json(body)?)
            .await
    }

    /// Enables an identity.
    pub async fn enable_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        let endpoint = item(id).join("enable");
        self.execute(Method::POST, &endpoint, Body::empty()).await
    }

    /// Starts or stops tracing of an identity; returns the resulting state.
    pub async fn trace_identity(
        &self,
        id: &IdentityId,
        body: &TraceUpdate,
    ) -> Result<TraceDetail, ClientError> {
        self.put_returning(&item(id).join("trace"), body).await
    }

    /// Deletes an identity and everything that belongs to it.
    pub async fn delete_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }

    /// Removes the MFA enrollment of an identity, verified or not, and resets its failed attempts.
    pub async fn remove_mfa_of_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        self.delete(&item(id).join("mfa")).await
    }

    /// The pending enrollments of an identity.
    pub async fn enrollments_of_identity(
        &self,
        id: &IdentityId,
    ) -> Result<ListEnvelope<EnrollmentDetail>, ClientError> {
        let endpoint = item(id).join("enrollments");
        self.list(endpoint, &ListQuery::default()).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "identities")
}

fn item(id: &IdentityId) -> Endpoint {
    collection().join(id.as_str())
}
