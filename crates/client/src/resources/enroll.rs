//! Completion of enrollments.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use portcullis_api::enroll::{EnrollmentResult, GenericEnroll};
use secrecy::SecretString;

impl Client {
    /// Completes an enrollment of method `ott` with a certificate signing request in PEM. The result
    /// contains the certificate.
    pub async fn enroll_with_csr(
        &self,
        token: SecretString,
        csr: &str,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Body::new("application/x-pem-file", csr.to_owned());
        self.post(&enroll_endpoint("ott", token), body).await
    }

    /// Completes an enrollment of method `ottca` with the client certificate of the TLS connection.
    pub async fn enroll_with_certificate(
        &self,
        token: SecretString,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = Body::new("text/plain", "");
        self.post(&enroll_endpoint("ottca", token), body).await
    }

    /// Creates an identity for the client certificate of the TLS connection, issued by a third-party CA.
    /// The controller may choose another name.
    pub async fn enroll_with_ca_certificate(
        &self,
        name: Option<String>,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = GenericEnroll {
            name,
            ..GenericEnroll::default()
        };
        let endpoint = Endpoint::new(Api::Client, "enroll").with_parameter("method", "ca");
        self.post(&endpoint, Body::json(&body)?).await
    }

    /// Creates an identity for the bearer JWT of an external signer. With a certificate signing request,
    /// the result contains the certificate.
    pub async fn enroll_with_jwt(
        &self,
        csr: Option<String>,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = GenericEnroll {
            client_csr: csr,
            ..GenericEnroll::default()
        };
        let endpoint = Endpoint::new(Api::Client, "enroll").join("token");
        self.post(&endpoint, Body::json(&body)?).await
    }

    /// Completes the enrollment of an edge router (`erott`) or transit router (`trott`) with certificate signing
    /// requests in PEM, for a client and for a server certificate. The result contains both certificates, and the
    /// CA certificates of the network.
    pub async fn enroll_router(
        &self,
        method: &str,
        token: SecretString,
        csr: String,
        server_csr: String,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = GenericEnroll {
            cert_csr: Some(csr),
            server_cert_csr: Some(server_csr),
            ..GenericEnroll::default()
        };
        self.post(&enroll_endpoint(method, token), Body::json(&body)?)
            .await
    }

    /// Completes an enrollment of method `updb` by choosing a password. The result contains the username,
    /// which the enrollment determines, whatever `username` says.
    pub async fn enroll_with_password(
        &self,
        token: SecretString,
        username: Option<String>,
        password: SecretString,
    ) -> Result<EnrollmentResult, ClientError> {
        let body = GenericEnroll {
            username,
            password: Some(password),
            ..GenericEnroll::default()
        };
        self.post(&enroll_endpoint("updb", token), Body::json(&body)?)
            .await
    }
}

fn enroll_endpoint(method: &str, token: SecretString) -> Endpoint {
    Endpoint::new(Api::Client, "enroll")
        .with_parameter("method", method)
        .with_secret_parameter("token", token)
}
