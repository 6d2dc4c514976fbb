//! The caller's own authenticators.

use super::authenticators::{patch, replacement};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::authenticator::{
    AuthenticatorDetail, AuthenticatorPatch, AuthenticatorReplace, ByOwner, Extend, ExtendVerify,
    Extended,
};
use portcullis_api::code::Code;
use portcullis_app::AppError;
use portcullis_app::authenticators::{self, ReadOwn, Renew, UpdateOwn, UpdbChange};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthenticatorId;
use secrecy::SecretString;

/// The body of a replacement by the owner.
type Replacement = Json<ByOwner<AuthenticatorReplace>>;

/// The body of a patch by the owner.
type Patch = Json<ByOwner<AuthenticatorPatch>>;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/current-identity/authenticators";
    const ONE: &str = "/current-identity/authenticators/{id}";
    vec![
        guarded::<ReadOwn, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<AuthenticatorDetail>()),
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<AuthenticatorDetail>()),
        guarded::<UpdateOwn, Replacement, _, _>(Method::PUT, ONE, replace),
        guarded::<UpdateOwn, Patch, _, _>(Method::PATCH, ONE, merge),
        guarded::<Renew, Json<Extend>, _, _>(
            Method::POST,
            "/current-identity/authenticators/{id}/extend",
            extend,
        )
        .answers(Answers::detail::<Extended>()),
        guarded::<Renew, Json<ExtendVerify>, _, _>(
            Method::POST,
            "/current-identity/authenticators/{id}/extend-verify",
            confirm,
        )
        .answers(Answers::done()),
    ]
}

async fn list(call: Call<Permit<ReadOwn>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::AUTHENTICATORS, |call, asked, show| {
        let app = &call.context.state.app;
        authenticators::list_own(app, &call.permit, asked, &mut |view| {
            show(AuthenticatorDetail::of_caller(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = authenticators::read_own(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&AuthenticatorDetail::of_caller(view)))
}

async fn replace(call: Call<Permit<UpdateOwn>, Replacement>) -> Result<Answer, ApiError> {
    let Json(ByOwner {
        current_password,
        change,
    }) = call.body;
    let change = replacement(change);
    update(&call.context, &call.permit, current_password, change).await
}

async fn merge(call: Call<Permit<UpdateOwn>, Patch>) -> Result<Answer, ApiError> {
    let Json(ByOwner {
        current_password,
        change,
    }) = call.body;
    let change = patch(change);
    update(&call.context, &call.permit, current_password, change).await
}

async fn update(
    context: &Context,
    permit: &Permit<UpdateOwn>,
    current: SecretString,
    change: UpdbChange,
) -> Result<Answer, ApiError> {
    let app = &context.state.app;
    authenticators::update_own(app, permit, &id(context), current, change).await?;
    Ok(Answer::done())
}

async fn extend(call: Call<Permit<Renew>, Json<Extend>>) -> Result<Answer, ApiError> {
    let Json(Extend { client_cert_csr }) = call.body;
    let Context {
        state, connection, ..
    } = &call.context;
    let (id, chain) = (id(&call.context), connection.certificates());
    let renewed =
        authenticators::extend(&state.app, &call.permit, &id, &chain, &client_cert_csr).await;
    let authorities = state.app.network().bundle_pem();
    Ok(Answer::detail(&Extended::new(
        renewed.map_err(brief)?,
        authorities,
    )))
}

async fn confirm(call: Call<Permit<Renew>, Json<ExtendVerify>>) -> Result<Answer, ApiError> {
    let Json(ExtendVerify { client_cert }) = call.body;
    let Context { state, .. } = &call.context;
    authenticators::confirm(&state.app, &call.permit, &id(&call.context), &client_cert)
        .await
        .map_err(brief)?;
    Ok(Answer::done())
}

/// These operations say no more than the code about what is not there.
fn brief(error: AppError) -> ApiError {
    match error {
        AppError::NotFound { .. } => ApiError::new(Code::NotFound),
        error => error.into(),
    }
}

fn id(context: &Context) -> AuthenticatorId {
    AuthenticatorId::from_wire(context.id())
}
