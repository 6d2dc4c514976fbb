//! Authentication policies.

use super::managed::{self, Replacement, ResourceBodies};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::auth_policy::{AuthPolicyCreate, AuthPolicyDetail, AuthPolicyPatch};
use portcullis_app::App;
use portcullis_domain::auth_policy::{AuthPolicySpec, AuthPolicySpecPatch};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<AuthPolicySpec>()
}

impl ResourceBodies for AuthPolicySpec {
    type Spec = Self;
    type CreateBody = AuthPolicyCreate;
    type UpdateBody = AuthPolicyCreate;
    type PatchBody = AuthPolicyPatch;
    type Detail = AuthPolicyDetail;

    fn from_create(_app: &App, body: AuthPolicyCreate) -> Result<Self, ApiError> {
        Ok(body.spec)
    }

    fn from_update(body: AuthPolicyCreate) -> Result<Replacement<Self>, ApiError> {
        Ok(Replacement::Full(body.spec))
    }

    fn to_patch(body: AuthPolicyPatch) -> Result<AuthPolicySpecPatch, ApiError> {
        Ok(body.patch)
    }
}
