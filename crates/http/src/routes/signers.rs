//! External JWT signers.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded, open};
use http::Method;
use portcullis_api::signer::{ClientSignerDetail, SignerCreate, SignerDetail, SignerUpdate};
use portcullis_app::listing::kinds;
use portcullis_app::signers::{self, Create, Delete, Read, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::SignerId;

const ALL: &str = "/external-jwt-signers";
const ONE: &str = "/external-jwt-signers/{id}";

pub(super) fn routes() -> Vec<Route> {
    let managed = vec![
        guarded::<Read, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<SignerDetail>()),
        guarded::<Create, Json<SignerCreate>, _, _>(Method::POST, ALL, create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<SignerDetail>()),
        guarded::<Update, Json<SignerCreate>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<SignerUpdate>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]));
    let public = open::<Paged, _, _>(Method::GET, ALL, list_enabled)
        .answers(Answers::list::<ClientSignerDetail>())
        .only(&[Api::Client]);
    managed.chain([public]).collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::EXTERNAL_JWT_SIGNERS, |call, asked, show| {
        let app = &call.context.state.app;
        signers::list(app, &call.permit, asked, &mut |signer| {
            show(SignerDetail::from(signer))
        })
    })
    .await
}

async fn list_enabled(call: Call<(), Paged>) -> Result<Answer, ApiError> {
    let schema = &kinds::SHOWN_EXTERNAL_JWT_SIGNERS;
    list::answer(call, schema, |call, asked, show| {
        let app = &call.context.state.app;
        signers::list_enabled(app, asked, &mut |signer| {
            show(ClientSignerDetail::from(signer))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<SignerCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (spec, keys) = body.into_parts();
    let app = &call.context.state.app;
    let id = signers::create(app, &call.permit, spec, keys).await?;
    Ok(Answer::created("external-jwt-signers", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let signer = signers::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&SignerDetail::from(signer)))
}

async fn replace(call: Call<Permit<Update>, Json<SignerCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (spec, keys) = body.into_parts();
    let Context { state, .. } = &call.context;
    signers::replace(&state.app, &call.permit, &id(&call.context), spec, keys).await?;
    Ok(Answer::done())
}

async fn merge(call: Call<Permit<Update>, Json<SignerUpdate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (patch, keys) = body.into_parts();
    let Context { state, .. } = &call.context;
    signers::merge(&state.app, &call.permit, &id(&call.context), patch, keys).await?;
    Ok(Answer::done())
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    signers::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

fn id(context: &Context) -> SignerId {
    SignerId::from_wire(context.id())
}
