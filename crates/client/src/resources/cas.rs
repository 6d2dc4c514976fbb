//! Third-party CAs, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::ca::{CaCreate, CaDetail, CaPatch};
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::CaId;
use secrecy::SecretString;

impl Client {
    /// A page of the third-party CAs.
    pub async fn cas(&self, query: &ListQuery) -> Result<ListEnvelope<CaDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One third-party CA.
    pub async fn ca(&self, id: &CaId) -> Result<CaDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates a third-party CA, which cannot be used until it is verified.
    pub async fn create_ca(&self, body: &CaCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Changes a third-party CA.
    pub async fn patch_ca(&self, id: &CaId, body: &CaPatch) -> Result<(), ClientError> {
        self.patch(&item(id), body).await
    }

    /// Deletes a third-party CA and the enrollments that require its certificates.
    pub async fn delete_ca(&self, id: &CaId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }

    /// Proves possession of the key of a CA, by a certificate in PEM that it signed and whose common
    /// name is the verification token.
    pub async fn verify_ca(&self, id: &CaId, certificate: &str) -> Result<(), ClientError> {
        let body = Body::new("text/plain", certificate.to_owned());
        self.execute(Method::POST, &item(id).join("verify"), body)
            .await
    }

    /// The JWT with which holders of certificates of a CA enroll.
    pub async fn ca_jwt(&self, id: &CaId) -> Result<SecretString, ClientError> {
        let endpoint = item(id).join("jwt");
        let reply = self.send(Method::GET, &endpoint, Body::empty()).await?;
        let reply = reply.into_success().map_err(ClientError::Refused)?;
        String::from_utf8(reply.body.into())
            .map(SecretString::from)
            .map_err(|_bytes| self.unexpected(&Method::GET, &endpoint, "it is not text"))
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "cas")
}

fn item(id: &CaId) -> Endpoint {
    collection().join(id.as_str())
}
