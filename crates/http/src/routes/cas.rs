//! Third-party certificate authorities.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::language::Consumes;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Body, Call, Context, Ignored, Json, Payload, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::ca::{CaCreate, CaDetail, CaMerge, CaReplace};
use portcullis_api::code::Code;
use portcullis_api::decode::DecodeError;
use portcullis_app::AppError;
use portcullis_app::cas::{self, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::CaId;

/// RFC 7519 section 10.3.1.
const JWT: &str = "application/jwt";

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/cas/{id}";
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/cas", list)
            .answers(Answers::list::<CaDetail>()),
        guarded::<Create, Json<CaCreate>, _, _>(Method::POST, "/cas", create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<CaDetail>()),
        guarded::<Update, Json<CaReplace>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<CaMerge>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Proof, _, _>(Method::POST, "/cas/{id}/verify", verify)
            .answers(Answers::done()),
        guarded::<Read, Ignored, _, _>(Method::GET, "/cas/{id}/jwt", token)
            .answers(Answers::raw())
            .producing(JWT),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

/// A certificate as text. What is wrong with it is told to those who may verify alone.
#[derive(Debug)]
struct Proof(Result<String, DecodeError>);

impl Payload for Proof {
    const CONSUMES: Consumes = Consumes::Certificate;
    const CAP: usize = 64 * 1024;

    fn described() -> Body {
        Body::Text
    }

    fn read(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self(if bytes.is_empty() {
            let reason = "is required: send the certificate as PEM in the body";
            Err(FieldError::new("certificate", reason, "").into())
        } else if content_type == Some("application/json") {
            // Clients are used to hear of the body rather than of its type.
            let text = "send the certificate with content type text/plain".to_owned();
            Err(DecodeError::Parse(text))
        } else {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }))
    }
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::CAS, |call, asked, show| {
        let app = &call.context.state.app;
        cas::list(app, &call.permit, asked, &mut |ca| show(CaDetail::from(ca)))
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<CaCreate>>) -> Result<Answer, ApiError> {
    let Json(CaCreate { cert_pem, replace }) = call.body;
    let spec = replace.spec().map_err(AppError::InvalidField)?;
    let app = &call.context.state.app;
    let id = cas::create(app, &call.permit, spec, &cert_pem).await?;
    Ok(Answer::created("cas", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let ca = cas::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&CaDetail::from(ca)))
}

async fn replace(call: Call<Permit<Update>, Json<CaReplace>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let spec = body.spec().map_err(AppError::InvalidField)?;
    let Context { state, .. } = &call.context;
    cas::replace(&state.app, &call.permit, &id(&call.context), spec).await?;
    Ok(Answer::done())
}

async fn merge(call: Call<Permit<Update>, Json<CaMerge>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let Context { state, .. } = &call.context;
    cas::merge(&state.app, &call.permit, &id(&call.context), body.into()).await?;
    Ok(Answer::done())
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    cas::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn verify(call: Call<Permit<Update>, Proof>) -> Result<Answer, ApiError> {
    let pem = call.body.0?;
    let Context { state, .. } = &call.context;
    cas::verify(&state.app, &call.permit, &id(&call.context), &pem)
        .await
        .map_err(tersely)?;
    Ok(Answer::done())
}

async fn token(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let token = cas::token(&state.app, &call.permit, &id(&call.context)).map_err(tersely)?;
    Ok(Answer::raw(JWT, token))
}

/// These operations say no more than the code of an authority that does not exist.
fn tersely(error: AppError) -> ApiError {
    match error {
        AppError::NotFound { .. } => ApiError::new(Code::NotFound),
        error => error.into(),
    }
}

fn id(context: &Context) -> CaId {
    CaId::from_wire(context.id())
}
