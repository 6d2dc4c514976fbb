//! Public view of external signers.

use crate::listable::Listable;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::external_jwt_signer::ClientExternalJwtSignerDetail;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

impl Listable for ClientExternalJwtSignerDetail {
    const SINGULAR: &'static str = "external signer";
    const PLURAL: &'static str = "external signers";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "audience", "client id", "token", "log in at"];

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.public_signers(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        vec![
            self.base.id.to_string(),
            self.name.clone(),
            self.audience.clone(),
            self.client_id.clone().unwrap_or_default(),
            self.target_token.to_lowercase(),
            self.external_auth_url.clone().unwrap_or_default(),
        ]
    }
}
