//! What the steps of a login have in common: who takes them, and how they are answered.

use super::body::StepBody;
use super::{browser, reply};
use crate::challenge;
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::RequestContext;
use crate::session;
use http::{HeaderName, HeaderValue, StatusCode, header};
use portcullis_api::api_session::AuthQuery;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::oidc::{self, LoginClient, LoginProgress, LoginStepError, TotpEnrollment};
use portcullis_app::sessions::LoginError;
use portcullis_app::signers::BearerTokens;
use portcullis_domain::view::OpenFactorView;
use portcullis_oidc::authorization::AuthorizationRequest;
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::login::Presenter;
use portcullis_oidc::pages::{self, LoginPages, Page, Problem, Refusal};
use portcullis_oidc::redirect::RedirectUri;
use secrecy::SecretString;
use serde::Serialize;

const TOTP_REQUIRED: HeaderName = HeaderName::from_static("totp-required");

/// Longest id of a login request that is looked up.
const MAX_ID: usize = 40;

/// Factors that a login lacks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthQueries {
    auth_queries: Option<Vec<AuthQuery>>,
}

/// A step of a login.
pub(super) struct Step<'s> {
    pub(super) context: &'s RequestContext,
    pub(super) id: String,
    pub(super) request: AuthorizationRequest,
    issuer: Issuer,
    tokens: BearerTokens<'s>,
    certificates: Vec<&'s [u8]>,
    /// Whether the answer is shown to a person.
    pub(super) is_page: bool,
}

/// The answer to a step that could not be taken.
pub(super) type Refused = Box<ApiResponse>;

impl<'s> Step<'s> {
    /// Finds the login of a request. Its id is in the body or in the query.
    ///
    /// # Errors
    ///
    /// In the inner result, the answer to a request without a login that goes on here.
    pub(super) fn find(
        context: &'s RequestContext,
        body: Option<&StepBody>,
    ) -> Result<Result<Self, Refused>, ApiError> {
        let in_body = body.map(|body| body.text("id")).transpose()?.flatten();
        let in_query = ["authRequestID", "id"];
        let mut in_query = in_query.iter().filter_map(|name| context.query.get(name));
        let id = in_body.or_else(|| in_query.next()).unwrap_or_default();
        let id = if id.len() <= MAX_ID { id } else { "" };
        let issuer = browser::issuer(context)?;
        let is_page = browser::is_page_load(&context.headers);
        let presenter = browser::presenter(&context.headers, id);
        let app = &context.state.app;
        let request = match oidc::authorization_request(app, id, presenter) {
            Ok(request) => request,
            Err(error) => {
                tracing::debug!(%error, "a step of a login is refused");
                return Ok(Err(Box::new(no_login(is_page))));
            },
        };
        Ok(Ok(Self {
            context,
            id: id.to_owned(),
            request,
            issuer,
            tokens: session::bearer_tokens(&context.headers),
            certificates: context.connection.certificates(),
            is_page,
        }))
    }

    /// Checks that a request that changes something comes from a page that may send it.
    pub(super) fn check_origin(&self) -> Result<(), Refused> {
        self.check_origin_but(Some(&self.request.redirect_uri))
    }

    /// Like [`Step::check_origin`], for credentials that browsers send by themselves.
    pub(super) fn check_own_origin(&self) -> Result<(), Refused> {
        self.check_origin_but(None)
    }

    fn check_origin_but(&self, application: Option<&RedirectUri>) -> Result<(), Refused> {
        let headers = &self.context.headers;
        browser::check_origin(headers, &self.issuer, application).map_err(|_error| {
            Box::new(if self.is_page {
                reply::page(StatusCode::FORBIDDEN, pages::problem(Problem::ForeignForm))
            } else {
                let message = "the request comes from the page of another origin";
                reply::login_error(StatusCode::FORBIDDEN, Code::Unauthorized.name(), message)
            })
        })
    }

    pub(super) fn presenter(&self) -> Presenter<'s> {
        browser::presenter(&self.context.headers, &self.id)
    }

    pub(super) fn client(&self) -> LoginClient<'_> {
        LoginClient {
            presenter: self.presenter(),
            origin: &self.context.origin,
            certificates: &self.certificates,
            tokens: self.tokens,
        }
    }

    pub(super) fn pages(&self) -> LoginPages<'_> {
        LoginPages::new(&self.id, &self.request)
    }

    /// The answer to a step that was taken.
    pub(super) fn advanced(&self, progress: LoginProgress) -> ApiResponse {
        match progress {
            LoginProgress::Complete => {
                let callback = self.issuer.endpoint(endpoint::CALLBACK);
                let callback = format!("{callback}?id={}", self.id);
                if self.is_page {
                    reply::page(StatusCode::OK, pages::signed_in(&callback))
                } else {
                    reply::bare_redirect(&callback)
                }
            },
            LoginProgress::Begun => queries(None),
            LoginProgress::Open(factors) if self.is_page => self.next_page(&factors),
            LoginProgress::Open(factors) => queries(Some(&factors)),
        }
    }

    /// The page for what a login lacks.
    fn next_page(&self, factors: &[OpenFactorView]) -> ApiResponse {
        let page = match factors.first() {
            Some(OpenFactorView::Totp { is_enrolled: true }) => self.pages().totp(None),
            Some(OpenFactorView::Totp { is_enrolled: false }) => self.pages().totp_required(),
            Some(OpenFactorView::Token(_)) | None => self.pages().token_required(),
        };
        reply::page(StatusCode::OK, page)
    }

    /// The page of an enrollment that was begun.
    pub(super) fn enrollment_page(
        &self,
        enrollment: &TotpEnrollment,
        refusal: Option<Refusal>,
    ) -> Option<ApiResponse> {
        let setup = enrollment.view.setup.as_ref()?;
        let shown = pages::TotpEnrollment {
            account: &enrollment.account,
            provisioning_url: &setup.provisioning_url,
            qr_code: &enrollment.qr_code,
            recovery_codes: &setup.recovery_codes,
        };
        let page = self.pages().totp_enrollment(&shown, refusal);
        Some(match refusal {
            Some(refusal) => refused_page(refusal, page),
            None => reply::page(StatusCode::OK, page),
        })
    }

    /// The answer to a step that failed. For people, the page of the step is shown again, which
    /// `retry` makes.
    pub(super) fn failed(
        &self,
        error: LoginStepError,
        retry: impl FnOnce(Refusal) -> Option<ApiResponse>,
    ) -> Result<ApiResponse, ApiError> {
        if self.is_page {
            let refusal = match &error {
                LoginStepError::Request(_)
                | LoginStepError::SessionEnded
                | LoginStepError::Order(_) => return Ok(no_login(true)),
                LoginStepError::Credential(LoginError::Failed(error))
                | LoginStepError::Failed(error) => page_refusal(error),
                LoginStepError::Csr => None,
                LoginStepError::Credential(_) => Some(Refusal::Wrong),
            };
            if let Some(page) = refusal.and_then(retry) {
                return Ok(page);
            }
        }
        match error {
            LoginStepError::Request(_)
            | LoginStepError::SessionEnded
            | LoginStepError::Order(_) => Ok(no_login(false)),
            LoginStepError::Credential(LoginError::NoToken(challenge)) => {
                let value = challenge::external_signer(challenge::PRIMARY_REALM, &challenge);
                let response = unauthorized();
                Ok(match value {
                    Some(value) => response.with_header(header::WWW_AUTHENTICATE, value),
                    None => response,
                })
            },
            LoginStepError::Csr => {
                Err(ApiError::new(Code::CouldNotProcessCsr)
                    .with_cause(Cause::text(error.to_string())))
            },
            LoginStepError::Credential(error) => Err(error.into()),
            LoginStepError::Failed(error) => Err(error.into()),
        }
    }

    /// The code of a step, which people may type with blanks around it.
    pub(super) fn code(body: &StepBody) -> Result<Option<SecretString>, ApiError> {
        let code = body.text("code")?.map(str::trim);
        Ok(code.map(SecretString::from))
    }
}

/// What people are told of a failure; `None` if they can do nothing about it.
fn page_refusal(error: &portcullis_app::AppError) -> Option<Refusal> {
    use portcullis_app::mfa::MfaError;
    use portcullis_app::{AppError, TooManyRequestsError};
    match error {
        AppError::Mfa(MfaError::WrongCode) => Some(Refusal::Wrong),
        AppError::Mfa(MfaError::Throttled { retry_after }) => Some(Refusal::Throttled {
            seconds: u64::from(*retry_after),
        }),
        AppError::Overloaded(TooManyRequestsError::WrongPasswords(held)) => {
            Some(Refusal::Throttled {
                seconds: u64::from(held.retry_after),
            })
        },
        AppError::Overloaded(_) | AppError::NotReady | AppError::TimedOut => Some(Refusal::Busy),
        _ => None,
    }
}

/// The page of a step that failed, with when to try again.
pub(super) fn refused_page(refusal: Refusal, page: Page) -> ApiResponse {
    let (status, retry_after) = match refusal {
        Refusal::Wrong => (StatusCode::UNAUTHORIZED, None),
        Refusal::Throttled { seconds } => (StatusCode::TOO_MANY_REQUESTS, Some(seconds)),
        Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, Some(1)),
    };
    let response = reply::page(status, page);
    match retry_after {
        Some(seconds) => response.with_header(header::RETRY_AFTER, HeaderValue::from(seconds)),
        None => response,
    }
}

/// The answer about a login request that is unknown, over, or somebody else's.
fn no_login(is_page: bool) -> ApiResponse {
    if is_page {
        let problem = pages::problem(Problem::LoginRequest);
        reply::page(StatusCode::UNAUTHORIZED, problem)
    } else {
        unauthorized()
    }
}

fn unauthorized() -> ApiResponse {
    let code = Code::Unauthorized;
    reply::login_error(StatusCode::UNAUTHORIZED, code.name(), code.message())
}

/// What a login lacks; `null` if nothing is known of it.
fn queries(factors: Option<&[OpenFactorView]>) -> ApiResponse {
    let is_totp = |factor: &OpenFactorView| matches!(factor, OpenFactorView::Totp { .. });
    let needs_totp = factors.is_some_and(|factors| factors.iter().any(is_totp));
    let body = AuthQueries {
        auth_queries: factors.map(|factors| factors.iter().map(AuthQuery::of_oidc_login).collect()),
    };
    let response = ApiResponse::bare_json(StatusCode::OK, &body);
    if needs_totp {
        response.with_header(TOTP_REQUIRED, HeaderValue::from_static("true"))
    } else {
        response
    }
}
