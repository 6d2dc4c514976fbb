//! Revocations. They are not changed and not deleted: making one again replaces it, and it goes when
//! it expires.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::revocation::{RevocationCreate, RevocationDetail};
use portcullis_app::listing::kinds;
use portcullis_app::managed::{self, Create, Read};
use portcullis_app::{AppError, revocations};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RevocationId;
use portcullis_domain::revocation::RevocationSpec;

type S = RevocationSpec;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/revocations";
    vec![
        guarded::<Read<S>, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<RevocationDetail>()),
        guarded::<Create<S>, Json<RevocationCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read<S>, Ignored, _, _>(Method::GET, "/revocations/{id}", detail)
            .answers(Answers::detail::<RevocationDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read<S>>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::REVOCATIONS, |call, asked, show| {
        let app = &call.context.state.app;
        managed::list::<S>(app, &call.permit, asked, &mut |revocation| {
            show(RevocationDetail::from(revocation))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create<S>>, Json<RevocationCreate>>) -> Result<Answer, ApiError> {
    let Json(RevocationCreate { id, revoked, tags }) = call.body;
    let app = &call.context.state.app;
    revocations::revoke(app, &call.permit, &id, (revoked, tags))
        .await
        .map_err(tersely)?;
    Ok(Answer::created("revocations", id.as_str()))
}

async fn detail(call: Call<Permit<Read<S>>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let id = RevocationId::from_wire(call.context.id());
    let revocation = managed::read::<S>(&state.app, &call.permit, &id)?;
    Ok(Answer::detail(&RevocationDetail::from(revocation)))
}

/// No more than the code is said about an identity that does not exist.
fn tersely(error: AppError) -> ApiError {
    match error {
        AppError::NotFound { .. } => ApiError::new(Code::NotFound),
        error => error.into(),
    }
}
