//! Authentication policies.

use super::managed::{self, Replacement, ResourceBodies};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::auth_policy::{
    AuthPolicyCreateRequest, AuthPolicyDetail, AuthPolicyPatchRequest,
};
use portcullis_domain::auth_policy::{AuthPolicySpec, AuthPolicySpecPatch};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<AuthPolicySpec>()
}

impl ResourceBodies for AuthPolicySpec {
    type Spec = Self;
    type CreateBody = AuthPolicyCreateRequest;
    type UpdateBody = AuthPolicyCreateRequest;
    type PatchBody = AuthPolicyPatchRequest;
    type Detail = AuthPolicyDetail;

    fn from_create(body: AuthPolicyCreateRequest) -> Result<Self, ApiError> {
        Ok(body.spec)
    }

    fn from_update(body: AuthPolicyCreateRequest) -> Result<Replacement<Self>, ApiError> {
        Ok(Replacement::Full(body.spec))
    }

    fn to_patch(body: AuthPolicyPatchRequest) -> Result<AuthPolicySpecPatch, ApiError> {
        Ok(body.patch)
    }
}
