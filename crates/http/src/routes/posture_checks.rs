//! Posture checks.

use super::managed::{self, Replacement, ResourceBodies, ResourcePaths as _};
use crate::error::ApiError;
use crate::list::ListPayload;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckDetail, PostureCheckPatch};
use portcullis_app::App;
use portcullis_app::managed::Read;
use portcullis_domain::access::Permit;
use portcullis_domain::posture_check::{PostureCheckSpec, PostureCheckSpecPatch};

type S = PostureCheckSpec;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::write_routes::<S>();
    routes.extend([
        guarded::<Read<S>, ListPayload, _, _>(Method::GET, S::COLLECTION_PATH, list)
            .responds(ResponseSpec::list::<PostureCheckDetail>())
            .only(&[Api::Management]),
        guarded::<Read<S>, NoBody, _, _>(
            Method::GET,
            S::ENTITY_PATH,
            managed::detail::<S, PostureCheckDetail>,
        )
        .responds(ResponseSpec::detail::<PostureCheckDetail>())
        .only(&[Api::Management]),
    ]);
    routes
}

async fn list(call: Call<Permit<Read<S>>, ListPayload>) -> Result<ApiResponse, ApiError> {
    // This list has always had a charset.
    let response = managed::list::<S, PostureCheckDetail>(call).await?;
    Ok(response.with_content_type("application/json; charset=utf-8"))
}

impl ResourceBodies for PostureCheckSpec {
    type Spec = Self;
    type CreateBody = PostureCheckCreate;
    type UpdateBody = PostureCheckCreate;
    type PatchBody = PostureCheckPatch;
    type Detail = PostureCheckDetail;

    fn from_create(_app: &App, body: PostureCheckCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn from_update(body: PostureCheckCreate) -> Result<Replacement<Self>, ApiError> {
        Ok(Replacement::Full(body.into()))
    }

    fn to_patch(body: PostureCheckPatch) -> Result<PostureCheckSpecPatch, ApiError> {
        Ok(body.into())
    }
}
