//! Authenticators.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_app::authenticators::{self, Read};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{AuthenticatorId, IdentityId};

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/authenticators", list),
        guarded::<Read, Ignored, _, _>(Method::GET, "/authenticators/{id}", detail),
        guarded::<Read, Paged, _, _>(Method::GET, "/identities/{id}/authenticators", list_of),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::AUTHENTICATORS, |call, asked, show| {
        let app = &call.context.state.app;
        authenticators::list(app, &call.permit, asked, &mut |view| {
            show(AuthenticatorDetail::from(view))
        })
    })
    .await
}

async fn list_of(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::AUTHENTICATORS, |call, asked, show| {
        let app = &call.context.state.app;
        let identity = IdentityId::from_wire(call.context.id());
        authenticators::list_of(app, &call.permit, &identity, asked, &mut |view| {
            show(AuthenticatorDetail::from(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let id = AuthenticatorId::from_wire(call.context.id());
    let view = authenticators::read(&state.app, &call.permit, &id)?;
    Ok(Answer::detail(&AuthenticatorDetail::from(view)))
}
