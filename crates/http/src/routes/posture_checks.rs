//! Posture checks.

use super::managed::{self, Served};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::posture_check::{PostureCheckBody, PostureCheckDetail, PostureCheckMerge};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::posture_check::{PostureCheckPatch, PostureCheckSpec};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<PostureCheckSpec>()
}

impl Served for PostureCheckSpec {
    const COLLECTION: &'static str = "posture-checks";
    const ALL: &'static str = "/posture-checks";
    const ONE: &'static str = "/posture-checks/{id}";
    const SYMBOLS: &'static Schema = &kinds::POSTURE_CHECKS;
    type Creation = PostureCheckBody;
    type Replacement = PostureCheckBody;
    type Merge = PostureCheckMerge;
    type Detail = PostureCheckDetail;

    fn created(body: PostureCheckBody) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: PostureCheckBody) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn merged(body: PostureCheckMerge) -> Result<PostureCheckPatch, ApiError> {
        Ok(body.into())
    }
}
