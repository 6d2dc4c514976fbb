//! Edge routers and transit routers.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
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
use portcullis_app::routers::{self, ReadOwnRouters, RouterSet};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{EdgeRouterSettingsPatch, RouterKind, RouterSpec, RouterSpecPatch};
use portcullis_domain::view::ManagedRouterView;
use serde::Serialize;

/// A collection of routers.
trait RouterCollection: 'static {
    const SET: RouterSet;

    /// The collection name in links.
    const COLLECTION: &'static str;

    /// The schema of its lists.
    const LIST_SCHEMA: &'static Schema;

    /// The body of POST and PUT.
    type Body: Decode + Send + 'static;

    /// The body of PATCH.
    type PatchBody: Decode + Send + 'static;

    /// The body of GET.
    type Detail: Serialize + JsonSchema + From<ManagedRouterView>;

    /// Converts the body of POST or PUT.
    fn spec(body: Self::Body) -> RouterSpec;

    /// Converts the body of PATCH.
    fn patch(merge: Self::PatchBody) -> RouterSpecPatch;
}

enum EdgeRouters {}

/// All routers, edge routers among them.
enum AllRouters {}

impl RouterCollection for EdgeRouters {
    const SET: RouterSet = RouterSet::Edge;
    const COLLECTION: &'static str = "edge-routers";
    const LIST_SCHEMA: &'static Schema = &kinds::EDGE_ROUTERS;
    type Body = EdgeRouterCreate;
    type PatchBody = EdgeRouterPatch;
    type Detail = EdgeRouterDetail;

    fn spec(body: EdgeRouterCreate) -> RouterSpec {
        body.into()
    }

    fn patch(merge: EdgeRouterPatch) -> RouterSpecPatch {
        merge.into()
    }
}

impl RouterCollection for AllRouters {
    const SET: RouterSet = RouterSet::All;
    const COLLECTION: &'static str = "transit-routers";
    const LIST_SCHEMA: &'static Schema = &kinds::TRANSIT_ROUTERS;
    type Body = TransitRouterCreate;
    type PatchBody = TransitRouterPatch;
    type Detail = TransitRouterDetail;

    fn spec(body: TransitRouterCreate) -> RouterSpec {
        body.spec(RouterKind::Transit)
    }

    fn patch(merge: TransitRouterPatch) -> RouterSpecPatch {
        merge.patch(EdgeRouterSettingsPatch::default())
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = operations::<EdgeRouters>("/edge-routers", "/edge-routers/{id}");
    routes.extend(operations::<AllRouters>(
        "/transit-routers",
        "/transit-routers/{id}",
    ));
    routes.extend(operations::<AllRouters>("/routers", "/routers/{id}"));
    routes.extend([
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

fn operations<F: RouterCollection>(all: &'static str, one: &'static str) -> Vec<Route> {
    type S = RouterSpec;
    vec![
        guarded::<Read<S>, ListPayload, _, _>(Method::GET, all, list::<F>)
            .responds(ResponseSpec::list::<F::Detail>()),
        guarded::<Create<S>, Json<F::Body>, _, _>(Method::POST, all, create::<F>),
        guarded::<Read<S>, NoBody, _, _>(Method::GET, one, detail::<F>)
            .responds(ResponseSpec::detail::<F::Detail>()),
        guarded::<Update<S>, Json<F::Body>, _, _>(Method::PUT, one, replace::<F>),
        guarded::<Update<S>, Json<F::PatchBody>, _, _>(Method::PATCH, one, patch::<F>),
        guarded::<Delete<S>, NoBody, _, _>(Method::DELETE, one, delete::<F>),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
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
    call: Call<Permit<Create<RouterSpec>>, Json<F::Body>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = routers::create(app, &call.permit, F::spec(body)).await?;
    Ok(ApiResponse::created(F::COLLECTION, id.as_str()))
}

async fn detail<F: RouterCollection>(
    call: Call<Permit<Read<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = routers::read(&state.app, &call.permit, F::SET, &id(&call.context))?;
    Ok(ApiResponse::detail(&F::Detail::from(view)))
}

async fn replace<F: RouterCollection>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::Body>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::replace(app, &call.permit, F::SET, &id, F::spec(body)).await?;
    Ok(ApiResponse::empty())
}

async fn patch<F: RouterCollection>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::PatchBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::patch(app, &call.permit, F::SET, &id, F::patch(body)).await?;
    Ok(ApiResponse::empty())
}

async fn delete<F: RouterCollection>(
    call: Call<Permit<Delete<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::delete(app, &call.permit, F::SET, &id).await?;
    Ok(ApiResponse::empty())
}

async fn re_enroll(
    call: Call<Permit<Update<RouterSpec>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    routers::re_enroll(app, &call.permit, &id(&call.context)).await?;
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

fn id(context: &RequestContext) -> RouterId {
    RouterId::from_wire(context.id())
}
