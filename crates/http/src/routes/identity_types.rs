//! Types of identities.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use http::Method;
use portcullis_api::identity::IdentityTypeDetail;
use portcullis_app::identities::{self, ReadTypes};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::clock::Timestamp;
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
    let page = identities::list_types(&call.permit, &parameters(&call.context.query))?;
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
    // They exist since the program runs: it brings them along.
    let since: Timestamp = call
        .context
        .state
        .app
        .network()
        .served()
        .controller
        .started_at;
    IdentityTypeDetail::new(kind, since)
}
