//! Posture: reports of clients, and data for administrators.

use crate::error::ApiError;
use crate::fair_queue::{FairQueue, JobContext};
use crate::path::Api;
use crate::peer::HasPeer as _;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::failed_service_request::FailedServiceRequest;
use portcullis_api::posture_data::PostureData;
use portcullis_api::posture_response::{
    PostureResponse, PostureResponseBulk, PostureResponseCreate,
};
use portcullis_app::posture::{self, ReadData, Report, Reports};
use portcullis_domain::access::Permit;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Queue of reports, the largest of which take tens of milliseconds: four at a time, and 256 more
/// wait.
static REPORT_QUEUE: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(4, 2, 256, Duration::MAX));

pub(super) fn routes() -> Vec<Route> {
    const REFUSALS: &str = "/identities/{id}/failed-service-requests";
    const DATA: &str = "/identities/{id}/posture-data";
    vec![
        guarded::<Report, Json<PostureResponseCreate>, _, _>(
            Method::POST,
            "/posture-response",
            report,
        )
        .responds(ResponseSpec::created_with::<PostureResponse>())
        .only(&[Api::Client]),
        guarded::<Report, Json<PostureResponseBulk>, _, _>(
            Method::POST,
            "/posture-response-bulk",
            report_several,
        )
        .responds(ResponseSpec::created_with::<PostureResponse>())
        .only(&[Api::Client]),
        guarded::<ReadData, NoBody, _, _>(Method::GET, REFUSALS, refusals)
            .responds(ResponseSpec::detail::<Vec<FailedServiceRequest>>())
            .only(&[Api::Management]),
        guarded::<ReadData, NoBody, _, _>(Method::GET, DATA, data)
            .responds(ResponseSpec::detail::<PostureData>())
            .only(&[Api::Management]),
    ]
}

async fn report(
    call: Call<Permit<Report>, Json<PostureResponseCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(PostureResponseCreate(statement)) = call.body;
    process(&call.context, call.permit, Reports::Single(statement)).await
}

async fn report_several(
    call: Call<Permit<Report>, Json<PostureResponseBulk>>,
) -> Result<ApiResponse, ApiError> {
    let Json(PostureResponseBulk(statements)) = call.body;
    process(&call.context, call.permit, Reports::Batch(statements)).await
}

async fn process(
    context: &RequestContext,
    permit: Permit<Report>,
    reports: Reports,
) -> Result<ApiResponse, ApiError> {
    let app = Arc::clone(&context.state.app);
    let peer = permit.peer(&context.origin);
    let job = move |_job: &JobContext| Ok(posture::report(&app, &permit, reports)?);
    let services = REPORT_QUEUE.run(peer, job).await?;
    Ok(ApiResponse::created_with(&PostureResponse::from(services)))
}

async fn refusals(call: Call<Permit<ReadData>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let requests = posture::read_refusals(&state.app, &call.permit, &call.context.entity_id())?;
    let requests = requests.iter().map(|request| &**request);
    Ok(ApiResponse::detail(&FailedServiceRequest::list(requests)))
}

async fn data(call: Call<Permit<ReadData>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = posture::read_data(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&PostureData::from(view)))
}
