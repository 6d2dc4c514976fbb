//! TOTP: the caller's own enrollment, its recovery codes, and the second factor of its session.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{
    Call, Json, LenientJson, NoBody, OptionalJson, Parameter, RequestContext, ResponseSpec, Route,
    guarded,
};
use http::Method;
use portcullis_api::mfa::RecoveryCodesDetail;
use portcullis_api::mfa::{
    MfaAuthCode, MfaCode, MfaDetail, MfaEnrollmentStarted, OptionalMfaCode, TotpTokenDetail,
};
use portcullis_app::mfa::{
    self, ReadCodes, ReadOwn, Remove, RemoveOwn, ReplaceCodes, RequestToken, Start, Verify,
};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;
use secrecy::SecretString;

/// The header for codes in requests that usually have no body.
const VALIDATION_CODE_HEADER: &str = "mfa-validation-code";

const CODE_PARAMETER: Parameter = Parameter::header(
    VALIDATION_CODE_HEADER,
    "A code of the authenticator app or a recovery code, for clients that send no body with this method.",
);

pub(super) fn routes() -> Vec<Route> {
    const OWN: &str = "/current-identity/mfa";
    const CODES: &str = "/current-identity/mfa/recovery-codes";
    vec![
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, OWN, detail)
            .responds(ResponseSpec::detail::<MfaDetail>()),
        guarded::<Start, NoBody, _, _>(Method::POST, OWN, start)
            .responds(ResponseSpec::created_with::<MfaEnrollmentStarted>()),
        guarded::<RemoveOwn, LenientJson<OptionalMfaCode>, _, _>(Method::DELETE, OWN, remove_own)
            .with_parameters(&[CODE_PARAMETER]),
        guarded::<Verify, Json<MfaCode>, _, _>(
            Method::POST,
            "/current-identity/mfa/verify",
            verify,
        )
        .responds(ResponseSpec::empty()),
        guarded::<ReadOwn, NoBody, _, _>(Method::GET, "/current-identity/mfa/qr-code", qr_code)
            .responds(ResponseSpec::raw())
            .producing("image/png"),
        guarded::<ReadCodes, OptionalJson<MfaCode>, _, _>(Method::GET, CODES, codes)
            .responds(ResponseSpec::detail::<RecoveryCodesDetail>())
            .with_parameters(&[CODE_PARAMETER])
            .mutating(),
        guarded::<ReplaceCodes, Json<MfaCode>, _, _>(Method::POST, CODES, replace_codes)
            .responds(ResponseSpec::detail::<RecoveryCodesDetail>()),
        guarded::<mfa::Authenticate, Json<MfaAuthCode>, _, _>(
            Method::POST,
            "/authenticate/mfa",
            authenticate,
        )
        .responds(ResponseSpec::empty()),
        guarded::<RequestToken, Json<MfaCode>, _, _>(
            Method::POST,
            "/current-api-session/totp-token",
            token,
        )
        .responds(ResponseSpec::detail::<TotpTokenDetail>()),
        guarded::<Remove, NoBody, _, _>(Method::DELETE, "/identities/{id}/mfa", remove)
            .only(&[Api::Management]),
    ]
}

async fn detail(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let view = mfa::read_own(&call.context.state.app, &call.permit)?;
    Ok(ApiResponse::detail(&MfaDetail::from(view)))
}

async fn start(call: Call<Permit<Start>, NoBody>) -> Result<ApiResponse, ApiError> {
    let (id, setup) = mfa::start(&call.context.state.app, &call.permit).await?;
    Ok(ApiResponse::created_with(&MfaEnrollmentStarted::new(
        &id, setup,
    )))
}

async fn verify(call: Call<Permit<Verify>, Json<MfaCode>>) -> Result<ApiResponse, ApiError> {
    let Json(MfaCode { code }) = call.body;
    mfa::verify(&call.context.state.app, &call.permit, &code).await?;
    Ok(ApiResponse::empty())
}

async fn qr_code(call: Call<Permit<ReadOwn>, NoBody>) -> Result<ApiResponse, ApiError> {
    let png = mfa::qr_code(&call.context.state.app, &call.permit)?;
    Ok(ApiResponse::raw("image/png", png))
}

/// The code in the body takes precedence over the header, as in OpenZiti.
async fn codes(
    call: Call<Permit<ReadCodes>, OptionalJson<MfaCode>>,
) -> Result<ApiResponse, ApiError> {
    let OptionalJson(body) = call.body;
    let code = body
        .map(|body| body.code)
        .or_else(|| code_from_header(&call.context));
    let view = mfa::read_codes(&call.context.state.app, &call.permit, code.as_ref()).await?;
    Ok(ApiResponse::detail(&RecoveryCodesDetail::from(view)))
}

async fn replace_codes(
    call: Call<Permit<ReplaceCodes>, Json<MfaCode>>,
) -> Result<ApiResponse, ApiError> {
    let Json(MfaCode { code }) = call.body;
    let view = mfa::replace_codes(&call.context.state.app, &call.permit, &code).await?;
    Ok(ApiResponse::detail(&RecoveryCodesDetail::from(view)))
}

/// The code in the header takes precedence over the body: clients have always sent it there, and
/// codes in the body used to be ignored.
async fn remove_own(
    call: Call<Permit<RemoveOwn>, LenientJson<OptionalMfaCode>>,
) -> Result<ApiResponse, ApiError> {
    let LenientJson(OptionalMfaCode { code }) = call.body;
    let code = code_from_header(&call.context).or(code);
    mfa::remove_own(&call.context.state.app, &call.permit, code.as_ref()).await?;
    Ok(ApiResponse::empty())
}

async fn authenticate(
    call: Call<Permit<mfa::Authenticate>, Json<MfaAuthCode>>,
) -> Result<ApiResponse, ApiError> {
    let Json(MfaAuthCode(MfaCode { code })) = call.body;
    mfa::authenticate(&call.context.state.app, &call.permit, &code).await?;
    Ok(ApiResponse::empty())
}

async fn token(call: Call<Permit<RequestToken>, Json<MfaCode>>) -> Result<ApiResponse, ApiError> {
    let Json(MfaCode { code }) = call.body;
    let issued = mfa::request_token(&call.context.state.app, &call.permit, &code).await?;
    Ok(ApiResponse::detail_without_meta(&TotpTokenDetail {
        token: issued.token,
        issued_at: issued.issued_at.into(),
    }))
}

async fn remove(call: Call<Permit<Remove>, NoBody>) -> Result<ApiResponse, ApiError> {
    let id = IdentityId::from_wire(call.context.id());
    mfa::remove(&call.context.state.app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}

/// Returns the code in the header. A header that is not text is a code as well, though never a
/// valid one.
fn code_from_header(context: &RequestContext) -> Option<SecretString> {
    let value = context.headers.get(VALIDATION_CODE_HEADER)?;
    Some(value.to_str().unwrap_or_default().into())
}
