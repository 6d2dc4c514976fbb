//! Authenticators.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::authenticator as wire;
use portcullis_api::authenticator::{
    AuthenticatorCreate, AuthenticatorDetail, AuthenticatorPatch, AuthenticatorReplace,
    ExtendRequest,
};
use portcullis_api::enrollment::EnrollmentRefresh;
use portcullis_app::authenticators::{
    self, Create, CreateAuthenticator, Delete, NewCredential, ReEnroll, Read, Update, UpdbChange,
};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{AuthenticatorId, IdentityId};

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/authenticators";
    const ONE: &str = "/authenticators/{id}";
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<AuthenticatorDetail>()),
        guarded::<Create, Json<AuthenticatorCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<AuthenticatorDetail>()),
        guarded::<Update, Json<AuthenticatorReplace>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<AuthenticatorPatch>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<ExtendRequest>, _, _>(
            Method::POST,
            "/authenticators/{id}/request-extend",
            request_extension,
        )
        .answers(Answers::done()),
        guarded::<ReEnroll, Json<EnrollmentRefresh>, _, _>(
            Method::POST,
            "/authenticators/{id}/re-enroll",
            re_enroll,
        ),
        guarded::<Read, Paged, _, _>(Method::GET, "/identities/{id}/authenticators", list_of)
            .answers(Answers::list::<AuthenticatorDetail>()),
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
    let view = authenticators::read(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&AuthenticatorDetail::from(view)))
}

async fn create(call: Call<Permit<Create>, Json<AuthenticatorCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let input = CreateAuthenticator {
        identity: body.identity_id,
        credential: match body.credential {
            wire::NewCredential::Cert { cert_pem } => NewCredential::Cert(cert_pem),
            wire::NewCredential::Updb { username, password } => {
                NewCredential::Updb { username, password }
            },
        },
        tags: body.tags,
    };
    let id = authenticators::create(&call.context.state.app, &call.permit, input).await?;
    Ok(Answer::created("authenticators", id.as_str()))
}

async fn replace(
    call: Call<Permit<Update>, Json<AuthenticatorReplace>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    update(&call.context, &call.permit, replacement(body)).await
}

async fn merge(call: Call<Permit<Update>, Json<AuthenticatorPatch>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    update(&call.context, &call.permit, patch(body)).await
}

async fn update(
    context: &Context,
    permit: &Permit<Update>,
    change: UpdbChange,
) -> Result<Answer, ApiError> {
    authenticators::update(&context.state.app, permit, &id(context), change).await?;
    Ok(Answer::done())
}

/// The change that a replacement is: it leaves nothing as it was.
pub(super) fn replacement(body: AuthenticatorReplace) -> UpdbChange {
    UpdbChange {
        username: Some(body.username),
        password: Some(body.password),
        tags: Some(body.tags),
    }
}

/// The change that a patch is.
pub(super) fn patch(body: AuthenticatorPatch) -> UpdbChange {
    UpdbChange {
        username: body.username,
        password: body.password,
        tags: body.tags,
    }
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    authenticators::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn request_extension(
    call: Call<Permit<Update>, Json<ExtendRequest>>,
) -> Result<Answer, ApiError> {
    let Json(ExtendRequest { roll_keys }) = call.body;
    let Context { state, .. } = &call.context;
    let id = id(&call.context);
    authenticators::request_extension(&state.app, &call.permit, &id, roll_keys).await?;
    Ok(Answer::done())
}

async fn re_enroll(
    call: Call<Permit<ReEnroll>, Json<EnrollmentRefresh>>,
) -> Result<Answer, ApiError> {
    let Json(EnrollmentRefresh { expires_at }) = call.body;
    let Context { state, .. } = &call.context;
    let id = id(&call.context);
    let enrollment =
        authenticators::re_enroll(&state.app, &call.permit, &id, expires_at.into()).await?;
    Ok(Answer::created("enrollments", enrollment.as_str()))
}

fn id(context: &Context) -> AuthenticatorId {
    AuthenticatorId::from_wire(context.id())
}
