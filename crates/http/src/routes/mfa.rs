//! TOTP: the caller's own enrollment, its recovery codes, and the second factor of its session.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{
    Answers, Call, Context, Ignored, Json, JsonIfAny, JsonIfFit, Parameter, Route, guarded,
};
use http::Method;
use portcullis_api::mfa::RecoveryCodesDetail;
use portcullis_api::mfa::{MfaAnswer, MfaCode, MfaCodeIfAny, MfaDetail, MfaStarted};
use portcullis_app::mfa::{
    self, ReadCodes, ReadOwn, Remove, RemoveOwn, ReplaceCodes, RequestToken, Start, Verify,
};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;
use secrecy::SecretString;

/// The header in which codes come with requests whose bodies are unusual.
const VALIDATION_CODE: &str = "mfa-validation-code";

/// The code in the head of a request.
const CODE: Parameter = Parameter::header(
    VALIDATION_CODE,
    "A code of the authenticator app or a recovery code, for clients that send no body with this method.",
);

pub(super) fn routes() -> Vec<Route> {
    const OWN: &str = "/current-identity/mfa";
    const CODES: &str = "/current-identity/mfa/recovery-codes";
    vec![
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, OWN, detail)
            .answers(Answers::detail::<MfaDetail>()),
        guarded::<Start, Ignored, _, _>(Method::POST, OWN, start)
            .answers(Answers::created_with::<MfaStarted>()),
        guarded::<RemoveOwn, JsonIfFit<MfaCodeIfAny>, _, _>(Method::DELETE, OWN, remove_own)
            .asks(&[CODE]),
        guarded::<Verify, Json<MfaCode>, _, _>(
            Method::POST,
            "/current-identity/mfa/verify",
            verify,
        )
        .answers(Answers::done()),
        guarded::<ReadOwn, Ignored, _, _>(Method::GET, "/current-identity/mfa/qr-code", qr_code)
            .answers(Answers::raw())
            .producing("image/png"),
        guarded::<ReadCodes, JsonIfAny<MfaCode>, _, _>(Method::GET, CODES, codes)
            .answers(Answers::detail::<RecoveryCodesDetail>())
            .asks(&[CODE])
            .changing(),
        guarded::<ReplaceCodes, Json<MfaCode>, _, _>(Method::POST, CODES, replace_codes)
            .answers(Answers::detail::<RecoveryCodesDetail>()),
        guarded::<mfa::Answer, Json<MfaAnswer>, _, _>(
            Method::POST,
            "/authenticate/mfa",
            authenticate,
        )
        .answers(Answers::done()),
        guarded::<RequestToken, Json<MfaCode>, _, _>(
            Method::POST,
            "/current-api-session/totp-token",
            token,
        )
        .answers(Answers::done()),
        guarded::<Remove, Ignored, _, _>(Method::DELETE, "/identities/{id}/mfa", remove)
            .only(&[Api::Management]),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let view = mfa::read_own(&call.context.state.app, &call.permit)?;
    Ok(Answer::detail(&MfaDetail::from(view)))
}

async fn start(call: Call<Permit<Start>, Ignored>) -> Result<Answer, ApiError> {
    let (id, set_up) = mfa::start(&call.context.state.app, &call.permit).await?;
    Ok(Answer::created_with(&MfaStarted::new(&id, set_up)))
}

async fn verify(call: Call<Permit<Verify>, Json<MfaCode>>) -> Result<Answer, ApiError> {
    let Json(MfaCode { code }) = call.body;
    mfa::verify(&call.context.state.app, &call.permit, &code).await?;
    Ok(Answer::done())
}

async fn qr_code(call: Call<Permit<ReadOwn>, Ignored>) -> Result<Answer, ApiError> {
    let png = mfa::qr_code(&call.context.state.app, &call.permit)?;
    Ok(Answer::raw("image/png", png))
}

/// The code in the body wins over the one in the header, as on the wire.
async fn codes(call: Call<Permit<ReadCodes>, JsonIfAny<MfaCode>>) -> Result<Answer, ApiError> {
    let JsonIfAny(body) = call.body;
    let code = body
        .map(|body| body.code)
        .or_else(|| in_header(&call.context));
    let view = mfa::read_codes(&call.context.state.app, &call.permit, code.as_ref()).await?;
    Ok(Answer::detail(&RecoveryCodesDetail::from(view)))
}

async fn replace_codes(
    call: Call<Permit<ReplaceCodes>, Json<MfaCode>>,
) -> Result<Answer, ApiError> {
    let Json(MfaCode { code }) = call.body;
    let view = mfa::replace_codes(&call.context.state.app, &call.permit, &code).await?;
    Ok(Answer::detail(&RecoveryCodesDetail::from(view)))
}

/// The code in the header wins over the one in the body: clients have always sent it there, and what
/// they sent in the body never counted.
async fn remove_own(
    call: Call<Permit<RemoveOwn>, JsonIfFit<MfaCodeIfAny>>,
) -> Result<Answer, ApiError> {
    let JsonIfFit(MfaCodeIfAny { code }) = call.body;
    let code = in_header(&call.context).or(code);
    mfa::remove_own(&call.context.state.app, &call.permit, code.as_ref()).await?;
    Ok(Answer::done())
}

async fn authenticate(
    call: Call<Permit<mfa::Answer>, Json<MfaAnswer>>,
) -> Result<Answer, ApiError> {
    let Json(MfaAnswer(MfaCode { code })) = call.body;
    mfa::answer(&call.context.state.app, &call.permit, &code).await?;
    Ok(Answer::done())
}

async fn token(call: Call<Permit<RequestToken>, Json<MfaCode>>) -> Result<Answer, ApiError> {
    mfa::request_token(&call.permit)?;
    Ok(Answer::done())
}

async fn remove(call: Call<Permit<Remove>, Ignored>) -> Result<Answer, ApiError> {
    let id = IdentityId::from_wire(call.context.id());
    mfa::remove(&call.context.state.app, &call.permit, &id).await?;
    Ok(Answer::done())
}

/// The code in the header, if there is one. What is no text is a code as well, though never a valid
/// one.
fn in_header(context: &Context) -> Option<SecretString> {
    let value = context.headers.get(VALIDATION_CODE)?;
    Some(value.to_str().unwrap_or_default().into())
}
