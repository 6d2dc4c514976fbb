//! Maintenance of the store for administrators: snapshots, checks, counts.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, OptionalJson, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::database::{
    IntegrityDetails, IntegrityEnvelope, IntegrityResult, SnapshotCreate, SnapshotCreated,
    SummaryCounts,
};
use portcullis_app::database::{
    self, Check, Copy, Fix, IntegrityFinding, IntegrityReport, ReadReport, ReadSummary,
};
use portcullis_domain::access::Permit;
use std::mem;

pub(super) fn routes() -> Vec<Route> {
    const SNAPSHOT: &str = "/database/snapshot";
    const BOTH: &[Api] = &[Api::Management, Api::Fabric];
    vec![
        guarded::<Copy, NoBody, _, _>(Method::POST, SNAPSHOT, snapshot)
            .responds(ResponseSpec::detail::<SnapshotCreated>())
            .only(&[Api::Management]),
        guarded::<Copy, NoBody, _, _>(Method::POST, "/database", snapshot)
            .responds(ResponseSpec::detail::<SnapshotCreated>())
            .only(&[Api::Fabric]),
        guarded::<Copy, OptionalJson<SnapshotCreate>, _, _>(
            Method::POST,
            SNAPSHOT,
            snapshot_to_path,
        )
        .responds(ResponseSpec::detail::<SnapshotCreated>())
        .only(&[Api::Fabric]),
        guarded::<Check, NoBody, _, _>(Method::POST, "/database/check-data-integrity", check)
            .responds(ResponseSpec::accepted())
            .only(BOTH),
        guarded::<Fix, NoBody, _, _>(Method::POST, "/database/fix-data-integrity", fix)
            .responds(ResponseSpec::accepted())
            .only(BOTH),
        guarded::<ReadReport, NoBody, _, _>(
            Method::GET,
            "/database/data-integrity-results",
            results,
        )
        .responds(ResponseSpec::json::<IntegrityEnvelope>())
        .only(BOTH),
        guarded::<ReadSummary, NoBody, _, _>(Method::GET, "/summary", summary)
            .responds(ResponseSpec::detail::<SummaryCounts>())
            .only(&[Api::Management]),
    ]
}

async fn snapshot(call: Call<Permit<Copy>, NoBody>) -> Result<ApiResponse, ApiError> {
    copy_to(&call.context, &call.permit, None).await
}

/// Copies the store to the path in the body.
async fn snapshot_to_path(
    call: Call<Permit<Copy>, OptionalJson<SnapshotCreate>>,
) -> Result<ApiResponse, ApiError> {
    let OptionalJson(body) = call.body;
    let requested_path = body.and_then(|body| body.path);
    copy_to(&call.context, &call.permit, requested_path.as_deref()).await
}

/// Copies the store, and returns the path of the copy.
async fn copy_to(
    context: &RequestContext,
    permit: &Permit<Copy>,
    requested: Option<&str>,
) -> Result<ApiResponse, ApiError> {
    let path = database::copy(&context.state.app, permit, requested).await?;
    Ok(ApiResponse::detail(&SnapshotCreated {
        path: path.display().to_string(),
    }))
}

async fn check(call: Call<Permit<Check>, NoBody>) -> Result<ApiResponse, ApiError> {
    database::check(&call.context.state.app, &call.permit)?;
    Ok(ApiResponse::accepted())
}

async fn fix(call: Call<Permit<Fix>, NoBody>) -> Result<ApiResponse, ApiError> {
    database::fix(&call.context.state.app, &call.permit)?;
    Ok(ApiResponse::accepted())
}

async fn results(call: Call<Permit<ReadReport>, NoBody>) -> Result<ApiResponse, ApiError> {
    let report = database::report(&call.context.state.app, &call.permit);
    Ok(ApiResponse::integrity(&details(report).into()))
}

fn details(report: IntegrityReport) -> IntegrityDetails {
    let results: Vec<_> = report.results.into_iter().map(result).collect();
    IntegrityDetails {
        end_time: report.ended_at.map(Into::into),
        error: report.error,
        fixing_errors: report.is_fixing,
        in_progress: report.in_progress,
        results: (!results.is_empty()).then_some(results),
        start_time: report.started_at.map(Into::into),
        too_many_errors: report.too_many,
    }
}

fn result(finding: IntegrityFinding) -> IntegrityResult {
    IntegrityResult {
        description: finding.description,
        fixed: finding.is_fixed,
    }
}

async fn summary(call: Call<Permit<ReadSummary>, NoBody>) -> Result<ApiResponse, ApiError> {
    let counts = database::summary(&call.context.state.app, &call.permit)?;
    let counts = counts
        .into_iter()
        .map(|(collection, count)| (member_name(collection).into(), count));
    Ok(ApiResponse::detail_without_meta(&SummaryCounts(
        counts.collect(),
    )))
}

/// `edge-router-policies` as `edgeRouterPolicies`.
fn member_name(collection: &str) -> String {
    let mut name = String::with_capacity(collection.len());
    let mut starts_word = false;
    for letter in collection.chars() {
        match letter {
            '-' => starts_word = true,
            _ if mem::take(&mut starts_word) => name.push(letter.to_ascii_uppercase()),
            _ => name.push(letter),
        }
    }
    name
}
