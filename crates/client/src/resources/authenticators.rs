//! Authenticators, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::authenticator::{
    AuthenticatorCreate, AuthenticatorDetail, AuthenticatorPatch, RequestExtendAuthenticator,
};
use portcullis_api::enrollment::EnrollmentRefresh;
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::AuthenticatorId;

impl Client {
    /// A page of the authenticators.
    pub async fn authenticators(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<AuthenticatorDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One authenticator.
    pub async fn authenticator(
        &self,
        id: &AuthenticatorId,
    ) -> Result<AuthenticatorDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates an authenticator of an identity.
    pub async fn create_authenticator(
        &self,
        body: &AuthenticatorCreate,
    ) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Changes the username or password of an authenticator.
    pub async fn patch_authenticator(
        &self,
        id: &AuthenticatorId,
        body: &AuthenticatorPatch,
    ) -> Result<(), ClientError> {
        self.patch(&item(id), body).await
    }

    /// Deletes an authenticator and ends the sessions that it opened.
    pub async fn delete_authenticator(&self, id: &AuthenticatorId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }

    /// Replaces an authenticator by an enrollment of the same method, and returns the enrollment.
    pub async fn re_enroll(
        &self,
        id: &AuthenticatorId,
        body: &EnrollmentRefresh,
    ) -> Result<Created, ClientError> {
        self.create(&item(id).join("re-enroll"), body).await
    }

    /// Requests that the holder extends a certificate.
    pub async fn request_extension(
        &self,
        id: &AuthenticatorId,
        body: RequestExtendAuthenticator,
    ) -> Result<(), ClientError> {
        let endpoint = item(id).join("request-extend");
        self.execute(Method::POST, &endpoint, Body::json(&body)?)
            .await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "authenticators")
}

fn item(id: &AuthenticatorId) -> Endpoint {
    collection().join(id.as_str())
}
