//! Operations on enrollments.

use super::entities::entity_endpoint;
use crate::body::Body;
use crate::client::Client;
use crate::error::ClientError;
use http::Method;
use portcullis_api::enrollment::{EnrollmentDetail, EnrollmentRefresh};
use portcullis_domain::ids::EnrollmentId;

impl Client {
    /// Replaces the token and expiry of an enrollment; the old token becomes invalid.
    pub async fn refresh_enrollment(
        &self,
        id: &EnrollmentId,
        body: &EnrollmentRefresh,
    ) -> Result<(), ClientError> {
        let endpoint = entity_endpoint::<EnrollmentDetail>(id).join("refresh");
        self.execute(Method::POST, &endpoint, Body::json(body)?)
            .await
    }
}
