//! Redemption of enrollments.

use super::{controllers, enroll_router, enroll_token};
use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
#[cfg(feature = "describe")]
use crate::route::BodySpec;
use crate::route::{
    Call, Json, Parameter, Payload, RequestContext, ResponseSpec, Route, ValueType, public,
};
use bytes::Bytes;
use http::Method;
use portcullis_api::decode::{Decode as _, DecodeError};
#[cfg(feature = "describe")]
use portcullis_api::describe::RequestDecoder;
use portcullis_api::enroll::{EnrollmentResult, GenericEnroll, OttEnrollmentRequest};
use portcullis_app::enrollments::{
    self, AutomaticEnrollment, Redemption, RedemptionProof, RedemptionResult, RouterCsrs,
};
use portcullis_domain::FieldError;
use secrecy::SecretString;

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<EnrollPayload, _, _>(Method::POST, "/enroll", enroll)
            .with_parameters(&[METHOD, TOKEN]),
        public::<Json<OttEnrollmentRequest>, _, _>(Method::POST, "/enroll/ott", enroll_ott),
        public::<Json<OttEnrollmentRequest>, _, _>(Method::POST, "/enroll/ottca", enroll_ottca),
        public::<Json<GenericEnroll>, _, _>(Method::POST, "/enroll/updb", enroll_updb)
            .with_parameters(&[UPDB_TOKEN]),
        public::<EnrollPayload, _, _>(Method::POST, "/enroll/ca", enroll_ca),
    ]
    .into_iter()
    .map(|route| {
        route
            .responds(ResponseSpec::detail::<EnrollmentResult>())
            .only(&[Api::Client])
    })
    .collect()
}

const TOKEN: Parameter = Parameter::query(
    "token",
    "The token of the enrollment; methods `ca` and `token` need none.",
);

const UPDB_TOKEN: Parameter = Parameter::query("token", "The token of the enrollment.").required();

const METHOD: Parameter = Parameter::query(
    "method",
    "The method of the enrollment. Without it, the token decides.",
)
.with_type(ValueType::OneOf(&[
    "ott", "ottca", "updb", "erott", "ca", "token",
]));

/// The payload of an enrollment: JSON, or a certificate request as text.
#[derive(Debug)]
struct EnrollPayload(GenericEnroll);

impl Payload for EnrollPayload {
    const CONSUMES: Consumes = Consumes::Enrollment;

    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        BodySpec::JsonOrText(RequestDecoder::new::<GenericEnroll>())
    }

    fn decode(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        if content_type.is_some_and(|given| given != "application/json") {
            return Ok(Self(GenericEnroll {
                client_csr: Some(String::from_utf8_lossy(bytes).into_owned()),
                ..GenericEnroll::default()
            }));
        }
        GenericEnroll::from_body(bytes).map(Self)
    }
}

/// A request to redeem an enrollment, whatever its path.
struct EnrollRequest<'m> {
    token: SecretString,
    method: Option<&'m str>,
    body: GenericEnroll,
}

async fn enroll(call: Call<(), EnrollPayload>) -> Result<ApiResponse, ApiError> {
    let query = &call.context.query;
    let method = query.get("method");
    if method == Some(METHOD_CA) {
        return enroll_ca(call).await;
    }
    if method == Some(METHOD_TOKEN) {
        let EnrollPayload(body) = call.body;
        return enroll_token::enroll(&call.context, body.client_csr).await;
    }
    let token = SecretString::from(query.get("token").unwrap_or_default());
    let EnrollPayload(body) = call.body;
    let request = EnrollRequest {
        token,
        method,
        body,
    };
    redeem_request(&call.context, request).await
}

async fn enroll_ott(call: Call<(), Json<OttEnrollmentRequest>>) -> Result<ApiResponse, ApiError> {
    with_token(&call.context, "ott", call.body.0).await
}

async fn enroll_ottca(call: Call<(), Json<OttEnrollmentRequest>>) -> Result<ApiResponse, ApiError> {
    with_token(&call.context, "ottca", call.body.0).await
}

/// Redeems the token in the body.
async fn with_token(
    context: &RequestContext,
    method: &'static str,
    body: OttEnrollmentRequest,
) -> Result<ApiResponse, ApiError> {
    let request = EnrollRequest {
        token: body.token.unwrap_or_default(),
        method: Some(method),
        body: GenericEnroll {
            client_csr: body.client_csr,
            ..GenericEnroll::default()
        },
    };
    redeem_request(context, request).await
}

async fn enroll_updb(call: Call<(), Json<GenericEnroll>>) -> Result<ApiResponse, ApiError> {
    let Some(token) = call.context.query.get("token") else {
        let missing = FieldError::new("token", "is required in the query", "[]");
        return Err(ApiError::field(missing));
    };
    let request = EnrollRequest {
        token: token.into(),
        method: Some("updb"),
        body: GenericEnroll {
            client_csr: None,
            ..call.body.0
        },
    };
    redeem_request(&call.context, request).await
}

/// The method that needs no token.
const METHOD_CA: &str = "ca";

/// The method that needs a token of an external signer.
const METHOD_TOKEN: &str = "token";

async fn enroll_ca(call: Call<(), EnrollPayload>) -> Result<ApiResponse, ApiError> {
    let RequestContext {
        state,
        connection,
        origin,
        ..
    } = &call.context;
    let newcomer = AutomaticEnrollment {
        certificates: &connection.certificates(),
        requested_name: call.body.0.name,
    };
    enrollments::enroll_automatically(&state.app, origin, newcomer).await?;
    Ok(ApiResponse::detail(&EnrollmentResult::default()))
}

async fn redeem_request(
    context: &RequestContext,
    request: EnrollRequest<'_>,
) -> Result<ApiResponse, ApiError> {
    let GenericEnroll {
        client_csr,
        cert_csr,
        server_cert_csr,
        password,
        ..
    } = request.body;
    let redemption = Redemption {
        token: request.token,
        method: request.method.map(str::to_owned),
        proof: RedemptionProof {
            csr: client_csr.unwrap_or_default(),
            certificates: &context.connection.certificates(),
            password,
            router: RouterCsrs {
                client_csr: cert_csr.unwrap_or_default(),
                server_csr: server_cert_csr.unwrap_or_default(),
            },
        },
    };
    redeem(context, redemption).await
}

/// Redeems an enrollment and builds the response.
pub(super) async fn redeem(
    context: &RequestContext,
    redemption: Redemption<'_>,
) -> Result<ApiResponse, ApiError> {
    let app = &context.state.app;
    // Only clients that name the method expect the controllers in the response.
    let has_method = redemption.method.is_some();
    let redeemed = enrollments::redeem(app, &context.origin, redemption).await?;
    let mut result = EnrollmentResult {
        controllers: has_method.then(|| vec![controllers::detail(&context.state).for_clients()]),
        ..EnrollmentResult::default()
    };
    match redeemed {
        RedemptionResult::Certificate(chain) => result.cert = Some(chain),
        RedemptionResult::Username(username) => result.username = Some(username),
        RedemptionResult::Router(issued) => {
            result = EnrollmentResult {
                ca: Some(app.network().bundle_pem().to_owned()),
                ..enroll_router::result(issued)
            };
        },
        RedemptionResult::Nothing => {},
    }
    Ok(ApiResponse::detail(&result))
}
