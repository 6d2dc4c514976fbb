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
use portcullis_api::trace::{TraceDetail, TraceIdentity};
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
        self.get(&one(id)).await
    }

    /// Creates an identity.
    pub async fn create_identity(&self, body: &IdentityCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Replaces what administrators decide about an identity.
    pub async fn replace_identity(
        &self,
        id: &IdentityId,
        body: &IdentityUpdate,
    ) -> Result<(), ClientError> {
        self.put(&one(id), body).await
    }

    /// Changes some of what administrators decide about an identity.
    pub async fn patch_identity(
        &self,
        id: &IdentityId,
        body: &IdentityPatch,
    ) -> Result<(), ClientError> {
        self.patch(&one(id), body).await
    }

    /// Shuts an identity out, for a time or until it is enabled, and ends its sessions.
    pub async fn disable_identity(
        &self,
        id: &IdentityId,
        body: &DisableParams,
    ) -> Result<(), ClientError> {
        let endpoint = one(id).then("disable");
        self.succeed(Method::POST, &endpoint, Body::json(body)?)
            .await
    }

    /// Lets an identity in again.
    pub async fn enable_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        let endpoint = one(id).then("enable");
        self.succeed(Method::POST, &endpoint, Body::none()).await
    }

    /// Begins to trace an identity, or ends that; answers how it is traced then.
    pub async fn trace_identity(
        &self,
        id: &IdentityId,
        body: &TraceIdentity,
    ) -> Result<TraceDetail, ClientError> {
        self.put_and_read(&one(id).then("trace"), body).await
    }

    /// Deletes an identity and everything that belongs to it.
    pub async fn delete_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        self.delete(&one(id)).await
    }

    /// Removes the TOTP enrollment of an identity, whether it is verified or not, and forgets its
    /// wrong codes.
    pub async fn remove_mfa_of_identity(&self, id: &IdentityId) -> Result<(), ClientError> {
        self.delete(&one(id).then("mfa")).await
    }

    /// The enrollments of an identity that are pending.
    pub async fn enrollments_of_identity(
        &self,
        id: &IdentityId,
    ) -> Result<ListEnvelope<EnrollmentDetail>, ClientError> {
        let endpoint = one(id).then("enrollments");
        self.list(endpoint, &ListQuery::default()).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "identities")
}

fn one(id: &IdentityId) -> Endpoint {
    collection().then(id.as_str())
}
