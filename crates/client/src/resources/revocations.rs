//! Revocations, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_api::revocation::{RevocationCreate, RevocationDetail};
use portcullis_domain::ids::RevocationId;

impl Client {
    /// A page of the revocations.
    pub async fn revocations(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<RevocationDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One revocation.
    pub async fn revocation(&self, id: &RevocationId) -> Result<RevocationDetail, ClientError> {
        self.get(&collection().join(id.as_str())).await
    }

    /// Creates a revocation, or replaces an existing one with the same id.
    pub async fn revoke(&self, body: &RevocationCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "revocations")
}
