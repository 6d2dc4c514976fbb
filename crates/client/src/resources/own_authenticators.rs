//! Authenticators of the caller.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::authenticator::{
    AuthenticatorDetail, AuthenticatorPatch, ByOwner, Extend, ExtendVerify, Extended,
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
        body: &ByOwner<AuthenticatorPatch>,
    ) -> Result<(), ClientError> {
        self.patch(&collection().then(id.as_str()), body).await
    }

    /// Requests a new certificate to replace the client certificate of the TLS connection, which stays
    /// valid until [`Client::confirm_extension`].
    pub async fn extend(&self, id: &AuthenticatorId, csr: &str) -> Result<Extended, ClientError> {
        let endpoint = collection().then(id.as_str()).then("extend");
        let body = Extend {
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
        let endpoint = collection().then(id.as_str()).then("extend-verify");
        let body = ExtendVerify {
            client_cert: certificate.to_owned(),
        };
        self.execute(Method::POST, &endpoint, Body::json(&body)?)
            .await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Client, "current-identity").then("authenticators")
}
