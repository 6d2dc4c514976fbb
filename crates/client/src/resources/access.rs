//! Access of identities to services, for administrators.

use super::entities::entity_endpoint;
use crate::client::Client;
use crate::error::ClientError;
use crate::list_query::ListQuery;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use portcullis_domain::ids::{IdentityId, ServiceId, ServicePolicyId};

impl Client {
    /// A page of the services that an identity may dial or bind.
    pub async fn services_of_identity(
        &self,
        id: &IdentityId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ServiceDetail>, ClientError> {
        let endpoint = entity_endpoint::<IdentityDetail>(id).join("services");
        self.list(endpoint, query).await
    }

    /// A page of the identities that may dial or bind a service.
    pub async fn identities_of_service(
        &self,
        id: &ServiceId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<IdentityDetail>, ClientError> {
        let endpoint = entity_endpoint::<ServiceDetail>(id).join("identities");
        self.list(endpoint, query).await
    }

    /// A page of the service policies that apply to an identity.
    pub async fn service_policies_of_identity(
        &self,
        id: &IdentityId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ServicePolicyDetail>, ClientError> {
        let endpoint = entity_endpoint::<IdentityDetail>(id).join("service-policies");
        self.list(endpoint, query).await
    }

    /// A page of the service policies that apply to a service.
    pub async fn service_policies_of_service(
        &self,
        id: &ServiceId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<ServicePolicyDetail>, ClientError> {
        let endpoint = entity_endpoint::<ServiceDetail>(id).join("service-policies");
        self.list(endpoint, query).await
    }

    /// A page of the posture checks of a service policy.
    pub async fn posture_checks_of_policy(
        &self,
        id: &ServicePolicyId,
        query: &ListQuery,
    ) -> Result<ListEnvelope<PostureCheckDetail>, ClientError> {
        let endpoint = entity_endpoint::<ServicePolicyDetail>(id).join("posture-checks");
        self.list(endpoint, query).await
    }

    /// Analysis of the access of an identity to a service.
    pub async fn policy_advice(
        &self,
        id: &IdentityId,
        service: &ServiceId,
    ) -> Result<PolicyAdvice, ClientError> {
        let advice = entity_endpoint::<IdentityDetail>(id).join("policy-advice");
        let endpoint = advice.join(service.as_str());
        self.get(&endpoint).await
    }
}
