//! API sessions as administrators see them.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_app::listing::kinds;
use portcullis_app::sessions::{self, Delete, ForeignSession, Read};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ApiSessionId;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/api-sessions", list)
            .answers(Answers::list::<ApiSessionDetail>()),
        guarded::<Read, Ignored, _, _>(Method::GET, "/api-sessions/{id}", detail)
            .answers(Answers::detail::<ApiSessionDetail>()),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, "/api-sessions/{id}", delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::API_SESSIONS, |call, asked, show| {
        let app = &call.context.state.app;
        sessions::list(app, &call.permit, asked, &mut |session| {
            show(shown(session))
        })
    })
    .await
    // This list names its character set, and always has.
    .map(|answer| answer.typed("application/json; charset=utf-8"))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let id = ApiSessionId::from_wire(call.context.id());
    let session = sessions::read(&state.app, &call.permit, &id)?;
    Ok(Answer::detail(&shown(session)))
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let id = ApiSessionId::from_wire(call.context.id());
    sessions::delete(&state.app, &call.permit, &id).await?;
    Ok(Answer::done())
}

fn shown(session: ForeignSession) -> ApiSessionDetail {
    ApiSessionDetail::for_administrator(session.view, session.stand_in.into())
}
