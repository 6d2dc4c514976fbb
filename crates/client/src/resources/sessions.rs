//! Login and logout.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use http::Method;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::authenticate::Authenticate;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::mfa::{MfaAuthCode, MfaCode};
use secrecy::SecretString;

impl Client {
    /// Opens a session with username and password. The client itself is unchanged; see
    /// [`Client::with_session`].
    ///
    /// The session may be partial; then `auth_queries` lists the missing factors.
    pub async fn authenticate_with_password(
        &self,
        api: Api,
        username: &str,
        password: SecretString,
    ) -> Result<ApiSessionDetail, ClientError> {
        let body = Authenticate::password(username, password);
        self.authenticate(api, "password", &body).await
    }

    /// Opens a session with the client certificate of the TLS connection.
    pub async fn authenticate_with_certificate(
        &self,
        api: Api,
    ) -> Result<ApiSessionDetail, ClientError> {
        self.authenticate(api, "cert", &Authenticate::default())
            .await
    }

    /// Opens a session with the bearer JWT of an external signer.
    pub async fn authenticate_with_jwt(&self, api: Api) -> Result<ApiSessionDetail, ClientError> {
        self.authenticate(api, "ext-jwt", &Authenticate::default())
            .await
    }

    /// Opens a session with `method`: `password`, `cert` or `ext-jwt`.
    pub async fn authenticate(
        &self,
        api: Api,
        method: &str,
        body: &Authenticate,
    ) -> Result<ApiSessionDetail, ClientError> {
        let endpoint = Endpoint::new(api, "authenticate").with_parameter("method", method);
        self.post(&endpoint, Body::json(body)?).await
    }

    /// The session of the caller.
    pub async fn current_session(&self, api: Api) -> Result<ApiSessionDetail, ClientError> {
        self.get(&Endpoint::new(api, "current-api-session")).await
    }

    /// Completes the MFA factor of the caller's session with a TOTP or recovery code.
    pub async fn authenticate_mfa(&self, api: Api, code: SecretString) -> Result<(), ClientError> {
        let endpoint = Endpoint::new(api, "authenticate").join("mfa");
        let body = MfaAuthCode(MfaCode { code });
        self.execute(Method::POST, &endpoint, Body::json(&body)?)
            .await
    }

    /// Ends the session of the caller.
    pub async fn log_out(&self, api: Api) -> Result<(), ClientError> {
        self.delete(&Endpoint::new(api, "current-api-session"))
            .await
    }

    /// The identity of the caller.
    pub async fn current_identity(&self, api: Api) -> Result<IdentityDetail, ClientError> {
        self.get(&Endpoint::new(api, "current-identity")).await
    }
}
