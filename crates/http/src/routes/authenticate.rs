//! Login.

use crate::answer::Answer;
use crate::challenge;
use crate::error::ApiError;
use crate::route::{Answers, Call, Context, Json, Parameter, Route, Values, open};
use crate::session::{self, ZT_SESSION};
use http::{HeaderName, HeaderValue, Method, header};
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::authenticate::Authenticate;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::AppError;
use portcullis_app::audit::{self, Refusal};
use portcullis_app::sessions::{self, Login, LoginError, NewSession};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use secrecy::ExposeSecret as _;

const EXPIRES_AT: HeaderName = HeaderName::from_static("expires-at");
const EXPIRATION_SECONDS: HeaderName = HeaderName::from_static("expiration-seconds");
const EXTEND_REQUESTED: HeaderName = HeaderName::from_static("ziti-authenticator-extend-requested");

/// The longest body of a login, bytes: credentials, and what a client says of itself.
const CAP: usize = 32 * 1024;

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Json<Authenticate>, _, _>(Method::POST, "/authenticate", authenticate)
            .answers(Answers::detail::<ApiSessionDetail>())
            .asks(&[METHOD])
            .at_most(CAP),
    ]
}

/// How to log in.
const METHOD: Parameter = Parameter::query(
    "method",
    "How to log in: with the username and password in the body, with the client certificate of \
     the connection, or with the token of an external signer under `Authorization`.",
)
.with(Values::OneOf(&["password", "cert", "ext-jwt"]))
.required();

/// The ways to log in.
enum Means {
    Password,
    Certificate,
    ExternalJwt,
}

async fn authenticate(call: Call<(), Json<Authenticate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let Context { state, origin, .. } = &call.context;
    let means = means(&call.context)?;
    let login = Login {
        config_types: body.config_types,
        env_info: body.env_info,
        sdk_info: body.sdk_info,
        tokens: session::bearer_tokens(&call.context.headers),
    };
    let session = match means {
        Means::Password => {
            let missing = |text| ApiError::new(Code::CouldNotValidate).because(Cause::text(text));
            let (username, password) = match (body.username, body.password) {
                (Some(username), Some(password)) => (username, password),
                (None, Some(_)) => return Err(missing("username is required")),
                (Some(_), None) => return Err(missing("password is required")),
                (None, None) => return Err(missing("username and password are required")),
            };
            sessions::with_password(&state.app, origin, &username, password, login)
                .await
                .inspect_err(|error| refused(&call.context, error, Some(&username)))
        },
        Means::Certificate => {
            let chain = call.context.connection.certificates();
            sessions::with_certificate(&state.app, origin, &chain, login)
                .await
                .inspect_err(|error| refused(&call.context, error, None))
        },
        Means::ExternalJwt => sessions::with_token(&state.app, origin, login)
            .await
            .inspect_err(|error| refused(&call.context, error, None)),
    };
    Ok(welcome(session?))
}

/// Has the audit trail say that nobody was let in, if that is what the error means.
fn refused(context: &Context, error: &LoginError, username: Option<&str>) {
    let reason = match error {
        LoginError::Refused(reason) => reason,
        LoginError::NoToken(_) => "no token lets anybody in",
        LoginError::Failed(AppError::PasswordsThrottled(_)) => "too many wrong passwords",
        LoginError::Failed(_) => return,
    };
    let refusal = Refusal {
        operation: "login.refused",
        origin: &context.origin,
        caller: None,
        way: context.query.get("method"),
        name: username,
        request: None,
        reason,
    };
    audit::refused(&context.state.app, &refusal);
}

fn means(context: &Context) -> Result<Means, ApiError> {
    match context.query.get("method") {
        Some("password") => Ok(Means::Password),
        Some("cert") => Ok(Means::Certificate),
        Some("ext-jwt") => Ok(Means::ExternalJwt),
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

fn welcome(session: NewSession) -> Answer {
    let token = HeaderValue::try_from(session.token.expose_secret());
    // Clients know but this one header: a second one asks for another key.
    let requests = session
        .view
        .extension
        .map_or(0, |request| 1 + usize::from(request.roll_key));
    let detail = ApiSessionDetail::for_holder(session.view, session.token);
    let mut answer = Answer::detail(&detail);
    let asked = session.demand.as_ref();
    if let Some(value) = asked.and_then(|asked| challenge::external(challenge::SECONDARY, asked)) {
        answer = answer.with(header::WWW_AUTHENTICATE, value);
    }
    for _ in 0..requests {
        answer = answer.with(EXTEND_REQUESTED, HeaderValue::from_static("true"));
    }
    if let Ok(mut token) = token {
        token.set_sensitive(true);
        answer = answer.with(ZT_SESSION, token);
    }
    if let (Some(at), Some(seconds)) = (detail.expires_at, detail.expiration_seconds) {
        if let Ok(at) = HeaderValue::try_from(in_words(at.into())) {
            answer = answer.with(EXPIRES_AT, at);
        }
        answer = answer.with(EXPIRATION_SECONDS, HeaderValue::from(seconds));
    }
    answer
}

/// An instant in the form that this header has always had: `2026-03-04 05:06:07.8 +0000 UTC`.
fn in_words(instant: Timestamp) -> String {
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
            assert_eq!(in_words(instant.parse().unwrap()), words);
        }
    }
}
