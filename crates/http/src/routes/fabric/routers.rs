//! Routers of both kinds, on the fabric API.

use super::terminators;
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded_on};
use http::Method;
use portcullis_api::fabric::router::{
    FabricRouterCreate, FabricRouterPatch, FabricRouterUpdate, RouterDetail,
};
use portcullis_app::listing::kinds;
use portcullis_app::managed::{Create, Delete, Read, Update};
use portcullis_app::related;
use portcullis_app::routers::{self, RouterSet, fabric};
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::RouterSpec;

pub(super) fn routes() -> Vec<Route> {
    const FABRIC: ApiSurface = ApiSurface::Fabric;
    const ALL: &str = "/routers";
    const ONE: &str = "/routers/{id}";
    vec![
        guarded_on(FABRIC, Method::GET, ALL, list).responds(ResponseSpec::list::<RouterDetail>()),
        guarded_on(FABRIC, Method::POST, ALL, create),
        guarded_on(FABRIC, Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<RouterDetail>()),
        guarded_on(FABRIC, Method::PUT, ONE, replace),
        guarded_on(FABRIC, Method::PATCH, ONE, patch),
        guarded_on(FABRIC, Method::DELETE, ONE, delete),
        terminators::list_route("/routers/{id}/terminators", related::terminators_of_router),
    ]
}

async fn list(call: Call<Permit<Read<RouterSpec>>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::TRANSIT_ROUTERS, |call, request, emit| {
        let app = &call.context.state.app;
        routers::list(app, &call.permit, RouterSet::All, request, &mut |view| {
            emit(RouterDetail::from(view))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create<RouterSpec>>, Json<FabricRouterCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let id = fabric::create(&call.context.state.app, &call.permit, body.spec()).await?;
    Ok(ApiResponse::created("routers", id.as_str()))
}

async fn detail(call: Call<Permit<Read<RouterSpec>>, NoBody>) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    let view = routers::read(app, &call.permit, RouterSet::All, &id)?;
    Ok(ApiResponse::detail(&RouterDetail::from(view)))
}

async fn replace(
    call: Call<Permit<Update<RouterSpec>>, Json<FabricRouterUpdate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::replace(app, &call.permit, &id, body.spec()).await?;
    Ok(ApiResponse::empty())
}

async fn patch(
    call: Call<Permit<Update<RouterSpec>>, Json<FabricRouterPatch>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::patch(app, &call.permit, &id, body.patch()).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete<RouterSpec>>, NoBody>) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::delete(app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}

fn id(context: &RequestContext) -> RouterId {
    RouterId::from_wire(context.id())
}
