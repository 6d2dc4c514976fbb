//! API sessions of everybody, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_domain::ids::ApiSessionId;

impl Client {
    /// A page of the API sessions. What stands in them for the token opens nothing.
    pub async fn api_sessions(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ApiSessionDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One API session.
    pub async fn api_session(&self, id: &ApiSessionId) -> Result<ApiSessionDetail, ClientError> {
        self.get(&one(id)).await
    }

    /// Ends an API session, whoever it belongs to.
    pub async fn delete_api_session(&self, id: &ApiSessionId) -> Result<(), ClientError> {
        self.delete(&one(id)).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "api-sessions")
}

fn one(id: &ApiSessionId) -> Endpoint {
    collection().then(id.as_str())
}
