//! Enrollments, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use http::Method;
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentDetail, EnrollmentRefresh};
use portcullis_api::envelope::{Created, ListEnvelope};
use portcullis_domain::ids::EnrollmentId;

impl Client {
    /// A page of the pending enrollments.
    pub async fn enrollments(
        &self,
        query: &ListQuery,
    ) -> Result<ListEnvelope<EnrollmentDetail>, ClientError> {
        self.list(collection(), query).await
    }

    /// One enrollment.
    pub async fn enrollment(&self, id: &EnrollmentId) -> Result<EnrollmentDetail, ClientError> {
        self.get(&item(id)).await
    }

    /// Creates an enrollment.
    pub async fn create_enrollment(&self, body: &EnrollmentCreate) -> Result<Created, ClientError> {
        self.create(&collection(), body).await
    }

    /// Replaces the token and expiry of an enrollment; the old token becomes invalid.
    pub async fn refresh_enrollment(
        &self,
        id: &EnrollmentId,
        body: &EnrollmentRefresh,
    ) -> Result<(), ClientError> {
        let endpoint = item(id).join("refresh");
        self.execute(Method::POST, &endpoint, Body::json(body)?)
            .await
    }

    /// Deletes an enrollment.
    pub async fn delete_enrollment(&self, id: &EnrollmentId) -> Result<(), ClientError> {
        self.delete(&item(id)).await
    }
}

fn collection() -> Endpoint {
    Endpoint::new(Api::Management, "enrollments")
}

fn item(id: &EnrollmentId) -> Endpoint {
    collection().join(id.as_str())
}
