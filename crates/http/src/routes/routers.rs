//! Edge routers and transit routers.

use super::managed::api;
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded, guarded_on};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_api::describe::JsonSchema;
use portcullis_api::edge_router::{
    CurrentIdentityEdgeRouter, EdgeRouterCreate, EdgeRouterDetail, EdgeRouterPatch,
};
use portcullis_api::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::{Create, Delete, Read, Update};
use portcullis_app::routers::{self, FingerprintChange, ReadOwnRouters, RouterSet};
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::router::{EdgeRouterSettingsPatch, RouterKind, RouterSpec, RouterSpecPatch};
use portcullis_domain::view::ManagedRouterView;
use serde::Serialize;

/// A collection of routers.
pub(super) trait RouterCollection: 'static {
    const SURFACE: ApiSurface;

    const SET: RouterSet;

    /// The collection name in links.
    const COLLECTION: &'static str;

    /// The schema of its lists.
    const LIST_SCHEMA: &'static Schema;

    /// The body of PUT and POST.
    type UpdateBody: Decode + Send + 'static;

    /// The body of PATCH.
    type PatchBody: Decode + Send + 'static;

    /// The body of GET.
    type Detail: Serialize + JsonSchema + From<ManagedRouterView>;

    /// Converts the body of PUT or POST to the spec, and the fingerprint if it has one. Only that
    /// of PUT on the fabric API has one.
    fn from_update(body: Self::UpdateBody) -> (RouterSpec, FingerprintChange);

    /// Converts the body of PATCH.
    fn to_patch(body: Self::PatchBody) -> (RouterSpecPatch, FingerprintChange);
}

enum EdgeRouters {}

/// All routers, edge routers among them.
enum AllRouters {}

impl RouterCollection for EdgeRouters {
    const SURFACE: ApiSurface = ApiSurface::Edge;
    const SET: RouterSet = RouterSet::Edge;
    const COLLECTION: &'static str = "edge-routers";
    const LIST_SCHEMA: &'static Schema = &kinds::EDGE_ROUTERS;
    type UpdateBody = EdgeRouterCreate;
    type PatchBody = EdgeRouterPatch;
    type Detail = EdgeRouterDetail;

    fn from_update(body: EdgeRouterCreate) -> (RouterSpec, FingerprintChange) {
        (body.into(), None)
    }

    fn to_patch(body: EdgeRouterPatch) -> (RouterSpecPatch, FingerprintChange) {
        (body.into(), None)
    }
}

impl RouterCollection for AllRouters {
    const SURFACE: ApiSurface = ApiSurface::Edge;
    const SET: RouterSet = RouterSet::All;
    const COLLECTION: &'static str = "transit-routers";
    const LIST_SCHEMA: &'static Schema = &kinds::TRANSIT_ROUTERS;
    type UpdateBody = TransitRouterCreate;
    type PatchBody = TransitRouterPatch;
    type Detail = TransitRouterDetail;

    fn from_update(body: TransitRouterCreate) -> (RouterSpec, FingerprintChange) {
        (body.spec(RouterKind::Transit), None)
    }

    fn to_patch(body: TransitRouterPatch) -> (RouterSpecPatch, FingerprintChange) {
        (body.patch(EdgeRouterSettingsPatch::default()), None)
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = operations::<EdgeRouters>("/edge-routers", "/edge-routers/{id}");
    routes.extend(operations::<AllRouters>(
        "/transit-routers",
        "/transit-routers/{id}",
    ));
    routes.extend(operations::<AllRouters>("/routers", "/routers/{id}"));
    let create_transit = create::<AllRouters>;
    routes.extend([
        guarded(Method::POST, "/edge-routers", create::<EdgeRouters>).only(&[Api::Management]),
        guarded(Method::POST, "/transit-routers", create_transit).only(&[Api::Management]),
        guarded(Method::POST, "/routers", create_transit).only(&[Api::Management]),
        guarded::<Update<RouterSpec>, NoBody, _, _>(
            Method::POST,
            "/edge-routers/{id}/re-enroll",
            re_enroll,
        )
        .responds(ResponseSpec::empty())
        .only(&[Api::Management]),
        guarded::<ReadOwnRouters, ListPayload, _, _>(
            Method::GET,
            "/current-identity/edge-routers",
            list_own,
        )
        .responds(ResponseSpec::list::<CurrentIdentityEdgeRouter>())
        .only(&[Api::Client]),
    ]);
    routes
}

/// The routes of a collection, without that which creates routers.
pub(super) fn operations<F: RouterCollection>(all: &'static str, one: &'static str) -> Vec<Route> {
    vec![
        guarded_on(F::SURFACE, Method::GET, all, list::<F>)
            .responds(ResponseSpec::list::<F::Detail>()),
        guarded_on(F::SURFACE, Method::GET, one, detail::<F>)
            .responds(ResponseSpec::detail::<F::Detail>()),
        guarded_on(F::SURFACE, Method::PUT, one, replace::<F>),
        guarded_on(F::SURFACE, Method::PATCH, one, patch::<F>),
        guarded_on(F::SURFACE, Method::DELETE, one, delete::<F>),
    ]
    .into_iter()
    .map(|route| route.only(api(F::SURFACE).only()))
    .collect()
}

async fn list<F: RouterCollection>(
    call: Call<Permit<Read<RouterSpec>>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, F::LIST_SCHEMA, |call, request, emit| {
        let app = &call.context.state.app;
        routers::list(app, &call.permit, F::SET, request, &mut |view| {
            emit(F::Detail::from(view))
        })
    })
    .await
}

async fn create<F: RouterCollection>(
    call: Call<Permit<Create<RouterSpec>>, Json<F::UpdateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    // No collection with this route has fingerprints.
    let (spec, _no_fingerprint) = F::from_update(body);
    let id = routers::create(app, &call.permit, spec).await?;
    Ok(ApiResponse::created(F::COLLECTION, id.as_str()))
}

async fn detail<F: RouterCollection>(
    call: Call<Permit<Read<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = routers::read(&state.app, &call.permit, F::SET, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&F::Detail::from(view)))
}

async fn replace<F: RouterCollection>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::UpdateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    routers::replace(app, &call.permit, F::SET, &id, F::from_update(body)).await?;
    Ok(ApiResponse::empty())
}

async fn patch<F: RouterCollection>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::PatchBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    routers::patch(app, &call.permit, F::SET, &id, F::to_patch(body)).await?;
    Ok(ApiResponse::empty())
}

async fn delete<F: RouterCollection>(
    call: Call<Permit<Delete<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    routers::delete(app, &call.permit, F::SET, &id).await?;
    Ok(ApiResponse::empty())
}

async fn re_enroll(
    call: Call<Permit<Update<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    routers::re_enroll(app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

async fn list_own(
    call: Call<Permit<ReadOwnRouters>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::CLIENT_EDGE_ROUTERS, |call, request, emit| {
        let app = &call.context.state.app;
        routers::list_usable(app, &call.permit, request, &mut |view| {
            emit(CurrentIdentityEdgeRouter::from(view))
        })
    })
    .await
}
