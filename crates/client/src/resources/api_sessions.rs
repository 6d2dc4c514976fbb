//! API sessions of everybody, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::envelope::ListEnvelope;

impl Client {
    /// A page of the API sessions. What stands in them for the token opens nothing.
    pub async fn api_sessions(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ApiSessionDetail>, ClientError> {
        self.list(Endpoint::new(Api::Management, "api-sessions"), query)
            .await
    }
}
