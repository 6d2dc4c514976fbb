//! External JWT signers, as clients see them.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::external_jwt_signer::ClientExternalJwtSignerDetail;

impl Client {
    /// A page of the enabled external signers, as shown to unauthenticated clients.
    pub async fn public_signers(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ClientExternalJwtSignerDetail>, ClientError> {
        self.list(Endpoint::new(Api::Client, "external-jwt-signers"), query)
            .await
    }
}
