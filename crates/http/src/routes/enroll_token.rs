//! Enrollment by a token of an external signer.

use super::controllers;
use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, Parameter, RequestContext, ResponseSpec, Route, public};
use crate::session;
use http::{HeaderName, Method};
use portcullis_api::enroll::{EnrollmentResult, GenericEnroll};
use portcullis_app::EnrollmentError;
use portcullis_app::enrollments::{self, TokenEnrollment};
use portcullis_domain::FieldError;
use portcullis_domain::ids::SignerId;

/// Id of the signer that issued the token.
const ISSUER_ID: HeaderName = HeaderName::from_static("ziti-token-issuer-id");

const AUTHORIZATION: Parameter = Parameter::header(
    "Authorization",
    "`Bearer` and the token of an external signer that allows enrollment by token.",
)
.required();

const ISSUER: Parameter = Parameter::header(
    "ziti-token-issuer-id",
    "Id of the signer that issued the token. Without it, the token's issuer decides.",
);

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Json<GenericEnroll>, _, _>(Method::POST, "/enroll/token", enroll_token)
            .responds(ResponseSpec::detail::<EnrollmentResult>())
            .with_parameters(&[AUTHORIZATION, ISSUER])
            .only(&[Api::Client]),
    ]
}

async fn enroll_token(call: Call<(), Json<GenericEnroll>>) -> Result<ApiResponse, ApiError> {
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

/// Enrolls with the token in the header, and issues a certificate if one is requested.
pub(super) async fn enroll(
    context: &RequestContext,
    csr: Option<String>,
) -> Result<ApiResponse, ApiError> {
    let token = session::first_bearer(&context.headers).ok_or(EnrollmentError::UnknownToken)?;
    let signer = context.headers.get(ISSUER_ID);
    let signer = signer.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let enrollment = TokenEnrollment {
        token,
        signer: signer.filter(|id| !id.is_empty()).map(SignerId::from_wire),
        csr: csr.filter(|csr| !csr.is_empty()),
    };
    let app = &context.state.app;
    let enrolled = enrollments::with_token(app, &context.origin, enrollment).await?;
    let has_certificate = enrolled.certificate.is_some();
    Ok(ApiResponse::detail(&EnrollmentResult {
        controllers: Some(vec![controllers::detail(&context.state).for_clients()]),
        ca: has_certificate.then(|| app.network().bundle_pem().to_owned()),
        cert: enrolled.certificate,
        ..EnrollmentResult::default()
    }))
}
