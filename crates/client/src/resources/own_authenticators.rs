//! Authenticators of the caller.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::authenticator::{
    AuthenticatorDetail, AuthenticatorPatch, IdentityExtendCerts, IdentityExtendEnrollmentRequest,
    IdentityExtendValidateEnrollmentRequest, WithCurrentPassword,
};
use portcullis_api::envelope::ListEnvelope;
use portcullis_domain::ids::AuthenticatorId;

impl Client {
    /// A page of the authenticators of the caller.
    pub async fn own_authenticators(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<AuthenticatorDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// Changes the username or password of the caller; needs the current password.
    pub async fn patch_own_authenticator(
        &self,
        id: &AuthenticatorId,
        body: &WithCurrentPassword<AuthenticatorPatch>,
    ) -> Result<(), ClientError> {
        self.patch(&collection().join(id.as_str()), body).await
    }

    /// Requests a new certificate to replace the client certificate of the TLS connection, which stays
    /// valid until [`Client::confirm_extension`].
    pub async fn extend(
        &self,
        id: &AuthenticatorId,
        csr: &str,
    ) -> Result<IdentityExtendCerts, ClientError> {
        let endpoint = collection().join(id.as_str()).join("extend");
        let body = IdentityExtendEnrollmentRequest {
            client_cert_csr: csr.to_owned(),
        };
        self.post(&endpoint, Body::json(&body)?).await
    }

    /// Confirms that the new certificate of an extension was received. It becomes valid, and the old one
    /// invalid.
    pub async fn confirm_extension(
        &self,
        id: &AuthenticatorId,
        certificate: &str,
    ) -> Result<(), ClientError> {
        let endpoint = collection().join(id.as_str()).join("extend-verify");
        let body = IdentityExtendValidateEnrollmentRequest {
            client_cert: certificate.to_owned(),
        };
        self.execute(Method::POST, &endpoint, Body::json(&body)?)
            .await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Client, "current-identity").join("authenticators")
}
