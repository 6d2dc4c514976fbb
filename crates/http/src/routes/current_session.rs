//! The caller's own session.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use http::Method;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::service_updates::ServiceUpdates;
use portcullis_app::services::{self, ReadUpdates};
use portcullis_app::sessions::{self, End, ReadOwn};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, "/current-api-session", detail)
            .answers(Answers::detail::<ApiSessionDetail>()),
        guarded::<End, Ignored, _, _>(Method::DELETE, "/current-api-session", end),
        guarded::<ReadUpdates, Ignored, _, _>(
            Method::GET,
            "/current-api-session/service-updates",
            service_updates,
        )
        .answers(Answers::detail::<ServiceUpdates>())
        .only(&[Api::Client]),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let view = sessions::read_own(&call.context.state.app, &call.permit)?;
    // The token is shown to whoever presented it; the store does not know it.
    let token = call.context.token.unwrap_or_default();
    Ok(Answer::detail(&ApiSessionDetail::for_holder(view, token)))
}

async fn end(call: Call<Permit<End>, Ignored>) -> Result<Answer, ApiError> {
    sessions::end(&call.context.state.app, &call.permit).await?;
    Ok(Answer::done())
}

async fn service_updates(call: Call<Permit<ReadUpdates>, Ignored>) -> Result<Answer, ApiError> {
    let changed = services::last_change(&call.context.state.app, &call.permit)?;
    Ok(Answer::detail(&ServiceUpdates {
        last_change_at: changed.into(),
    }))
}
