//! Redeeming enrollments.

use super::{controllers, enroll_router, enroll_token};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::language::Consumes;
use crate::path::Api;
use crate::route::{Answers, Body, Call, Context, Json, Parameter, Payload, Route, Values, open};
use bytes::Bytes;
use http::Method;
use portcullis_api::decode::{Decode as _, DecodeError};
use portcullis_api::describe::Request;
use portcullis_api::enroll::{Enroll, EnrollOtt, EnrollmentResult};
use portcullis_app::enrollments::{self, Newcomer, Proof, Redeemed, Redemption, RouterProof};
use portcullis_domain::FieldError;
use secrecy::SecretString;

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Proofs, _, _>(Method::POST, "/enroll", enroll).asks(&[METHOD, TOKEN]),
        open::<Json<EnrollOtt>, _, _>(Method::POST, "/enroll/ott", enroll_ott),
        open::<Json<EnrollOtt>, _, _>(Method::POST, "/enroll/ottca", enroll_ottca),
        open::<Json<Enroll>, _, _>(Method::POST, "/enroll/updb", enroll_updb)
            .asks(&[TOKEN_OF_UPDB]),
        open::<Proofs, _, _>(Method::POST, "/enroll/ca", enroll_ca),
    ]
    .into_iter()
    .map(|route| {
        route
            .answers(Answers::detail::<EnrollmentResult>())
            .only(&[Api::Client])
    })
    .collect()
}

/// The token of the enrollment.
const TOKEN: Parameter = Parameter::query(
    "token",
    "The token of the enrollment; methods `ca` and `token` need none.",
);

/// The token of an enrollment by username and password.
const TOKEN_OF_UPDB: Parameter =
    Parameter::query("token", "The token of the enrollment.").required();

/// How the enrollment is completed.
const METHOD: Parameter = Parameter::query(
    "method",
    "How the enrollment is completed. If it is not said, the token decides.",
)
.with(Values::OneOf(&[
    "ott", "ottca", "updb", "erott", "ca", "token",
]));

/// What a client brings besides the certificates of its connection: JSON, or a certificate request
/// as text.
#[derive(Debug)]
struct Proofs(Enroll);

impl Payload for Proofs {
    const CONSUMES: Consumes = Consumes::Enrollment;

    fn described() -> Body {
        Body::JsonOrText(Box::new(Request::of::<Enroll>()))
    }

    fn read(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        if content_type.is_some_and(|given| given != "application/json") {
            return Ok(Self(Enroll {
                client_csr: Some(String::from_utf8_lossy(bytes).into_owned()),
                ..Enroll::default()
            }));
        }
        Enroll::from_body(bytes).map(Self)
    }
}

/// Everything that a client may use without asking for a method by its path.
struct Asked<'m> {
    token: SecretString,
    method: Option<&'m str>,
    body: Enroll,
}

async fn enroll(call: Call<(), Proofs>) -> Result<Answer, ApiError> {
    let query = &call.context.query;
    let method = query.get("method");
    if method == Some(AUTOMATIC) {
        return enroll_ca(call).await;
    }
    if method == Some(BY_TOKEN) {
        let Proofs(body) = call.body;
        return enroll_token::enroll(&call.context, body.client_csr).await;
    }
    let token = SecretString::from(query.get("token").unwrap_or_default());
    let Proofs(body) = call.body;
    let asked = Asked {
        token,
        method,
        body,
    };
    prove(&call.context, asked).await
}

async fn enroll_ott(call: Call<(), Json<EnrollOtt>>) -> Result<Answer, ApiError> {
    with_token(&call.context, "ott", call.body.0).await
}

async fn enroll_ottca(call: Call<(), Json<EnrollOtt>>) -> Result<Answer, ApiError> {
    with_token(&call.context, "ottca", call.body.0).await
}

/// Redeems a token that stands in the body.
async fn with_token(
    context: &Context,
    method: &'static str,
    body: EnrollOtt,
) -> Result<Answer, ApiError> {
    let asked = Asked {
        token: body.token.unwrap_or_default(),
        method: Some(method),
        body: Enroll {
            client_csr: body.client_csr,
            ..Enroll::default()
        },
    };
    prove(context, asked).await
}

async fn enroll_updb(call: Call<(), Json<Enroll>>) -> Result<Answer, ApiError> {
    let Some(token) = call.context.query.get("token") else {
        let missing = FieldError::new("token", "is required in the query", "[]");
        return Err(ApiError::field(missing));
    };
    let asked = Asked {
        token: token.into(),
        method: Some("updb"),
        body: Enroll {
            client_csr: None,
            ..call.body.0
        },
    };
    prove(&call.context, asked).await
}

/// The method of those that need no token.
const AUTOMATIC: &str = "ca";

/// The method that needs a token of an external signer.
const BY_TOKEN: &str = "token";

async fn enroll_ca(call: Call<(), Proofs>) -> Result<Answer, ApiError> {
    let Context {
        state,
        connection,
        origin,
        ..
    } = &call.context;
    let newcomer = Newcomer {
        certificates: &connection.certificates(),
        requested_name: call.body.0.name,
    };
    enrollments::enroll_newcomer(&state.app, origin, newcomer).await?;
    Ok(Answer::detail(&EnrollmentResult::default()))
}

async fn prove(context: &Context, asked: Asked<'_>) -> Result<Answer, ApiError> {
    let Enroll {
        client_csr,
        cert_csr,
        server_cert_csr,
        password,
        ..
    } = asked.body;
    let redemption = Redemption {
        token: asked.token,
        method: asked.method.map(str::to_owned),
        proof: Proof {
            csr: client_csr.unwrap_or_default(),
            certificates: &context.connection.certificates(),
            password,
            router: RouterProof {
                client_csr: cert_csr.unwrap_or_default(),
                server_csr: server_cert_csr.unwrap_or_default(),
            },
        },
    };
    redeem(context, redemption).await
}

/// Redeems an enrollment and says what came of it.
pub(super) async fn redeem(
    context: &Context,
    redemption: Redemption<'_>,
) -> Result<Answer, ApiError> {
    let app = &context.state.app;
    // Clients that name the method know what to do with the controllers.
    let is_named = redemption.method.is_some();
    let redeemed = enrollments::redeem(app, &context.origin, redemption).await?;
    let mut result = EnrollmentResult {
        controllers: is_named.then(|| vec![controllers::detail(&context.state).for_clients()]),
        ..EnrollmentResult::default()
    };
    match redeemed {
        Redeemed::Certificate(chain) => result.cert = Some(chain),
        Redeemed::Username(username) => result.username = Some(username),
        Redeemed::Router(issued) => {
            result = EnrollmentResult {
                ca: Some(app.network().bundle_pem().to_owned()),
                ..enroll_router::result(issued)
            };
        },
        Redeemed::Nothing => {},
    }
    Ok(Answer::detail(&result))
}
