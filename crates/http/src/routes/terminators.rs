//! Terminators.

use super::managed::{self, Replacement, ResourceBodies};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::terminator::{
    TerminatorCreate, TerminatorDetail, TerminatorPatch, TerminatorUpdate,
};
use portcullis_app::App;
use portcullis_app::hosting;
use portcullis_domain::terminator::{TerminatorSpec, TerminatorSpecPatch};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<TerminatorSpec>()
}

impl ResourceBodies for TerminatorSpec {
    type Spec = Self;
    type CreateBody = TerminatorCreate;
    type UpdateBody = TerminatorUpdate;
    type PatchBody = TerminatorPatch;
    type Detail = TerminatorDetail;

    fn from_create(app: &App, mut body: TerminatorCreate) -> Result<Self, ApiError> {
        let secret = body.identity_secret.take();
        Ok(hosting::with_secret(app, body.into(), secret))
    }

    fn from_update(body: TerminatorUpdate) -> Result<Replacement<Self>, ApiError> {
        // The instance never changes: the one in the body is ignored.
        Ok(Replacement::Full(body.spec(String::new())))
    }

    fn to_patch(body: TerminatorPatch) -> Result<TerminatorSpecPatch, ApiError> {
        Ok(body.into())
    }
}
