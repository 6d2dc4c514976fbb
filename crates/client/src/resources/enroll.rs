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

    /// Completes an enrollment of the method `updb` by choosing a password. The result brings the
    /// username that it belongs to.
    pub async fn enroll_with_password(
        &self,
        token: SecretString,
        password: SecretString,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Enroll {
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
