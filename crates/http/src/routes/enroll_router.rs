//! Certificates of routers.

use super::enroll;
use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, RequestContext, ResponseSpec, Route, public};
use http::Method;
use portcullis_api::enroll::{
    EnrollmentResult, ErOttEnrollmentRequest, RouterExtendEnrollmentRequest,
};
use portcullis_app::enrollments::{Redemption, RedemptionProof};
use portcullis_app::routers::{self, RouterCertificates, RouterCsrs};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Json<ErOttEnrollmentRequest>, _, _>(Method::POST, "/enroll/erott", enroll_erott),
        public::<Json<RouterExtendEnrollmentRequest>, _, _>(
            Method::POST,
            "/enroll/extend/router",
            extend,
        ),
    ]
    .into_iter()
    .map(|route| {
        route
            .responds(ResponseSpec::detail::<EnrollmentResult>())
            .only(&[Api::Client])
    })
    .collect()
}

async fn enroll_erott(
    call: Call<(), Json<ErOttEnrollmentRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let redemption = Redemption {
        token: body.token.unwrap_or_default(),
        method: Some("erott".to_owned()),
        proof: RedemptionProof {
            router: RouterCsrs {
                client_csr: body.client_csr.unwrap_or_default(),
                server_csr: body.server_csr.unwrap_or_default(),
            },
            ..RedemptionProof::default()
        },
    };
    enroll::redeem(&call.context, redemption).await
}

async fn extend(
    call: Call<(), Json<RouterExtendEnrollmentRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let RequestContext {
        state,
        connection,
        origin,
        ..
    } = &call.context;
    let proof = RouterCsrs {
        client_csr: body.cert_csr,
        server_csr: body.server_cert_csr,
    };
    let issued = routers::extend(&state.app, origin, &connection.certificates(), proof).await?;
    Ok(ApiResponse::detail(&result(issued)))
}

/// The wire form of the certificates.
pub(super) fn result(issued: RouterCertificates) -> EnrollmentResult {
    EnrollmentResult {
        cert: Some(issued.client),
        server_cert: Some(issued.server),
        ..EnrollmentResult::default()
    }
}
