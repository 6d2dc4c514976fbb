//! Third-party authorities, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::ca::{CaCreate, CaDetail, CaMerge};
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::CaId;
use secrecy::SecretString;

impl Client {
    /// A page of the third-party authorities.
    pub async fn cas(&self, query: &ListQuery) -> Result<ListEnvelope<CaDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One third-party authority.
    pub async fn ca(&self, id: &CaId) -> Result<CaDetail, ClientError> {
        self.get(&one(id)).await
    }

    /// Adds a third-party authority. It lets nobody in before it is verified.
    pub async fn create_ca(&self, body: &CaCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Changes a third-party authority.
    pub async fn patch_ca(&self, id: &CaId, body: &CaMerge) -> Result<(), ClientError> {
        self.patch(&one(id), body).await
    }

    /// Deletes a third-party authority, with the enrollments that need its certificates.
    pub async fn delete_ca(&self, id: &CaId) -> Result<(), ClientError> {
        self.delete(&one(id)).await
    }

    /// Proves that the key of an authority is held, by a certificate in PEM that it signed and whose
    /// common name is the verification token.
    pub async fn verify_ca(&self, id: &CaId, certificate: &str) -> Result<(), ClientError> {
        let body = Body::new("text/plain", certificate.to_owned());
        self.succeed(Method::POST, &one(id).then("verify"), body)
            .await
    }

    /// The token with which whoever holds a certificate of an authority enrolls.
    pub async fn ca_jwt(&self, id: &CaId) -> Result<SecretString, ClientError> {
        let endpoint = one(id).then("jwt");
        let reply = self.send(Method::GET, &endpoint, Body::none()).await?;
        let reply = reply.into_success().map_err(ClientError::Refused)?;
        String::from_utf8(reply.body.into())
            .map(SecretString::from)
            .map_err(|_bytes| self.unexpected(&Method::GET, &endpoint, "it is not text"))
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "cas")
}

fn one(id: &CaId) -> Endpoint {
    collection().then(id.as_str())
}
