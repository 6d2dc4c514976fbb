//! Authentication policies.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::auth_policy::{AuthPolicyBody, AuthPolicyDetail, MergeAuthPolicy};
use portcullis_app::auth_policies::{self, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthPolicyId;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/auth-policies/{id}";
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/auth-policies", list)
            .answers(Answers::list::<AuthPolicyDetail>()),
        guarded::<Create, Json<AuthPolicyBody>, _, _>(Method::POST, "/auth-policies", create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<AuthPolicyDetail>()),
        guarded::<Update, Json<AuthPolicyBody>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<MergeAuthPolicy>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::AUTH_POLICIES, |call, asked, show| {
        let app = &call.context.state.app;
        auth_policies::list(app, &call.permit, asked, &mut |policy| {
            show(AuthPolicyDetail::from(policy))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<AuthPolicyBody>>) -> Result<Answer, ApiError> {
    let Json(AuthPolicyBody { spec }) = call.body;
    let app = &call.context.state.app;
    let id = auth_policies::create(app, &call.permit, spec).await?;
    Ok(Answer::created("auth-policies", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let policy = auth_policies::read(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&AuthPolicyDetail::from(policy)))
}

async fn replace(call: Call<Permit<Update>, Json<AuthPolicyBody>>) -> Result<Answer, ApiError> {
    let Json(AuthPolicyBody { spec }) = call.body;
    let Context { state, .. } = &call.context;
    auth_policies::replace(&state.app, &call.permit, &id(&call.context), spec).await?;
    Ok(Answer::done())
}

async fn merge(call: Call<Permit<Update>, Json<MergeAuthPolicy>>) -> Result<Answer, ApiError> {
    let Json(MergeAuthPolicy { patch }) = call.body;
    let Context { state, .. } = &call.context;
    auth_policies::merge(&state.app, &call.permit, &id(&call.context), patch).await?;
    Ok(Answer::done())
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    auth_policies::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

fn id(context: &Context) -> AuthPolicyId {
    AuthPolicyId::from_wire(context.id())
}
