//! Authentication policies, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::auth_policy::{AuthPolicyCreate, AuthPolicyDetail, AuthPolicyPatch};
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::AuthPolicyId;

impl Client {
    /// A page of the authentication policies.
    pub async fn auth_policies(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<AuthPolicyDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One authentication policy.
    pub async fn auth_policy(&self, id: &AuthPolicyId) -> Result<AuthPolicyDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates an authentication policy.
    pub async fn create_auth_policy(
        &self,
        body: &AuthPolicyCreate,
    ) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Changes some rules of an authentication policy.
    pub async fn patch_auth_policy(
        &self,
        id: &AuthPolicyId,
        body: &AuthPolicyPatch,
    ) -> Result<(), ClientError> {
        self.patch(&item(id), body).await
    }

    /// Deletes an authentication policy.
    pub async fn delete_auth_policy(&self, id: &AuthPolicyId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "auth-policies")
}

fn item(id: &AuthPolicyId) -> Endpoint {
    collection().join(id.as_str())
}
