//! What clients report about their machines, and what administrators see of it.

use crate::acting::Acting as _;
use crate::answer::Answer;
use crate::desk::{Desk, Requester};
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::failed_service_request::FailedServiceRequest;
use portcullis_api::posture_data::PostureData;
use portcullis_api::posture_response::{
    PostureResponse, PostureResponseBulk, PostureResponseCreate,
};
use portcullis_app::posture::{self, ReadData, Report, Reports};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Where reports are taken in, the largest of which take tens of milliseconds: four at a time, and
/// 256 more wait.
static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(4, 2, 256, Duration::MAX));

pub(super) fn routes() -> Vec<Route> {
    const REFUSALS: &str = "/identities/{id}/failed-service-requests";
    const DATA: &str = "/identities/{id}/posture-data";
    vec![
        guarded::<Report, Json<PostureResponseCreate>, _, _>(
            Method::POST,
            "/posture-response",
            report,
        )
        .answers(Answers::created_with::<PostureResponse>())
        .only(&[Api::Client]),
        guarded::<Report, Json<PostureResponseBulk>, _, _>(
            Method::POST,
            "/posture-response-bulk",
            report_several,
        )
        .answers(Answers::created_with::<PostureResponse>())
        .only(&[Api::Client]),
        guarded::<ReadData, Ignored, _, _>(Method::GET, REFUSALS, refusals)
            .answers(Answers::detail::<Vec<FailedServiceRequest>>())
            .only(&[Api::Management]),
        guarded::<ReadData, Ignored, _, _>(Method::GET, DATA, data)
            .answers(Answers::detail::<PostureData>())
            .only(&[Api::Management]),
    ]
}

async fn report(
    call: Call<Permit<Report>, Json<PostureResponseCreate>>,
) -> Result<Answer, ApiError> {
    let Json(PostureResponseCreate(statement)) = call.body;
    take_in(&call.context, call.permit, Reports::One(statement)).await
}

async fn report_several(
    call: Call<Permit<Report>, Json<PostureResponseBulk>>,
) -> Result<Answer, ApiError> {
    let Json(PostureResponseBulk(statements)) = call.body;
    take_in(&call.context, call.permit, Reports::Several(statements)).await
}

async fn take_in(
    context: &Context,
    permit: Permit<Report>,
    reports: Reports,
) -> Result<Answer, ApiError> {
    let app = Arc::clone(&context.state.app);
    let peer = permit.peer(&context.origin);
    let work = move |_requester: &Requester| Ok(posture::report(&app, &permit, reports)?);
    let services = DESK.work(peer, work).await?;
    Ok(Answer::created_with(&PostureResponse::from(services)))
}

async fn refusals(call: Call<Permit<ReadData>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let requests = posture::read_refusals(&state.app, &call.permit, &id(&call.context))?;
    let requests = requests.iter().map(|request| &**request);
    Ok(Answer::detail(&FailedServiceRequest::list(requests)))
}

async fn data(call: Call<Permit<ReadData>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = posture::read_data(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&PostureData::from(view)))
}

fn id(context: &Context) -> IdentityId {
    IdentityId::from_wire(context.id())
}
