//! Login.

use crate::challenge;
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, Json, Parameter, RequestContext, ResponseSpec, Route, ValueType, public};
use crate::session::{self, ZT_SESSION};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::authenticate::Authenticate;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::audit::{self, RefusalEvent};
use portcullis_app::sessions::{self, LoginError, LoginRequest, NewSession};
use portcullis_app::{AppError, TooManyRequestsError};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use secrecy::ExposeSecret as _;

const EXPIRES_AT: HeaderName = HeaderName::from_static("expires-at");
const EXPIRATION_SECONDS: HeaderName = HeaderName::from_static("expiration-seconds");
const EXTEND_REQUESTED: HeaderName = HeaderName::from_static("ziti-authenticator-extend-requested");

/// Longest body of a login, bytes: credentials, and information about the client.
const MAX_BODY_BYTES: usize = 32 * 1024;

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Json<Authenticate>, _, _>(Method::POST, "/authenticate", authenticate)
            .responds(ResponseSpec::detail::<ApiSessionDetail>())
            .with_parameters(&[METHOD])
            .with_refusals(&[
                StatusCode::UNAUTHORIZED,
                StatusCode::TOO_MANY_REQUESTS,
                StatusCode::SERVICE_UNAVAILABLE,
            ])
            .with_body_limit(MAX_BODY_BYTES),
    ]
}

const METHOD: Parameter = Parameter::query(
    "method",
    "How to log in: with the username and password in the body, with the client certificate of \
     the connection, or with the token of an external signer under `Authorization`.",
)
.with_type(ValueType::OneOf(&["password", "cert", "ext-jwt"]))
.required();

enum LoginMethod {
    Password,
    Certificate,
    ExternalJwt,
}

async fn authenticate(call: Call<(), Json<Authenticate>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let RequestContext { state, origin, .. } = &call.context;
    let login_method = login_method(&call.context)?;
    let login = LoginRequest {
        config_types: body.config_types,
        env_info: body.env_info,
        sdk_info: body.sdk_info,
        tokens: session::bearer_tokens(&call.context.headers),
        oidc: None,
    };
    let method = call.context.query.get("method");
    let refused = |error: &LoginError, username| {
        audit_refusal(&call.context, error, method, username);
    };
    let session = match login_method {
        LoginMethod::Password => {
            let missing =
                |text| ApiError::new(Code::CouldNotValidate).with_cause(Cause::text(text));
            let (username, password) = match (body.username, body.password) {
                (Some(username), Some(password)) => (username, password),
                (None, Some(_)) => return Err(missing("username is required")),
                (Some(_), None) => return Err(missing("password is required")),
                (None, None) => return Err(missing("username and password are required")),
            };
            sessions::with_password(&state.app, origin, &username, password, login)
                .await
                .inspect_err(|error| refused(error, Some(&username)))
        },
        LoginMethod::Certificate => {
            let chain = call.context.connection.certificates();
            sessions::with_certificate(&state.app, origin, &chain, login)
                .await
                .inspect_err(|error| refused(error, None))
        },
        LoginMethod::ExternalJwt => sessions::with_token(&state.app, origin, login)
            .await
            .inspect_err(|error| refused(error, None)),
    };
    Ok(session_response(session?))
}

/// Writes an audit record if the error means that the login was refused.
pub(super) fn audit_refusal(
    context: &RequestContext,
    error: &LoginError,
    method: Option<&str>,
    username: Option<&str>,
) {
    let reason = match error {
        LoginError::Refused(reason) => reason.as_ref(),
        LoginError::NoToken(_) => "no acceptable token",
        LoginError::Failed(AppError::Overloaded(TooManyRequestsError::WrongPasswords(_))) => {
            "too many wrong passwords"
        },
        LoginError::Failed(_) => return,
    };
    let refusal = RefusalEvent {
        operation: "login.refused",
        origin: &context.origin,
        caller: None,
        login_method: method,
        name: username,
        request: None,
        reason,
    };
    audit::record_refusal(&context.state.app, &refusal);
}

fn login_method(context: &RequestContext) -> Result<LoginMethod, ApiError> {
    match context.query.get("method") {
        Some("password") => Ok(LoginMethod::Password),
        Some("cert") => Ok(LoginMethod::Certificate),
        Some("ext-jwt") => Ok(LoginMethod::ExternalJwt),
        given => {
            let reason = "must be one of password, cert, ext-jwt";
            Err(ApiError::field(FieldError::new(
                "method",
                reason,
                given.unwrap_or_default(),
            )))
        },
    }
}

fn session_response(session: NewSession) -> ApiResponse {
    let token = HeaderValue::try_from(session.token.expose_secret());
    // Clients know only this header: a second one requests another key.
    let requests = session
        .view
        .extension
        .map_or(0, |request| 1 + usize::from(request.roll_key));
    let detail = ApiSessionDetail::for_holder(session.view, session.token);
    let mut response = ApiResponse::detail(&detail);
    let challenge = session.challenge.as_ref();
    if let Some(value) =
        challenge.and_then(|given| challenge::external_signer(challenge::SECONDARY_REALM, given))
    {
        response = response.with_header(header::WWW_AUTHENTICATE, value);
    }
    for _ in 0..requests {
        response = response.with_header(EXTEND_REQUESTED, HeaderValue::from_static("true"));
    }
    if let Ok(mut token) = token {
        token.set_sensitive(true);
        response = response.with_header(ZT_SESSION, token);
    }
    if let (Some(at), Some(seconds)) = (detail.expires_at, detail.expiration_seconds) {
        if let Ok(at) = HeaderValue::try_from(format_instant(at.into())) {
            response = response.with_header(EXPIRES_AT, at);
        }
        response = response.with_header(EXPIRATION_SECONDS, HeaderValue::from(seconds));
    }
    response
}

/// Formats an instant as clients expect it in this header: `2026-03-04 05:06:07.8 +0000 UTC`.
fn format_instant(instant: Timestamp) -> String {
    let text = instant.to_string().replace('T', " ");
    format!("{} +0000 UTC", text.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instant_has_no_more_digits_than_it_needs() {
        for (instant, words) in [
            ("2026-03-04T05:06:07.8Z", "2026-03-04 05:06:07.8 +0000 UTC"),
            ("2026-03-04T05:06:07Z", "2026-03-04 05:06:07 +0000 UTC"),
        ] {
            assert_eq!(format_instant(instant.parse().unwrap()), words);
        }
    }
}
