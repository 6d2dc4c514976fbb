//! Service sessions: for their holders, and for administrators.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::session::{SessionCreate, SessionDetail, SessionRoutePath};
use portcullis_app::listing::kinds;
use portcullis_app::service_sessions::{self, Create, Delete, DeleteOwn, Read, ReadOwn, Wanted};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::SessionId;
use portcullis_domain::view::SessionView;

const ALL: &str = "/sessions";
const ONE: &str = "/sessions/{id}";
const ROUTE_PATH: &str = "/sessions/{id}/route-path";

pub(super) fn routes() -> Vec<Route> {
    let client = [
        guarded::<Create, Json<SessionCreate>, _, _>(Method::POST, ALL, create)
            .answers(Answers::created_with::<SessionDetail>()),
        guarded::<ReadOwn, Paged, _, _>(Method::GET, ALL, list_own)
            .answers(Answers::list::<SessionDetail>()),
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, ONE, detail_own)
            .answers(Answers::detail::<SessionDetail>()),
        guarded::<DeleteOwn, Ignored, _, _>(Method::DELETE, ONE, delete_own),
    ];
    let management = [
        guarded::<Read, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<SessionDetail>()),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<SessionDetail>()),
        guarded::<Read, Ignored, _, _>(Method::GET, ROUTE_PATH, route_path)
            .answers(Answers::detail::<SessionRoutePath>()),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
    ];
    let client = client.map(|route| route.only(&[Api::Client]));
    let management = management.map(|route| route.only(&[Api::Management]));
    client.into_iter().chain(management).collect()
}

async fn create(call: Call<Permit<Create>, Json<SessionCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let wanted = Wanted {
        service: body.service_id,
        grant: body.grant,
        tags: body.tags,
    };
    let app = &call.context.state.app;
    let new = service_sessions::create(app, &call.permit, wanted).await?;
    let detail = SessionDetail::for_holder(new.view, new.token);
    Ok(Answer::created_with(&detail))
}

async fn list_own(call: Call<Permit<ReadOwn>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::SESSIONS, |call, asked, show| {
        let app = &call.context.state.app;
        service_sessions::list_own(app, &call.permit, asked, &mut |view| show(own(view)))
    })
    .await
}

async fn detail_own(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = service_sessions::read_own(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&own(view)))
}

async fn delete_own(call: Call<Permit<DeleteOwn>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    service_sessions::delete_own(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::SESSIONS, |call, asked, show| {
        let app = &call.context.state.app;
        service_sessions::list(app, &call.permit, asked, &mut |view| {
            show(SessionDetail::for_administrator(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = service_sessions::read(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&SessionDetail::for_administrator(view)))
}

async fn route_path(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let route_path = service_sessions::read_route_path(&call.permit, &id(&call.context));
    Ok(Answer::detail(&SessionRoutePath { route_path }))
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    service_sessions::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

/// A session as its holder sees it again: without the token, which is signed when it is asked for.
fn own(view: SessionView) -> SessionDetail {
    let stand_in = view.session.id.as_str().into();
    SessionDetail::for_holder(view, stand_in)
}

fn id(context: &Context) -> SessionId {
    SessionId::from_wire(context.id())
}
