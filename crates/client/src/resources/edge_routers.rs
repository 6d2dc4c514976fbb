//! What only edge routers know.

use super::entities;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_domain::ids::RouterId;

impl Client {
    /// Takes the certificate of an edge router away, and has it enroll anew.
    pub async fn re_enroll_edge_router(&self, id: &RouterId) -> Result<(), ClientError> {
        let endpoint = entities::one::<EdgeRouterDetail>(id).then("re-enroll");
        self.succeed(Method::POST, &endpoint, Body::none()).await
    }
}
