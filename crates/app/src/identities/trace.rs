//! Tracing what identities send and receive.
//!
//! It is kept in memory alone, as OpenZiti keeps it: a restart ends it. It is routers that report on
//! traffic; as long as none is told about identities, nothing asks for what is kept here.

use super::{Update, find};
use crate::app::App;
use crate::error::AppError;
use crate::rank::check_touchable;
use portcullis_domain::access::Permit;
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::ids::{self, IdentityId, Number};
use portcullis_domain::trace::{Trace, TraceSpec};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The identities that are traced, by the numbers of their records.
#[derive(Debug, Default)]
pub(crate) struct Traces(Mutex<BTreeMap<Number, Trace>>);

impl Traces {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Number, Trace>> {
        // Each change is one step, so whoever panicked left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, identity: Number, trace: Option<Trace>) {
        let mut traces = self.lock();
        match trace {
            Some(trace) => traces.insert(identity, trace),
            None => traces.remove(&identity),
        };
    }

    fn of(&self, identity: Number, now: Timestamp) -> Option<Trace> {
        let traces = self.lock();
        traces
            .get(&identity)
            .filter(|trace| now < trace.until)
            .cloned()
    }
}

/// Begins to trace an identity, in the place of how it was traced before, or ends that for `None`.
/// Answers how it is traced then.
pub async fn trace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: Option<TraceSpec>,
) -> Result<Option<Trace>, AppError> {
    let found = find(app.snapshot()?.rows(), id)?;
    check_touchable(permit.caller(), &found.entity)?;
    let trace = spec.map(|spec| begun(app, spec)).transpose()?;
    app.traces.set(found.number(), trace.clone());
    let operation = match trace {
        Some(_) => "identity.trace",
        None => "identity.end-trace",
    };
    app.record(permit.caller(), operation, id.as_str()).await?;
    Ok(trace)
}

fn begun(app: &App, spec: TraceSpec) -> Result<Trace, AppError> {
    let id = match spec.id {
        Some(id) => id,
        None => ids::short(&*app.env().entropy)?,
    };
    Ok(Trace {
        id,
        until: clock::later(app.env().now(), spec.duration),
        channels: spec.channels,
    })
}

/// How an identity is traced now; `None` if it is not.
pub fn traced(app: &App, id: &IdentityId) -> Result<Option<Trace>, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    Ok(app.traces.of(found.number(), app.env().now()))
}

/// How many identities are remembered as traced.
pub fn traces(app: &App) -> usize {
    app.traces.lock().len()
}

/// Forgets what has ended, and whom there is no more.
pub(crate) fn forget_ended(app: &App) {
    if !app.projections().is_ready() {
        return;
    }
    let now = app.env().now();
    let identities = app.projections().identities();
    let mut traces = app.traces.lock();
    traces.retain(|number, trace| now < trace.until && identities.contains(*number));
}
