//! Revocations. They are neither changed nor deleted: creating one again replaces it, and it is
//! removed when it expires.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::revocation::{RevocationCreate, RevocationDetail};
use portcullis_app::managed::{self, Create, Read, Resource as _};
use portcullis_app::revocations;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RevocationId;
use portcullis_domain::revocation::RevocationSpec;

type S = RevocationSpec;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/revocations";
    vec![
        guarded::<Read<S>, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<RevocationDetail>()),
        guarded::<Create<S>, Json<RevocationCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read<S>, NoBody, _, _>(Method::GET, "/revocations/{id}", detail)
            .responds(ResponseSpec::detail::<RevocationDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read<S>>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, S::LIST_SCHEMA, |call, request, emit| {
        let app = &call.context.state.app;
        managed::list::<S>(app, &call.permit, request, &mut |revocation| {
            emit(RevocationDetail::from(revocation))
        })
    })
    .await
}

async fn create(
    call: Call<Permit<Create<S>>, Json<RevocationCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(RevocationCreate { id, revoked, tags }) = call.body;
    let app = &call.context.state.app;
    revocations::revoke(app, &call.permit, &id, (revoked, tags))
        .await
        .map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::created("revocations", id.as_str()))
}

async fn detail(call: Call<Permit<Read<S>>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let id = RevocationId::from_wire(call.context.id());
    let revocation = managed::read::<S>(&state.app, &call.permit, &id)?;
    Ok(ApiResponse::detail(&RevocationDetail::from(revocation)))
}
