//! Operations on authenticators.

use super::entities::entity_endpoint;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::authenticator::{AuthenticatorDetail, RequestExtendAuthenticator};
use portcullis_api::enrollment::EnrollmentRefresh;
use portcullis_api::envelope::Created;
use portcullis_domain::ids::AuthenticatorId;

impl Client {
    /// Replaces an authenticator by an enrollment of the same method, and returns the enrollment.
    pub async fn re_enroll(
        &self,
        id: &AuthenticatorId,
        body: &EnrollmentRefresh,
    ) -> Result<Created, ClientError> {
        let endpoint = entity_endpoint::<AuthenticatorDetail>(id).join("re-enroll");
        self.create(&endpoint, body).await
    }

    /// Requests that the holder extends a certificate.
    pub async fn request_extension(
        &self,
        id: &AuthenticatorId,
        body: RequestExtendAuthenticator,
    ) -> Result<(), ClientError> {
        let endpoint = entity_endpoint::<AuthenticatorDetail>(id).join("request-extend");
        self.execute(Method::POST, &endpoint, Body::json(&body)?)
            .await
    }
}
