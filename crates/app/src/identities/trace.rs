//! Tracing of the traffic of identities.
//!
//! Traces are kept in memory, as in OpenZiti: a restart ends them. Routers would report the
//! traffic; since they are not told about identities yet, nothing reads the traces.

use super::{Update, find};
use crate::app::App;
use crate::error::AppError;
use crate::privilege::check_may_modify;
use portcullis_domain::access::Permit;
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::ids::{self, IdentityId, RecordNumber};
use portcullis_domain::trace::{Trace, TraceSpec};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Traced identities by record number.
#[derive(Debug, Default)]
pub(crate) struct Traces(Mutex<BTreeMap<RecordNumber, Trace>>);

impl Traces {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RecordNumber, Trace>> {
        // Each change is a single step, so a panic leaves nothing inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, identity: RecordNumber, trace: Option<Trace>) {
        let mut traces = self.lock();
        match trace {
            Some(trace) => traces.insert(identity, trace),
            None => traces.remove(&identity),
        };
    }

    fn find(&self, identity: RecordNumber, now: Timestamp) -> Option<Trace> {
        let traces = self.lock();
        traces
            .get(&identity)
            .filter(|trace| now < trace.until)
            .cloned()
    }
}

/// Starts a trace of an identity, replacing an earlier one, or ends it for `None`. Returns the new
/// state.
pub async fn trace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: Option<TraceSpec>,
) -> Result<Option<Trace>, AppError> {
    let found = find(app.snapshot()?.rows(), id)?;
    check_may_modify(permit.caller(), &found.entity)?;
    let trace = spec.map(|spec| start_trace(app, spec)).transpose()?;
    app.traces.set(found.number(), trace.clone());
    let operation = match trace {
        Some(_) => "identity.trace",
        None => "identity.end-trace",
    };
    app.audit_operation(permit.caller(), operation, id.as_str())
        .await?;
    Ok(trace)
}

fn start_trace(app: &App, spec: TraceSpec) -> Result<Trace, AppError> {
    let id = match spec.id {
        Some(id) => id,
        None => ids::short(&*app.env().entropy)?,
    };
    Ok(Trace {
        id,
        until: clock::saturating_add(app.env().now(), spec.duration),
        channels: spec.channels,
    })
}

/// The current trace of an identity, if any.
pub fn find_trace(app: &App, id: &IdentityId) -> Result<Option<Trace>, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    Ok(app.traces.find(found.number(), app.env().now()))
}

/// Number of traces in memory.
pub fn count_traces(app: &App) -> usize {
    app.traces.lock().len()
}

/// Removes ended traces and those of deleted identities.
pub(crate) fn remove_ended(app: &App) {
    if !app.projections().is_ready() {
        return;
    }
    let now = app.env().now();
    let identities = app.projections().identities();
    let mut traces = app.traces.lock();
    traces.retain(|number, trace| now < trace.until && identities.contains(*number));
}
