//! Public view of external signers.

use crate::column::{Column, Tabular};
use crate::listable::{ListOrder, Listable};
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::external_jwt_signer::ClientExternalJwtSignerDetail;
use portcullis_client::{Client, ClientError, ListQuery};

impl Tabular for ClientExternalJwtSignerDetail {
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::new("name", "name", |signer: &Self, _| {
                signer.name.as_str().into()
            }),
            Column::new("audience", "audience", |signer, _| {
                signer.audience.as_str().into()
            }),
            Column::new("clientId", "client id", |signer, _| {
                signer.client_id.clone().into()
            }),
            Column::new("targetToken", "token", |signer, _| {
                signer.target_token.to_lowercase().into()
            }),
            Column::new("externalAuthUrl", "log in at", |signer, _| {
                signer.external_auth_url.clone().into()
            }),
            Column::id("id", "id", |signer, _| signer.base.id.as_str().into()),
        ]
    }
}

impl Listable for ClientExternalJwtSignerDetail {
    const SINGULAR: &'static str = "external signer";
    const PLURAL: &'static str = "external signers";
    const ORDER: ListOrder = ListOrder::Controller;

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.public_signers(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn optional_name(&self) -> Option<&str> {
        Some(&self.name)
    }
}
