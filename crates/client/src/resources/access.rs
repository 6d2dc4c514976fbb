//! Who may use what, for administrators.

use super::entities;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;
use portcullis_domain::ids::{IdentityId, ServiceId};

impl Client {
    /// The services that an identity may dial or bind, as far as the filter lets them through.
    pub async fn services_of_identity(
        &self,
        id: &IdentityId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ServiceDetail>, ClientError> {
        self.list(identity(id).then("services"), query).await
    }

    /// The identities that may dial or bind a service, as far as the filter lets them through.
    pub async fn identities_of_service(
        &self,
        id: &ServiceId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<IdentityDetail>, ClientError> {
        let endpoint = entities::one::<ServiceDetail>(id).then("identities");
        self.list(endpoint, query).await
    }

    /// Whether an identity can use a service, and what of it is missing.
    pub async fn policy_advice(
        &self,
        id: &IdentityId,
        service: &ServiceId,
    ) -> Result<PolicyAdvice, ClientError> {
        let endpoint = identity(id).then("policy-advice").then(service.as_str());
        self.get(&endpoint).await
    }
}

fn identity(id: &IdentityId) -> Endpoint {
    Endpoint::new(Api::Management, "identities").then(id.as_str())
}
