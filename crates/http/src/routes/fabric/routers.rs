//! Routers on the fabric, of both kinds.

use super::terminators;
use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::fabric::router::{RouterCreate, RouterDetail, RouterPart, RouterReplace};
use portcullis_app::listing::kinds;
use portcullis_app::managed::{Create, Delete, OnFabric, Read, Update};
use portcullis_app::related;
use portcullis_app::routers::{self, RouterSet, fabric};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::RouterSpec;

type Reading = OnFabric<Read<RouterSpec>>;
type Creating = OnFabric<Create<RouterSpec>>;
type Updating = OnFabric<Update<RouterSpec>>;
type Deleting = OnFabric<Delete<RouterSpec>>;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/routers";
    const ONE: &str = "/routers/{id}";
    vec![
        guarded::<Reading, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<RouterDetail>()),
        guarded::<Creating, Json<RouterCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Reading, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<RouterDetail>()),
        guarded::<Updating, Json<RouterReplace>, _, _>(Method::PUT, ONE, replace),
        guarded::<Updating, Json<RouterPart>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Deleting, Ignored, _, _>(Method::DELETE, ONE, delete),
        terminators::of("/routers/{id}/terminators", related::terminators_of_router),
    ]
}

async fn list(call: Call<Permit<Reading>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::TRANSIT_ROUTERS, |call, asked, show| {
        let app = &call.context.state.app;
        routers::list(app, &call.permit, RouterSet::All, asked, &mut |view| {
            show(RouterDetail::from(view))
        })
    })
    .await
}

async fn create(call: Call<Permit<Creating>, Json<RouterCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let id = fabric::create(&call.context.state.app, &call.permit, body.spec()).await?;
    Ok(Answer::created("routers", id.as_str()))
}

async fn detail(call: Call<Permit<Reading>, Ignored>) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    let view = routers::read(app, &call.permit, RouterSet::All, &id)?;
    Ok(Answer::detail(&RouterDetail::from(view)))
}

async fn replace(call: Call<Permit<Updating>, Json<RouterReplace>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::replace(app, &call.permit, &id, body.spec()).await?;
    Ok(Answer::done())
}

async fn merge(call: Call<Permit<Updating>, Json<RouterPart>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::merge(app, &call.permit, &id, body.patch()).await?;
    Ok(Answer::done())
}

async fn delete(call: Call<Permit<Deleting>, Ignored>) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id(&call.context));
    fabric::delete(app, &call.permit, &id).await?;
    Ok(Answer::done())
}

fn id(context: &Context) -> RouterId {
    RouterId::from_wire(context.id())
}
