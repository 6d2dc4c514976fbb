//! Certificates for routers.

use super::enroll;
use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Context, Json, Route, open};
use http::Method;
use portcullis_api::enroll::{EnrollErott, EnrollmentResult, ExtendRouter};
use portcullis_app::enrollments::{Proof, Redemption};
use portcullis_app::routers::{self, RouterCertificates, RouterProof};

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Json<EnrollErott>, _, _>(Method::POST, "/enroll/erott", enroll_erott),
        open::<Json<ExtendRouter>, _, _>(Method::POST, "/enroll/extend/router", extend),
    ]
    .into_iter()
    .map(|route| {
        route
            .answers(Answers::detail::<EnrollmentResult>())
            .only(&[Api::Client])
    })
    .collect()
}

async fn enroll_erott(call: Call<(), Json<EnrollErott>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let redemption = Redemption {
        token: body.token.unwrap_or_default(),
        method: Some("erott".to_owned()),
        proof: Proof {
            router: RouterProof {
                client_csr: body.client_csr.unwrap_or_default(),
                server_csr: body.server_csr.unwrap_or_default(),
            },
            ..Proof::default()
        },
    };
    enroll::redeem(&call.context, redemption).await
}

async fn extend(call: Call<(), Json<ExtendRouter>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let Context {
        state,
        connection,
        origin,
        ..
    } = &call.context;
    let proof = RouterProof {
        client_csr: body.cert_csr,
        server_csr: body.server_cert_csr,
    };
    let issued = routers::extend(&state.app, origin, &connection.certificates(), proof).await?;
    Ok(Answer::detail(&result(issued)))
}

/// The certificates on the wire.
pub(super) fn result(issued: RouterCertificates) -> EnrollmentResult {
    EnrollmentResult {
        cert: Some(issued.client),
        server_cert: Some(issued.server),
        ..EnrollmentResult::default()
    }
}
