//! TOTP within a login.

use super::body::StepBody;
use super::login::find_for_change;
use super::reply;
use super::step::{Step, refused_page};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, Route, public};
use http::{Method, StatusCode};
use portcullis_api::code::Code;
use portcullis_api::mfa::LoginEnrollment;
use portcullis_app::AppError;
use portcullis_app::mfa::MfaError;
use portcullis_app::oidc::{self, LoginStepError};
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::pages::Refusal;
use serde::Serialize;

/// The code of a refused TOTP code here; elsewhere it is `MFA_INVALID_TOKEN`.
const INVALID_CODE: &str = "INVALID TOTP CODE";

/// An enrollment that was removed.
#[derive(Serialize)]
struct Removed {}

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<StepBody, _, _>(Method::POST, endpoint::TOTP, pass).producing("text/html"),
        public::<StepBody, _, _>(Method::POST, endpoint::TOTP_ENROLLMENT, enroll)
            .producing("text/html"),
        public::<StepBody, _, _>(Method::DELETE, endpoint::TOTP_ENROLLMENT, abandon),
        public::<StepBody, _, _>(Method::POST, endpoint::TOTP_VERIFICATION, verify)
            .producing("text/html"),
    ]
}

async fn pass(call: Call<(), StepBody>) -> Result<ApiResponse, ApiError> {
    let step = match find_for_change(&call)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let code = Step::code(&call.body)?.unwrap_or_default();
    let app = &call.context.state.app;
    match oidc::pass_totp(app, &step.id, &code, &step.client()).await {
        Ok(progress) => Ok(step.advanced(progress)),
        Err(error) if !step.is_page && is_wrong(&error) => {
            let message = "an invalid TOTP code was supplied";
            Ok(reply::login_error(
                StatusCode::BAD_REQUEST,
                INVALID_CODE,
                message,
            ))
        },
        Err(error) => step.failed(error, |refusal| {
            let page = step.pages().totp(Some(refusal));
            Some(refused_page(refusal, page))
        }),
    }
}

/// Whether a step failed because of its code, or because no code could be right.
fn is_wrong(error: &LoginStepError) -> bool {
    matches!(
        error,
        LoginStepError::Order(_)
            | LoginStepError::Failed(AppError::Mfa(MfaError::WrongCode | MfaError::NotEnrolled))
    )
}

async fn enroll(call: Call<(), StepBody>) -> Result<ApiResponse, ApiError> {
    let step = match find_for_change(&call)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let (app, client) = (&call.context.state.app, step.client());
    // Browsers cannot send `DELETE` from a form.
    if step.is_page && call.body.text("restart")?.is_some() {
        match oidc::abandon_totp(app, &step.id, None, &client).await {
            Ok(()) | Err(LoginStepError::Failed(AppError::Mfa(MfaError::NotFound))) => {},
            Err(error) => return step.failed(error, |_refusal| None),
        }
    }
    let enrolled = oidc::enroll_totp(app, &step.id, &client).await;
    let enrolled = match enrolled {
        // A person who loads the page again goes on where they were.
        Err(LoginStepError::Failed(AppError::Mfa(MfaError::Exists))) if step.is_page => {
            oidc::read_totp(app, &step.id, &client).await
        },
        enrolled => enrolled,
    };
    match enrolled {
        Ok(enrollment) if step.is_page => step
            .enrollment_page(&enrollment, None)
            .ok_or_else(|| ApiError::new(Code::Unhandled)),
        Ok(enrollment) => {
            let detail = LoginEnrollment::from(enrollment.view);
            Ok(ApiResponse::bare_json(StatusCode::CREATED, &detail))
        },
        Err(error) => step.failed(error, |_refusal| None),
    }
}

async fn abandon(call: Call<(), StepBody>) -> Result<ApiResponse, ApiError> {
    let step = match find_for_change(&call)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let code = match Step::code(&call.body)? {
        Some(code) => Some(code),
        None => call.context.query.get("code").map(Into::into),
    };
    let app = &call.context.state.app;
    match oidc::abandon_totp(app, &step.id, code.as_ref(), &step.client()).await {
        Ok(()) => Ok(ApiResponse::bare_json(StatusCode::OK, &Removed {})),
        Err(error) => step.failed(error, |_refusal| None),
    }
}

async fn verify(call: Call<(), StepBody>) -> Result<ApiResponse, ApiError> {
    let step = match find_for_change(&call)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let code = Step::code(&call.body)?.unwrap_or_default();
    let (app, client) = (&call.context.state.app, step.client());
    let error = match oidc::verify_totp(app, &step.id, &code, &client).await {
        Ok(progress) => return Ok(step.advanced(progress)),
        Err(error) => error,
    };
    if !step.is_page {
        return step.failed(error, |_refusal| None);
    }
    let enrollment = oidc::read_totp(app, &step.id, &client).await.ok();
    step.failed(error, |refusal: Refusal| {
        step.enrollment_page(&enrollment?, Some(refusal))
    })
}
