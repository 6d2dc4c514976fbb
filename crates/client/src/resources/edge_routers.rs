//! Operations on edge routers.

use super::entities::entity_endpoint;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_domain::ids::RouterId;

impl Client {
    /// Removes the certificate of an edge router and creates a new enrollment.
    pub async fn re_enroll_edge_router(&self, id: &RouterId) -> Result<(), ClientError> {
        let endpoint = entity_endpoint::<EdgeRouterDetail>(id).join("re-enroll");
        self.execute(Method::POST, &endpoint, Body::empty()).await
    }
}
