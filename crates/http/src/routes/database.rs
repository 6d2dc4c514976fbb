//! The store as administrators look after it: copies, checks, counts.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use http::Method;
use portcullis_api::database::{
    IntegrityDetails, IntegrityEnvelope, IntegrityResult, SummaryCounts,
};
use portcullis_app::database::{
    self, Check, CheckReport, CheckResult, Copy, Fix, ReadReport, ReadSummary,
};
use portcullis_domain::access::Permit;
use std::borrow::Cow;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Copy, Ignored, _, _>(Method::POST, "/database/snapshot", snapshot)
            .answers(Answers::done()),
        guarded::<Check, Ignored, _, _>(Method::POST, "/database/check-data-integrity", check)
            .answers(Answers::begun()),
        guarded::<Fix, Ignored, _, _>(Method::POST, "/database/fix-data-integrity", fix)
            .answers(Answers::begun()),
        guarded::<ReadReport, Ignored, _, _>(
            Method::GET,
            "/database/data-integrity-results",
            results,
        )
        .answers(Answers::json::<IntegrityEnvelope>()),
        guarded::<ReadSummary, Ignored, _, _>(Method::GET, "/summary", summary)
            .answers(Answers::detail::<SummaryCounts>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn snapshot(call: Call<Permit<Copy>, Ignored>) -> Result<Answer, ApiError> {
    database::copy(&call.context.state.app, &call.permit, None).await?;
    Ok(Answer::done())
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
