//! Routers of both kinds, on the fabric API, which can register routers whose certificates were
//! issued elsewhere.

use super::terminators;
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, Json, Route, guarded_on};
use crate::routes::routers::{self, RouterCollection};
use http::Method;
use portcullis_api::fabric::router::{
    FabricRouterCreate, FabricRouterPatch, FabricRouterUpdate, RouterDetail,
};
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::Create;
use portcullis_app::related;
use portcullis_app::routers::{FingerprintChange, RouterSet, register};
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::router::{RouterSpec, RouterSpecPatch};

enum FabricRouters {}

impl RouterCollection for FabricRouters {
    const SURFACE: ApiSurface = ApiSurface::Fabric;
    const SET: RouterSet = RouterSet::All;
    const COLLECTION: &'static str = "routers";
    const LIST_SCHEMA: &'static Schema = &kinds::TRANSIT_ROUTERS;
    type UpdateBody = FabricRouterUpdate;
    type PatchBody = FabricRouterPatch;
    type Detail = RouterDetail;

    fn from_update(body: FabricRouterUpdate) -> (RouterSpec, FingerprintChange) {
        let (spec, fingerprint) = body.spec();
        (spec, Some(fingerprint))
    }

    fn to_patch(body: FabricRouterPatch) -> (RouterSpecPatch, FingerprintChange) {
        body.patch()
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = routers::operations::<FabricRouters>("/routers", "/routers/{id}");
    routes.extend([
        guarded_on(ApiSurface::Fabric, Method::POST, "/routers", create),
        terminators::list_route("/routers/{id}/terminators", related::terminators_of_router),
    ]);
    routes
}

async fn create(
    call: Call<Permit<Create<RouterSpec>>, Json<FabricRouterCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let id = register(&call.context.state.app, &call.permit, body.spec()).await?;
    Ok(ApiResponse::created("routers", id.as_str()))
}
