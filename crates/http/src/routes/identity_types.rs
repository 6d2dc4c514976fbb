//! Types of identities.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::identity::IdentityTypeDetail;
use portcullis_app::identities::{self, ReadTypes};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::identity::IdentityType;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadTypes, Paged, _, _>(Method::GET, "/identity-types", list)
            .answers(Answers::list::<IdentityTypeDetail>()),
        guarded::<ReadTypes, Ignored, _, _>(Method::GET, "/identity-types/{id}", detail)
            .answers(Answers::detail::<IdentityTypeDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<ReadTypes>, Paged>) -> Result<Answer, ApiError> {
    let Context { state, query, .. } = &call.context;
    let page = identities::list_types(&state.app, &call.permit, &parameters(query))?;
    Ok(Answer::list(
        page.map(|kind| shown(&call, kind)),
        &kinds::IDENTITY_TYPES,
    ))
}

async fn detail(call: Call<Permit<ReadTypes>, Ignored>) -> Result<Answer, ApiError> {
    let kind = identities::read_type(&call.permit, call.context.id())?;
    Ok(Answer::detail(&shown(&call, kind)))
}

fn shown<B>(call: &Call<Permit<ReadTypes>, B>, kind: IdentityType) -> IdentityTypeDetail {
    IdentityTypeDetail::new(kind, call.context.state.app.founded_at())
}
