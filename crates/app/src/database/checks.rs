//! Integrity checks of the store, one at a time in the background, and their report.

use super::{Check, Fix, ReadReport};
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::{AppError, TooManyRequestsError};
use crate::state::integrity_checks::{IntegrityFinding, IntegrityReport};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::audit::Actor;
use portcullis_storage::tables::{Finding, Inspection, inspect};
use std::sync::Arc;

/// Maximum number of findings of a check: a store with more needs a backup, not a list.
const MAX_FINDINGS: usize = 1000;

/// Maximum number of findings fixed per transaction, since other commits wait for it.
const FIX_BATCH: usize = 25;

/// Starts a check of the store.
///
/// # Errors
///
/// [`TooManyRequestsError::RateLimit`] while a check is running.
pub fn check(app: &Arc<App>, permit: &Permit<Check>) -> Result<(), AppError> {
    start(app, permit.caller(), false)
}

/// Starts a check of the store that fixes findings where the records allow it and only reports the
/// rest.
///
/// It continues when the caller's session ends.
///
/// # Errors
///
/// [`TooManyRequestsError::RateLimit`] while a check is running.
pub fn fix(app: &Arc<App>, permit: &Permit<Fix>) -> Result<(), AppError> {
    start(app, permit.caller(), true)
}

/// Reads the report of the running or last check.
pub fn report(app: &App, _permit: &Permit<ReadReport>) -> IntegrityReport {
    app.integrity_checks.lock_report().clone()
}

/// Stops the running check, if any, and waits for its end.
pub async fn stop_checks(app: &App) {
    app.integrity_checks.stop();
    let work = app.integrity_checks.lock_task().take();
    if let Some(work) = work {
        // The report has the result.
        let _ = work.await;
    }
}

fn start(app: &Arc<App>, caller: &Caller, is_fixing: bool) -> Result<(), AppError> {
    let mut report = app.integrity_checks.lock_report();
    if report.in_progress {
        return Err(TooManyRequestsError::RateLimit {
            rule: "a data integrity check is already running; wait until it has finished",
            seconds: 1,
        }
        .into());
    }
    *report = IntegrityReport {
        in_progress: true,
        is_fixing,
        started_at: Some(app.env().now()),
        ..IntegrityReport::default()
    };
    drop(report);
    let mut running = RunningCheck {
        app: Arc::clone(app),
        error: Some("the check ended unexpectedly".to_owned()),
    };
    let caller = caller.clone();
    let work = tokio::spawn(async move {
        let outcome = run(&running.app, &caller, is_fixing).await;
        running.finish(outcome);
    });
    *app.integrity_checks.lock_task() = Some(work);
    Ok(())
}

/// A running check. However it ends, the next one may start.
struct RunningCheck {
    app: Arc<App>,
    /// Error reported if the check does not finish.
    error: Option<String>,
}

impl RunningCheck {
    fn finish(&mut self, outcome: Result<(), AppError>) {
        self.error = outcome.err().map(|error| describe_error(&error));
    }
}

impl Drop for RunningCheck {
    fn drop(&mut self) {
        let ended_at = Some(self.app.env().now());
        let mut report = self.app.integrity_checks.lock_report();
        report.in_progress = false;
        report.ended_at = ended_at;
        report.error = self.error.take();
        let (found, error) = (report.results.len(), report.error.as_deref());
        if found > 0 || error.is_some() {
            tracing::warn!(found, error, "the store was checked");
        } else {
            tracing::info!("the store was checked; there are no findings");
        }
    }
}

async fn run(app: &Arc<App>, caller: &Caller, is_fixing: bool) -> Result<(), AppError> {
    let looking = Arc::clone(app);
    let Inspection {
        findings,
        is_truncated: is_cut_short,
    } = run_blocking(move || inspect_store(&looking)).await?;
    {
        let mut report = app.integrity_checks.lock_report();
        report.too_many = findings.len() >= MAX_FINDINGS;
        report.results = findings.iter().map(result).collect();
    }
    if is_fixing {
        fix_findings(app, caller, &findings).await?;
    }
    if is_cut_short && app.integrity_checks.is_stopped() {
        return Err(AppError::NotReady);
    }
    Ok(())
}

fn inspect_store(app: &App) -> Result<Inspection, AppError> {
    let snapshot = app.engine.snapshot()?;
    let mut inspection = inspect(&*snapshot, MAX_FINDINGS, &|| {
        app.integrity_checks.is_stopped()
    })?;
    inspection.findings.truncate(MAX_FINDINGS);
    Ok(inspection)
}

fn result(finding: &Finding) -> IntegrityFinding {
    IntegrityFinding {
        description: finding.to_string(),
        is_fixed: false,
    }
}

/// Fixes findings in two rounds: some can be fixed only after others.
async fn fix_findings(
    app: &Arc<App>,
    caller: &Caller,
    findings: &[Finding],
) -> Result<(), AppError> {
    for _round in 0..2 {
        for (nth, chunk) in findings.chunks(FIX_BATCH).enumerate() {
            if app.integrity_checks.is_stopped() {
                return Err(AppError::NotReady);
            }
            let first = nth * FIX_BATCH;
            let fixed = fix_batch(app, caller, first, chunk.to_vec()).await?;
            mark_fixed(app, first, &fixed);
        }
    }
    Ok(())
}

/// Fixes some findings, whose results begin at index `first`.
async fn fix_batch(
    app: &App,
    caller: &Caller,
    first: usize,
    findings: Vec<Finding>,
) -> Result<Vec<bool>, AppError> {
    let results = app
        .integrity_checks
        .lock_report()
        .results
        .iter()
        .skip(first)
        .map(|result| result.is_fixed)
        .collect::<Vec<_>>();
    app.commit(Actor::caller(caller), move |rows| {
        let fixed = findings.iter().map(|finding| rows.repair(finding));
        let fixed = fixed.collect::<Result<Vec<_>, _>>()?;
        for (finding, (is_fixed, was_fixed)) in findings.iter().zip(fixed.iter().zip(&results)) {
            if *is_fixed && !was_fixed {
                rows.set_operation("database.fix-data-integrity", &finding.to_string());
            }
        }
        Ok::<_, AppError>(fixed)
    })
    .await
}

/// Marks the fixed ones among the results from index `first` on; returns how many were not fixed
/// before.
fn mark_fixed(app: &App, first: usize, fixed: &[bool]) -> usize {
    let mut report = app.integrity_checks.lock_report();
    let mut newly = 0;
    for (result, is_fixed) in report.results.iter_mut().skip(first).zip(fixed) {
        newly += usize::from(*is_fixed && !result.is_fixed);
        result.is_fixed |= *is_fixed;
    }
    newly
}

/// Describes the error that ended a check, for administrators.
fn describe_error(error: &AppError) -> String {
    match error {
        AppError::Store(error) => error.to_string(),
        AppError::NotReady => "the controller is stopping".to_owned(),
        error => error.to_string(),
    }
}
