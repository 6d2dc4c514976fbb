//! Becoming an identity by a token of an external signer.

use super::controllers;
use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Context, Json, Parameter, Route, open};
use crate::session;
use http::{HeaderName, Method};
use portcullis_api::enroll::{Enroll, EnrollmentResult};
use portcullis_app::AppError;
use portcullis_app::enrollments::{self, TokenEnrollment};
use portcullis_domain::FieldError;
use portcullis_domain::ids::SignerId;

/// Names the signer whose token it is.
const ISSUER_ID: HeaderName = HeaderName::from_static("ziti-token-issuer-id");

/// The token.
const AUTHORIZATION: Parameter = Parameter::header(
    "Authorization",
    "`Bearer` and the token of an external signer that allows enrollment by its tokens.",
)
.required();

/// The signer.
const ISSUER: Parameter = Parameter::header(
    "ziti-token-issuer-id",
    "Id of the signer whose token it is. If it is not said, the issuer that the token names decides.",
);

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Json<Enroll>, _, _>(Method::POST, "/enroll/token", enroll_token)
            .answers(Answers::detail::<EnrollmentResult>())
            .asks(&[AUTHORIZATION, ISSUER])
            .only(&[Api::Client]),
    ]
}

async fn enroll_token(call: Call<(), Json<Enroll>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    if !call
        .context
        .headers
        .contains_key(http::header::AUTHORIZATION)
    {
        let reason = "is required in the header: send a bearer token";
        return Err(ApiError::field(FieldError::new(
            "Authorization",
            reason,
            "",
        )));
    }
    enroll(&call.context, body.client_csr).await
}

/// Enrolls with the token in the header, and for a certificate if one is requested.
pub(super) async fn enroll(context: &Context, csr: Option<String>) -> Result<Answer, ApiError> {
    let token = session::first_bearer(&context.headers).ok_or(AppError::UnknownToken)?;
    let named = context.headers.get(ISSUER_ID);
    let named = named.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let enrollment = TokenEnrollment {
        token,
        signer: named.filter(|id| !id.is_empty()).map(SignerId::from_wire),
        csr: csr.filter(|csr| !csr.is_empty()),
    };
    let app = &context.state.app;
    let enrolled = enrollments::with_token(app, &context.origin, enrollment).await?;
    let has_certificate = enrolled.certificate.is_some();
    Ok(Answer::detail(&EnrollmentResult {
        controllers: Some(vec![controllers::detail(&context.state).for_clients()]),
        ca: has_certificate.then(|| app.network().bundle_pem().to_owned()),
        cert: enrolled.certificate,
        ..EnrollmentResult::default()
    }))
}
