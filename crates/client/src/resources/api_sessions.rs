//! API sessions of all identities, for administrators.

use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_domain::ids::ApiSessionId;

impl Client {
    /// A page of the API sessions. Their tokens are unusable placeholders.
    pub async fn api_sessions(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ApiSessionDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One API session.
    pub async fn api_session(&self, id: &ApiSessionId) -> Result<ApiSessionDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Deletes an API session of any identity.
    pub async fn delete_api_session(&self, id: &ApiSessionId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "api-sessions")
}

fn item(id: &ApiSessionId) -> Endpoint {
    collection().join(id.as_str())
}
