//! The store as administrators look after it: copies, checks, counts.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, JsonIfAny, Route, guarded};
use http::Method;
use portcullis_api::database::{
    IntegrityDetails, IntegrityEnvelope, IntegrityResult, SnapshotCreate, SnapshotCreated,
    SummaryCounts,
};
use portcullis_app::database::{
    self, Check, CheckReport, CheckResult, Copy, Fix, ReadReport, ReadSummary,
};
use portcullis_domain::access::Permit;
use std::borrow::Cow;

pub(super) fn routes() -> Vec<Route> {
    const SNAPSHOT: &str = "/database/snapshot";
    const BOTH: &[Api] = &[Api::Management, Api::Fabric];
    vec![
        guarded::<Copy, Ignored, _, _>(Method::POST, SNAPSHOT, snapshot)
            .answers(Answers::done())
            .only(&[Api::Management]),
        guarded::<Copy, Ignored, _, _>(Method::POST, "/database", snapshot)
            .answers(Answers::done())
            .only(&[Api::Fabric]),
        guarded::<Copy, JsonIfAny<SnapshotCreate>, _, _>(Method::POST, SNAPSHOT, snapshot_there)
            .answers(Answers::detail::<SnapshotCreated>())
            .only(&[Api::Fabric]),
        guarded::<Check, Ignored, _, _>(Method::POST, "/database/check-data-integrity", check)
            .answers(Answers::begun())
            .only(BOTH),
        guarded::<Fix, Ignored, _, _>(Method::POST, "/database/fix-data-integrity", fix)
            .answers(Answers::begun())
            .only(BOTH),
        guarded::<ReadReport, Ignored, _, _>(
            Method::GET,
            "/database/data-integrity-results",
            results,
        )
        .answers(Answers::json::<IntegrityEnvelope>())
        .only(BOTH),
        guarded::<ReadSummary, Ignored, _, _>(Method::GET, "/summary", summary)
            .answers(Answers::detail::<SummaryCounts>())
            .only(&[Api::Management]),
    ]
}

async fn snapshot(call: Call<Permit<Copy>, Ignored>) -> Result<Answer, ApiError> {
    database::copy(&call.context.state.app, &call.permit, None).await?;
    Ok(Answer::done())
}

/// Copies the store to where the body says, and says where that is.
async fn snapshot_there(
    call: Call<Permit<Copy>, JsonIfAny<SnapshotCreate>>,
) -> Result<Answer, ApiError> {
    let JsonIfAny(body) = call.body;
    let wish = body.and_then(|body| body.path);
    let place = database::copy(&call.context.state.app, &call.permit, wish.as_deref()).await?;
    Ok(Answer::detail(&SnapshotCreated {
        path: place.display().to_string(),
    }))
}

async fn check(call: Call<Permit<Check>, Ignored>) -> Result<Answer, ApiError> {
    database::check(&call.context.state.app, &call.permit)?;
    Ok(Answer::begun())
}

async fn fix(call: Call<Permit<Fix>, Ignored>) -> Result<Answer, ApiError> {
    database::fix(&call.context.state.app, &call.permit)?;
    Ok(Answer::begun())
}

async fn results(call: Call<Permit<ReadReport>, Ignored>) -> Result<Answer, ApiError> {
    let report = database::report(&call.context.state.app, &call.permit);
    Ok(Answer::integrity(&details(report).into()))
}

fn details(report: CheckReport) -> IntegrityDetails {
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

fn result(result: CheckResult) -> IntegrityResult {
    IntegrityResult {
        description: result.description,
        fixed: result.is_fixed,
    }
}

async fn summary(call: Call<Permit<ReadSummary>, Ignored>) -> Result<Answer, ApiError> {
    let counts = database::summary(&call.context.state.app, &call.permit)?;
    let counts = counts
        .into_iter()
        .map(|(kind, count)| (Cow::Borrowed(kind), count));
    Ok(Answer::detail_without_meta(&SummaryCounts(
        counts.collect(),
    )))
}
