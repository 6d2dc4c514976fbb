//! The first factor of a login.

use super::body::StepBody;
use super::reply;
use super::step::{Refused, Step, refused_page};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, Route, public};
use crate::routes::authenticate::audit_refusal;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use portcullis_api::authenticate::{Authenticate, PASSWORD_LENGTH, USERNAME_LENGTH};
use portcullis_app::oidc::{self, LoginDetails, LoginProgress, LoginStepError, PrimaryCredential};
use portcullis_app::sessions::LoginError;
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::method::LoginMethod;
use portcullis_oidc::pages::{FailedAttempt, Refusal};
use secrecy::ExposeSecret as _;

const AUTH_REQUEST_ID: HeaderName = HeaderName::from_static("auth-request-id");

/// Another name of the password's endpoint, by which its page goes.
const USERNAME: &str = "/login/username";

/// Longest body of a first factor, in bytes: credentials, information about the client, and a
/// certificate request.
const MAX_BODY_BYTES: usize = 32 * 1024;

pub(super) fn routes() -> Vec<Route> {
    let page = |path, method: LoginMethod| {
        let show = move |call| std::future::ready(show(&call, method));
        public::<NoBody, _, _>(Method::GET, path, show).ignoring_accept()
    };
    let submission = |path, method: LoginMethod| {
        let submit = move |call| submit(call, method);
        public::<StepBody, _, _>(Method::POST, path, submit)
            .producing("text/html")
            .with_body_limit(MAX_BODY_BYTES)
    };
    vec![
        page(USERNAME, LoginMethod::Password),
        page(endpoint::PASSWORD, LoginMethod::Password),
        page(endpoint::CERTIFICATE, LoginMethod::Certificate),
        page(endpoint::EXTERNAL_JWT, LoginMethod::ExternalJwt),
        submission(USERNAME, LoginMethod::Password),
        submission(endpoint::PASSWORD, LoginMethod::Password),
        submission(endpoint::CERTIFICATE, LoginMethod::Certificate),
        submission(endpoint::EXTERNAL_JWT, LoginMethod::ExternalJwt),
        public::<NoBody, _, _>(Method::GET, endpoint::AUTH_QUERIES, auth_queries),
    ]
}

/// The page on which a person logs in; programs learn the id of the login request.
fn show(call: &Call<(), NoBody>, method: LoginMethod) -> Result<ApiResponse, ApiError> {
    let step = match Step::find(&call.context, None)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let response = match (step.is_page, method) {
        (true, _) => page_of_login(&step, method)?,
        (false, LoginMethod::Password) => reply::page(StatusCode::OK, step.pages().password(None)),
        (false, LoginMethod::Certificate | LoginMethod::ExternalJwt) => {
            let text = format!("POST to this address to log in by {}.\n", method.name());
            ApiResponse::raw("text/plain; charset=utf-8", text)
        },
    };
    Ok(match HeaderValue::try_from(step.id.as_str()) {
        Ok(id) => response.with_header(AUTH_REQUEST_ID, id),
        Err(_invalid) => response,
    })
}

/// The page that a login is at, for whoever loads it again.
fn page_of_login(step: &Step<'_>, method: LoginMethod) -> Result<ApiResponse, ApiError> {
    match oidc::progress(&step.context.state.app, &step.id, step.presenter()) {
        Ok(LoginProgress::Begun) => {
            let pages = step.pages();
            let page = match method {
                LoginMethod::Password => pages.password(None),
                LoginMethod::Certificate => pages.certificate(None),
                LoginMethod::ExternalJwt => pages.external_token(),
            };
            Ok(reply::page(StatusCode::OK, page))
        },
        Ok(progress) => Ok(step.advanced(progress)),
        Err(error) => step.failed(error, |_refusal| None),
    }
}

async fn submit(call: Call<(), StepBody>, method: LoginMethod) -> Result<ApiResponse, ApiError> {
    let (context, body) = (&call.context, &call.body);
    let step = match find_for_change(&call)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    let credential = match method {
        LoginMethod::Certificate => {
            if let Err(refused) = step.check_own_origin() {
                return Ok(*refused);
            }
            PrimaryCredential::Certificate
        },
        LoginMethod::ExternalJwt => PrimaryCredential::ExternalJwt,
        LoginMethod::Password => {
            let Some(credential) = password(body)? else {
                let error = LoginError::Refused("it has no username or password".into());
                return refuse(&step, body, method, error.into());
            };
            credential
        },
    };
    let Authenticate {
        config_types,
        env_info,
        sdk_info,
        ..
    } = body.authenticate()?;
    let details = LoginDetails {
        config_types,
        env_info,
        sdk_info,
        csr: body.text("csrPem")?.map(str::to_owned),
    };
    let app = &context.state.app;
    match oidc::authenticate(app, &step.id, credential, details, &step.client()).await {
        Ok(progress) => Ok(step.advanced(progress)),
        Err(error) => refuse(&step, body, method, error),
    }
}

/// The login of a request that changes it.
pub(super) fn find_for_change(
    call: &Call<(), StepBody>,
) -> Result<Result<Step<'_>, Refused>, ApiError> {
    Ok(Step::find(&call.context, Some(&call.body))?
        .and_then(|step| step.check_origin().map(|()| step)))
}

/// The username and password of a body; `None` if they are missing, or too short or too long to be
/// anybody's.
fn password(body: &StepBody) -> Result<Option<PrimaryCredential>, ApiError> {
    let (username, password) = (body.text("username")?, body.secret("password")?);
    let (Some(username), Some(password)) = (username, password) else {
        return Ok(None);
    };
    let fits = USERNAME_LENGTH.contains(&username.chars().count())
        && PASSWORD_LENGTH.contains(&password.expose_secret().chars().count());
    Ok(fits.then(|| PrimaryCredential::Password {
        username: username.to_owned(),
        password,
    }))
}

fn refuse(
    step: &Step<'_>,
    body: &StepBody,
    method: LoginMethod,
    error: LoginStepError,
) -> Result<ApiResponse, ApiError> {
    let username = body.text("username")?.unwrap_or_default();
    if let LoginStepError::Credential(error) = &error {
        let name = (method == LoginMethod::Password).then_some(username);
        audit_refusal(step.context, error, Some(method.name()), name);
    }
    step.failed(error, |refusal: Refusal| {
        let page = match method {
            LoginMethod::Password => step
                .pages()
                .password(Some(FailedAttempt { username, refusal })),
            LoginMethod::Certificate => step.pages().certificate(Some(refusal)),
            LoginMethod::ExternalJwt => return None,
        };
        Some(refused_page(refusal, page))
    })
}

async fn auth_queries(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let step = match Step::find(&call.context, None)? {
        Ok(step) => step,
        Err(refused) => return Ok(*refused),
    };
    match oidc::progress(&step.context.state.app, &step.id, step.presenter()) {
        Ok(LoginProgress::Complete) => Ok(step.advanced(LoginProgress::Begun)),
        Ok(progress) => Ok(step.advanced(progress)),
        Err(error) => step.failed(error, |_refusal| None),
    }
}
