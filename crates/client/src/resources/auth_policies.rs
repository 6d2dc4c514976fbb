//! Authentication policies, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::envelope::ListEnvelope;
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
        self.get(&collection().then(id.as_str())).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "auth-policies")
}
