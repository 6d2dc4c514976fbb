//! Completing enrollments.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use portcullis_api::enroll::{Enroll, EnrollmentResult};
use secrecy::SecretString;

impl Client {
    /// Completes an enrollment of the method `ott` with a certificate request in PEM. The result
    /// brings the certificate.
    pub async fn enroll_with_csr(
        &self,
        token: SecretString,
        csr: &str,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Body::new("application/x-pem-file", csr.to_owned());
        self.post(&redeem("ott", token), body).await
    }

    /// Completes an enrollment of the method `ottca` with the certificate that the client shows in
    /// TLS.
    pub async fn enroll_with_certificate(
        &self,
        token: SecretString,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Body::new("text/plain", "");
        self.post(&redeem("ottca", token), body).await
    }

    /// Becomes an identity by the certificate of a third-party authority that the client shows in
    /// TLS. The name is a wish.
    pub async fn enroll_as_newcomer(
        &self,
        name: Option<String>,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Enroll {
            name,
            ..Enroll::default()
        };
        let endpoint = Endpoint::new(Api::Client, "enroll").with("method", "ca");
        self.post(&endpoint, Body::json(&body)?).await
    }

    /// Becomes an identity by the JWT of an external signer that the client holds as its bearer. With
    /// a certificate request, the result brings the certificate.
    pub async fn enroll_with_jwt(
        &self,
        csr: Option<String>,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Enroll {
            client_csr: csr,
            ..Enroll::default()
        };
        let endpoint = Endpoint::new(Api::Client, "enroll").then("token");
        self.post(&endpoint, Body::json(&body)?).await
    }

    /// Completes an enrollment of the method `updb` by choosing a password. The result brings the
    /// username that it belongs to, which is not up to the client, whatever `username` says.
    pub async fn enroll_with_password(
        &self,
        token: SecretString,
        username: Option<String>,
        password: SecretString,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Enroll {
            username,
            password: Some(password),
            ..Enroll::default()
        };
        self.post(&redeem("updb", token), Body::json(&body)?).await
    }
}

fn redeem(method: &str, token: SecretString) -> Endpoint {
    Endpoint::new(Api::Client, "enroll")
        .with("method", method)
        .with_secret("token", token)
}
