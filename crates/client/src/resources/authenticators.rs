//! Authenticators, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_domain::ids::AuthenticatorId;

impl Client {
    /// A page of the authenticators.
    pub async fn authenticators(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<AuthenticatorDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One authenticator.
    pub async fn authenticator(
        &self,
        id: &AuthenticatorId,
    ) -> Result<AuthenticatorDetail, ClientError> {
        self.get(&collection().then(id.as_str())).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "authenticators")
}
