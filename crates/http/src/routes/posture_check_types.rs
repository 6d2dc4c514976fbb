//! Types of posture checks.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::posture_check_type::PostureCheckTypeDetail;
use portcullis_app::listing::kinds;
use portcullis_app::posture_checks::{self, ReadTypes};
use portcullis_domain::access::Permit;
use portcullis_domain::posture_check::CheckSupport;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadTypes, Paged, _, _>(Method::GET, "/posture-check-types", list)
            .answers(Answers::list::<PostureCheckTypeDetail>()),
        guarded::<ReadTypes, Ignored, _, _>(Method::GET, "/posture-check-types/{id}", detail)
            .answers(Answers::detail::<PostureCheckTypeDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<ReadTypes>, Paged>) -> Result<Answer, ApiError> {
    let Context { state, query, .. } = &call.context;
    let page = posture_checks::list_types(&state.app, &call.permit, &parameters(query))?;
    let page = page.map(|kind| shown(&call, kind));
    // This list names its character set, and always has.
    let answer = Answer::list(page, &kinds::POSTURE_CHECK_TYPES);
    Ok(answer.typed("application/json; charset=utf-8"))
}

async fn detail(call: Call<Permit<ReadTypes>, Ignored>) -> Result<Answer, ApiError> {
    let kind = posture_checks::read_type(&call.permit, call.context.id())?;
    Ok(Answer::detail(&shown(&call, kind)))
}

fn shown<B>(call: &Call<Permit<ReadTypes>, B>, kind: CheckSupport) -> PostureCheckTypeDetail {
    PostureCheckTypeDetail::new(kind, call.context.state.app.founded_at())
}
