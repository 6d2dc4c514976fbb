//! Operations on third-party CAs.

use super::entities::entity_endpoint;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::ca::CaDetail;
use portcullis_domain::ids::CaId;
use secrecy::SecretString;

impl Client {
    /// Proves possession of the key of a CA, by a certificate in PEM that it signed and whose common
    /// name is the verification token.
    pub async fn verify_ca(&self, id: &CaId, certificate: &str) -> Result<(), ClientError> {
        let body = Body::new("text/plain", certificate.to_owned());
        let endpoint = entity_endpoint::<CaDetail>(id).join("verify");
        self.execute(Method::POST, &endpoint, body).await
    }

    /// The JWT with which holders of certificates of a CA enroll.
    pub async fn ca_jwt(&self, id: &CaId) -> Result<SecretString, ClientError> {
        let endpoint = entity_endpoint::<CaDetail>(id).join("jwt");
        let reply = self.send(Method::GET, &endpoint, Body::empty()).await?;
        let reply = reply.into_success().map_err(ClientError::Refused)?;
        String::from_utf8(reply.body.into())
            .map(SecretString::from)
            .map_err(|_bytes| self.unexpected(&Method::GET, &endpoint, "it is not text"))
    }
}
