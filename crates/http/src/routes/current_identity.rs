//! The caller's own identity.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use http::Method;
use portcullis_api::identity::IdentityDetail;
use portcullis_app::identities::{self, ReadOwn};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, "/current-identity", detail)
            .answers(Answers::detail::<IdentityDetail>()),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let view = identities::read_own(&call.context.state.app, &call.permit)?;
    Ok(Answer::detail_without_meta(&IdentityDetail::of_caller(
        view,
    )))
}
