//! External JWT signers.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_api::external_jwt_signer::{
    ClientExternalJwtSignerDetail, ExternalJwtSignerCreate, ExternalJwtSignerDetail,
    ExternalJwtSignerPatch,
};
use portcullis_domain::ids::SignerId;

impl Client {
    /// A page of the external signers.
    pub async fn signers(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ExternalJwtSignerDetail>, ClientError> {
        self.list(collection(Api::Management), query).await
    }

    /// A page of the enabled external signers, as shown to unauthenticated clients.
    pub async fn public_signers(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ClientExternalJwtSignerDetail>, ClientError> {
        self.list(collection(Api::Client), query).await
    }

    /// One external signer.
    pub async fn signer(&self, id: &SignerId) -> Result<ExternalJwtSignerDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates an external signer.
    pub async fn create_signer(
        &self,
        body: &ExternalJwtSignerCreate,
    ) -> Result<Created, ClientError> {
        self.create(&collection(Api::Management), body).await
    }

    /// Replaces an external signer. The source of its keys can only be changed in this way.
    pub async fn replace_signer(
        &self,
        id: &SignerId,
        body: &ExternalJwtSignerCreate,
    ) -> Result<(), ClientError> {
        self.put(&item(id), body).await
    }

    /// Changes an external signer.
    pub async fn patch_signer(
        &self,
        id: &SignerId,
        body: &ExternalJwtSignerPatch,
    ) -> Result<(), ClientError> {
        self.patch(&item(id), body).await
    }

    /// Deletes an external signer that no policy refers to.
    pub async fn delete_signer(&self, id: &SignerId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }
}

fn collection(api: Api) -> Endpoint {
    Endpoint::new(api, "external-jwt-signers")
}

fn item(id: &SignerId) -> Endpoint {
    collection(Api::Management).join(id.as_str())
}
