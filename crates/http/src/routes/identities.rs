//! Identities.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, JsonIfAny, Route, guarded};
use http::Method;
use portcullis_api::identity::{
    CreateIdentity, DisableIdentity, IdentityDetail, PatchIdentity, ReplaceIdentity,
};
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service_config::{ServiceConfigAssignments, ServiceConfigDetail};
use portcullis_api::trace::{TraceDetail, TraceIdentity};
use portcullis_app::identities::{self, Assignment, Create, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_app::{managed, policy_advice};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::service::ServiceSpec;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/identities/{id}";
    const SERVICE_CONFIGS: &str = "/identities/{id}/service-configs";
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/identities", list)
            .answers(Answers::list::<IdentityDetail>()),
        guarded::<Create, Json<CreateIdentity>, _, _>(Method::POST, "/identities", create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<IdentityDetail>()),
        guarded::<Update, Json<ReplaceIdentity>, _, _>(Method::PUT, ONE, replace),
        guarded::<Update, Json<PatchIdentity>, _, _>(Method::PATCH, ONE, merge),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<DisableIdentity>, _, _>(
            Method::POST,
            "/identities/{id}/disable",
            disable,
        )
        .answers(Answers::done()),
        guarded::<Update, Ignored, _, _>(Method::POST, "/identities/{id}/enable", enable)
            .answers(Answers::done()),
        guarded::<Update, Json<TraceIdentity>, _, _>(Method::PUT, "/identities/{id}/trace", trace)
            .answers(Answers::detail::<TraceDetail>()),
        guarded::<Read, Ignored, _, _>(Method::GET, SERVICE_CONFIGS, service_configs)
            .answers(Answers::list::<ServiceConfigDetail>()),
        guarded::<Update, Json<ServiceConfigAssignments>, _, _>(
            Method::POST,
            SERVICE_CONFIGS,
            assign_service_configs,
        )
        .answers(Answers::done()),
        guarded::<Update, JsonIfAny<ServiceConfigAssignments>, _, _>(
            Method::DELETE,
            SERVICE_CONFIGS,
            withdraw_service_configs,
        ),
        guarded::<managed::Read<ServiceSpec>, Ignored, _, _>(
            Method::GET,
            "/identities/{id}/policy-advice/{serviceId}",
            policy_advice,
        )
        .answers(Answers::detail::<PolicyAdvice>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::IDENTITIES, |call, asked, show| {
        let app = &call.context.state.app;
        identities::list(app, &call.permit, asked, &mut |view| {
            show(IdentityDetail::from(view))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<CreateIdentity>>) -> Result<Answer, ApiError> {
    let Json(CreateIdentity {
        spec, enrollment, ..
    }) = call.body;
    let app = &call.context.state.app;
    let id = identities::create(app, &call.permit, spec, enrollment).await?;
    Ok(Answer::created("identities", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let view = identities::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&IdentityDetail::from(view)))
}

async fn replace(call: Call<Permit<Update>, Json<ReplaceIdentity>>) -> Result<Answer, ApiError> {
    let Json(ReplaceIdentity { spec, kind }) = call.body;
    let Context { state, .. } = &call.context;
    identities::replace(&state.app, &call.permit, &id(&call.context), spec, kind).await?;
    Ok(Answer::done())
}

async fn merge(call: Call<Permit<Update>, Json<PatchIdentity>>) -> Result<Answer, ApiError> {
    let Json(PatchIdentity { patch }) = call.body;
    let Context { state, .. } = &call.context;
    identities::merge(&state.app, &call.permit, &id(&call.context), patch).await?;
    Ok(Answer::done())
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    identities::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn disable(call: Call<Permit<Update>, Json<DisableIdentity>>) -> Result<Answer, ApiError> {
    let Json(DisableIdentity { duration }) = call.body;
    let Context { state, .. } = &call.context;
    identities::disable(&state.app, &call.permit, &id(&call.context), duration).await?;
    Ok(Answer::done())
}

async fn enable(call: Call<Permit<Update>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    identities::enable(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn trace(call: Call<Permit<Update>, Json<TraceIdentity>>) -> Result<Answer, ApiError> {
    let Json(TraceIdentity { spec }) = call.body;
    let Context { state, .. } = &call.context;
    let trace = identities::trace(&state.app, &call.permit, &id(&call.context), spec).await?;
    Ok(Answer::detail_without_meta(&TraceDetail::from(trace)))
}

async fn service_configs(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let shown = identities::service_configs(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::whole_list(&ServiceConfigDetail::list(shown)))
}

async fn assign_service_configs(
    call: Call<Permit<Update>, Json<ServiceConfigAssignments>>,
) -> Result<Answer, ApiError> {
    let Json(assigned) = call.body;
    let Context { state, .. } = &call.context;
    let (id, assigned) = (id(&call.context), assignments(assigned));
    identities::assign_service_configs(&state.app, &call.permit, &id, assigned).await?;
    Ok(Answer::done())
}

async fn withdraw_service_configs(
    call: Call<Permit<Update>, JsonIfAny<ServiceConfigAssignments>>,
) -> Result<Answer, ApiError> {
    let JsonIfAny(withdrawn) = call.body;
    let Context { state, .. } = &call.context;
    let withdrawn = assignments(withdrawn.unwrap_or_default());
    let id = id(&call.context);
    identities::withdraw_service_configs(&state.app, &call.permit, &id, withdrawn).await?;
    Ok(Answer::done())
}

fn assignments(body: ServiceConfigAssignments) -> Vec<Assignment> {
    let each = body.0.into_iter();
    each.map(|one| (one.service_id, one.config_id)).collect()
}

async fn policy_advice(
    call: Call<Permit<managed::Read<ServiceSpec>>, Ignored>,
) -> Result<Answer, ApiError> {
    let Context {
        state, parameters, ..
    } = &call.context;
    let service = parameters.get("serviceId").cloned().unwrap_or_default();
    let service = ServiceId::from_wire(service);
    let advice = policy_advice::read(&state.app, &call.permit, &id(&call.context), &service)?;
    Ok(Answer::detail_without_meta(&PolicyAdvice::from(advice)))
}

fn id(context: &Context) -> IdentityId {
    IdentityId::from_wire(context.id())
}
