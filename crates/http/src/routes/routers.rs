//! Edge routers and transit routers.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_api::edge_router::{
    CurrentIdentityEdgeRouter, EdgeRouterBody, EdgeRouterDetail, EdgeRouterMerge,
};
use portcullis_api::router::{RouterBody, RouterMerge};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::{Create, Delete, Read, Update};
use portcullis_app::routers::{self, ReadOwnRouters, RouterSet};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{EdgePatch, RouterKind, RouterPatch, RouterSpec};
use portcullis_domain::view::ManagedRouterView;
use schemars::JsonSchema;
use serde::Serialize;

/// How a set of routers is served.
trait Face: 'static {
    /// The set.
    const SET: RouterSet;

    /// The collection that links name.
    const COLLECTION: &'static str;

    /// Its symbols.
    const SYMBOLS: &'static Schema;

    /// The body that creates or replaces one.
    type Body: Decode + Send + 'static;

    /// The body that changes members of one.
    type Merge: Decode + Send + 'static;

    /// One of them on the wire.
    type Detail: Serialize + JsonSchema + From<ManagedRouterView>;

    /// What a body decides.
    fn spec(body: Self::Body) -> RouterSpec;

    /// What a merge decides.
    fn patch(merge: Self::Merge) -> RouterPatch;
}

/// Edge routers.
enum Edge {}

/// Routers among all others.
enum Transit {}

impl Face for Edge {
    const SET: RouterSet = RouterSet::Edge;
    const COLLECTION: &'static str = "edge-routers";
    const SYMBOLS: &'static Schema = &kinds::EDGE_ROUTERS;
    type Body = EdgeRouterBody;
    type Merge = EdgeRouterMerge;
    type Detail = EdgeRouterDetail;

    fn spec(body: EdgeRouterBody) -> RouterSpec {
        body.into()
    }

    fn patch(merge: EdgeRouterMerge) -> RouterPatch {
        merge.into()
    }
}

impl Face for Transit {
    const SET: RouterSet = RouterSet::All;
    const COLLECTION: &'static str = "transit-routers";
    const SYMBOLS: &'static Schema = &kinds::TRANSIT_ROUTERS;
    type Body = RouterBody;
    type Merge = RouterMerge;
    type Detail = TransitRouterDetail;

    fn spec(body: RouterBody) -> RouterSpec {
        body.spec(RouterKind::Transit)
    }

    fn patch(merge: RouterMerge) -> RouterPatch {
        merge.patch(EdgePatch::default())
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = operations::<Edge>("/edge-routers", "/edge-routers/{id}");
    routes.extend(operations::<Transit>(
        "/transit-routers",
        "/transit-routers/{id}",
    ));
    routes.extend(operations::<Transit>("/routers", "/routers/{id}"));
    routes.extend([
        guarded::<Update<RouterSpec>, Ignored, _, _>(
            Method::POST,
            "/edge-routers/{id}/re-enroll",
            re_enroll,
        )
        .answers(Answers::done())
        .only(&[Api::Management]),
        guarded::<ReadOwnRouters, Paged, _, _>(
            Method::GET,
            "/current-identity/edge-routers",
            list_own,
        )
        .answers(Answers::list::<CurrentIdentityEdgeRouter>())
        .only(&[Api::Client]),
    ]);
    routes
}

fn operations<F: Face>(all: &'static str, one: &'static str) -> Vec<Route> {
    type S = RouterSpec;
    vec![
        guarded::<Read<S>, Paged, _, _>(Method::GET, all, list::<F>)
            .answers(Answers::list::<F::Detail>()),
        guarded::<Create<S>, Json<F::Body>, _, _>(Method::POST, all, create::<F>),
        guarded::<Read<S>, Ignored, _, _>(Method::GET, one, detail::<F>)
            .answers(Answers::detail::<F::Detail>()),
        guarded::<Update<S>, Json<F::Body>, _, _>(Method::PUT, one, replace::<F>),
        guarded::<Update<S>, Json<F::Merge>, _, _>(Method::PATCH, one, merge::<F>),
        guarded::<Delete<S>, Ignored, _, _>(Method::DELETE, one, delete::<F>),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list<F: Face>(call: Call<Permit<Read<RouterSpec>>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, F::SYMBOLS, |call, asked, show| {
        let app = &call.context.state.app;
        routers::list(app, &call.permit, F::SET, asked, &mut |view| {
            show(F::Detail::from(view))
        })
    })
    .await
}

async fn create<F: Face>(
    call: Call<Permit<Create<RouterSpec>>, Json<F::Body>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = routers::create(app, &call.permit, F::spec(body)).await?;
    Ok(Answer::created(F::COLLECTION, id.as_str()))
}

async fn detail<F: Face>(
    call: Call<Permit<Read<RouterSpec>>, Ignored>,
) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = routers::read(&state.app, &call.permit, F::SET, &id(&call.context))?;
    Ok(Answer::detail(&F::Detail::from(view)))
}

async fn replace<F: Face>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::Body>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::replace(app, &call.permit, F::SET, &id, F::spec(body)).await?;
    Ok(Answer::done())
}

async fn merge<F: Face>(
    call: Call<Permit<Update<RouterSpec>>, Json<F::Merge>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::merge(app, &call.permit, F::SET, &id, F::patch(body)).await?;
    Ok(Answer::done())
}

async fn delete<F: Face>(
    call: Call<Permit<Delete<RouterSpec>>, Ignored>,
) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    routers::delete(app, &call.permit, F::SET, &id).await?;
    Ok(Answer::done())
}

async fn re_enroll(call: Call<Permit<Update<RouterSpec>>, Ignored>) -> Result<Answer, ApiError> {
    let app = &call.context.state.app;
    routers::re_enroll(app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn list_own(call: Call<Permit<ReadOwnRouters>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::SHOWN_EDGE_ROUTERS, |call, asked, show| {
        let app = &call.context.state.app;
        routers::list_own(app, &call.permit, asked, &mut |view| {
            show(CurrentIdentityEdgeRouter::from(view))
        })
    })
    .await
}

fn id(context: &Context) -> RouterId {
    RouterId::from_wire(context.id())
}
