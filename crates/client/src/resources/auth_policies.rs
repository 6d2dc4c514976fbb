//! Authentication policies, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::envelope::ListEnvelope;

impl Client {
    /// A page of the authentication policies.
    pub async fn auth_policies(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<AuthPolicyDetail>, ClientError> {
        self.list(Endpoint::new(Api::Management, "auth-policies"), query)
            .await
    }
}
