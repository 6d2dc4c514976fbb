//! Redeeming enrollments.

use super::{controllers, enroll_token};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::language::Consumes;
use crate::path::Api;
use crate::route::{Call, Context, Json, Payload, Route, open};
use bytes::Bytes;
use http::Method;
use portcullis_api::decode::{Decode as _, DecodeError};
use portcullis_api::enroll::{Enroll, EnrollOtt, EnrollmentResult};
use portcullis_app::AppError;
use portcullis_app::enrollments::{self, Proof, Redeemed, Redemption};
use portcullis_domain::FieldError;
use secrecy::SecretString;

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Proofs, _, _>(Method::POST, "/enroll", enroll),
        open::<Json<EnrollOtt>, _, _>(Method::POST, "/enroll/ott", enroll_ott),
        open::<Json<Enroll>, _, _>(Method::POST, "/enroll/updb", enroll_updb),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Client]))
    .collect()
}

/// What a client brings: JSON, or a certificate request as text.
#[derive(Debug)]
struct Proofs(Proof);

impl Payload for Proofs {
    const CONSUMES: Consumes = Consumes::Enrollment;

    fn read(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        if content_type.is_some_and(|given| given != "application/json") {
            let csr = String::from_utf8_lossy(bytes).into_owned();
            return Ok(Self(Proof {
                csr,
                password: None,
            }));
        }
        let body = Enroll::from_body(bytes)?;
        let csr = body.client_csr.unwrap_or_default();
        Ok(Self(Proof {
            csr,
            password: body.password,
        }))
    }
}

async fn enroll(call: Call<(), Proofs>) -> Result<Answer, ApiError> {
    let query = &call.context.query;
    let token = SecretString::from(query.get("token").unwrap_or_default());
    let method = query.get("method").map(str::to_owned);
    let Proofs(proof) = call.body;
    if method.as_deref() == Some("token") {
        return enroll_token::enroll(&call.context, proof.csr).await;
    }
    redeem(
        &call.context,
        Redemption {
            token,
            method,
            proof,
        },
    )
    .await
}

async fn enroll_ott(call: Call<(), Json<EnrollOtt>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let redemption = Redemption {
        token: body.token.unwrap_or_default(),
        method: Some("ott".to_owned()),
        proof: Proof {
            csr: body.client_csr.unwrap_or_default(),
            password: None,
        },
    };
    redeem(&call.context, redemption).await
}

async fn enroll_updb(call: Call<(), Json<Enroll>>) -> Result<Answer, ApiError> {
    let Some(token) = call.context.query.get("token") else {
        let missing = FieldError::new("token", "token in query is required", "[]");
        return Err(ApiError::field(missing));
    };
    let redemption = Redemption {
        token: token.into(),
        method: Some("updb".to_owned()),
        proof: Proof {
            csr: String::new(),
            password: call.body.0.password,
        },
    };
    redeem(&call.context, redemption).await
}

async fn redeem(context: &Context, redemption: Redemption) -> Result<Answer, ApiError> {
    let is_named = redemption.method.is_some();
    let app = &context.state.app;
    let redeemed = enrollments::redeem(app, &context.origin, redemption)
        .await
        .map_err(|error: AppError| ApiError::from(error))?;
    let mut result = EnrollmentResult {
        // Clients that name the method know what to do with the controllers.
        controllers: is_named.then(|| vec![controllers::detail(&context.state).for_clients()]),
        ..EnrollmentResult::default()
    };
    match redeemed {
        Redeemed::Certificate(chain) => result.cert = Some(chain),
        Redeemed::Username(username) => result.username = Some(username),
    }
    Ok(Answer::detail(&result))
}
