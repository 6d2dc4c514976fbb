//! Checks of the store in the background, one at a time, and what the last one has found.

use super::{Check, Fix, ReadReport};
use crate::app::App;
use crate::aside::aside;
use crate::error::AppError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_storage::tables::{Finding, Inspection, inspect};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinHandle;

/// Most findings of a check: whoever has more needs a backup, not a list.
const MOST: usize = 1000;

/// Most findings that one transaction puts right: all others stand behind it.
const AT_ONCE: usize = 25;

/// What the last check has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Whether it is still at work.
    pub in_progress: bool,
    /// Whether it puts right what can be.
    pub is_fixing: bool,
    /// Whether it ended early because it had found too much.
    pub too_many: bool,
    /// When it began; `None` before the first one.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What kept it from its end.
    pub error: Option<String>,
    /// What it has found.
    pub results: Vec<CheckResult>,
}

/// Something that a check has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// What is wrong, in words.
    pub description: String,
    /// Whether it was put right.
    pub is_fixed: bool,
}

/// The checks of a process.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    report: Mutex<CheckReport>,
    work: Mutex<Option<JoinHandle<()>>>,
    is_stopped: AtomicBool,
}

impl Checks {
    fn report(&self) -> MutexGuard<'_, CheckReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }
}

/// Begins to check the store.
///
/// # Errors
///
/// [`AppError::TooSoon`] while a check is at work.
pub fn check(app: &Arc<App>, permit: &Permit<Check>) -> Result<(), AppError> {
    begin(app, permit.caller(), false)
}

/// Begins to check the store and to put right what records tell; the rest is reported only.
///
/// It goes on when the session of its caller ends.
///
/// # Errors
///
/// [`AppError::TooSoon`] while a check is at work.
pub fn fix(app: &Arc<App>, permit: &Permit<Fix>) -> Result<(), AppError> {
    begin(app, permit.caller(), true)
}

/// Reads what the last check has found, or the one at work so far.
pub fn report(app: &App, _permit: &Permit<ReadReport>) -> CheckReport {
    app.checks.report().clone()
}

/// Ends the check that is at work, if there is one, and waits for its end.
pub async fn stop_checks(app: &App) {
    app.checks.is_stopped.store(true, Ordering::Release);
    let work = app.checks.work().take();
    if let Some(work) = work {
        // How it ended stands in its report.
        let _ = work.await;
    }
}

fn begin(app: &Arc<App>, caller: &Caller, is_fixing: bool) -> Result<(), AppError> {
    let mut report = app.checks.report();
    if report.in_progress {
        return Err(AppError::TooSoon {
            rule: "a data integrity check is already running; wait until it has finished",
            seconds: 1,
        });
    }
    *report = CheckReport {
        in_progress: true,
        is_fixing,
        started_at: Some(app.env().now()),
        ..CheckReport::default()
    };
    drop(report);
    let mut running = Running {
        app: Arc::clone(app),
        error: Some("the check ended unexpectedly".to_owned()),
    };
    let caller = caller.clone();
    let work = tokio::spawn(async move {
        let outcome = run(&running.app, &caller, is_fixing).await;
        running.ends_with(outcome);
    });
    *app.checks.work() = Some(work);
    Ok(())
}

/// A check at work. However it ends, the next one may begin.
struct Running {
    app: Arc<App>,
    /// What is reported if nothing better is known.
    error: Option<String>,
}

impl Running {
    fn ends_with(&mut self, outcome: Result<(), AppError>) {
        self.error = outcome.err().map(|error| said(&error));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let ended_at = Some(self.app.env().now());
        let mut report = self.app.checks.report();
        report.in_progress = false;
        report.ended_at = ended_at;
        report.error = self.error.take();
        let (found, error) = (report.results.len(), report.error.as_deref());
        if found > 0 || error.is_some() {
            tracing::warn!(found, error, "the store was checked");
        } else {
            tracing::info!("the store was checked; nothing was found");
        }
    }
}

async fn run(app: &Arc<App>, caller: &Caller, is_fixing: bool) -> Result<(), AppError> {
    let looking = Arc::clone(app);
    let Inspection {
        findings,
        is_cut_short,
    } = aside(move || look(&looking)).await?;
    {
        let mut report = app.checks.report();
        report.too_many = findings.len() >= MOST;
        report.results = findings.iter().map(result).collect();
    }
    if is_fixing {
        put_right(app, caller, &findings).await?;
    }
    if is_cut_short && app.checks.is_stopped() {
        return Err(AppError::NotReady);
    }
    Ok(())
}

fn look(app: &App) -> Result<Inspection, AppError> {
    let snapshot = app.engine.snapshot()?;
    let mut inspection = inspect(&*snapshot, MOST, &|| app.checks.is_stopped())?;
    inspection.findings.truncate(MOST);
    Ok(inspection)
}

fn result(finding: &Finding) -> CheckResult {
    CheckResult {
        description: finding.to_string(),
        is_fixed: false,
    }
}

/// Puts right what can be, in two rounds: what a record names may be found only in the first.
async fn put_right(app: &Arc<App>, caller: &Caller, findings: &[Finding]) -> Result<(), AppError> {
    for _round in 0..2 {
        for (nth, chunk) in findings.chunks(AT_ONCE).enumerate() {
            if app.checks.is_stopped() {
                return Err(AppError::NotReady);
            }
            let first = nth * AT_ONCE;
            let fixed = put_right_some(app, caller, first, chunk.to_vec()).await?;
            note(app, first, &fixed);
        }
    }
    Ok(())
}

/// Puts some findings right, the results of which begin at `first`.
async fn put_right_some(
    app: &App,
    caller: &Caller,
    first: usize,
    findings: Vec<Finding>,
) -> Result<Vec<bool>, AppError> {
    let results = app
        .checks
        .report()
        .results
        .iter()
        .skip(first)
        .map(|result| result.is_fixed)
        .collect::<Vec<_>>();
    app.commit(Actor::caller(caller), move |rows| {
        let fixed = findings.iter().map(|finding| rows.put_right(finding));
        let fixed = fixed.collect::<Result<Vec<_>, _>>()?;
        for (finding, (is_fixed, was_fixed)) in findings.iter().zip(fixed.iter().zip(&results)) {
            if *is_fixed && !was_fixed {
                rows.operation("database.fix-data-integrity", &finding.to_string());
            }
        }
        Ok::<_, AppError>(fixed)
    })
    .await
}

/// Notes which of the results from `first` on are put right; answers how many were not before.
fn note(app: &App, first: usize, fixed: &[bool]) -> usize {
    let mut report = app.checks.report();
    let mut newly = 0;
    for (result, is_fixed) in report.results.iter_mut().skip(first).zip(fixed) {
        newly += usize::from(*is_fixed && !result.is_fixed);
        result.is_fixed |= *is_fixed;
    }
    newly
}

/// What kept a check from its end, in words for administrators.
fn said(error: &AppError) -> String {
    match error {
        AppError::Store(error) => error.to_string(),
        AppError::NotReady => "the controller is stopping".to_owned(),
        error => error.to_string(),
    }
}
