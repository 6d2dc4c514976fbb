//! The caller's own identity.

use crate::answer::{Answer, Content};
use crate::error::ApiError;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::envelope::Envelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::json;
use portcullis_app::identities::{self, ReadOwn};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, "/current-identity", detail)
            .answers(Answers::detail::<IdentityDetail>()),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let write = |view| {
        let detail = IdentityDetail::of_caller(view);
        Bytes::from(json::to_bytes(&Envelope::without_meta(detail)))
    };
    let written = identities::read_own(&call.context.state.app, &call.permit, write)?;
    Ok(Answer::written(Content::Whole(written)))
}
