//! Tracing of the traffic of identities.
//!
//! Traces are kept in memory, as in OpenZiti: a restart ends them. While there is one, the control plane
//! tells in the log what routers ask for on behalf of the identity, and tells routers to do the same with its
//! circuits.

use super::Update;
use crate::app::App;
use crate::error::AppError;
use crate::privilege::check_may_modify;
use crate::records::get_identity;
use portcullis_domain::access::Permit;
use portcullis_domain::clock;
use portcullis_domain::ids::{self, IdentityId};
use portcullis_domain::trace::{Trace, TraceSpec};

/// Starts a trace of an identity, replacing an earlier one, or ends it for `None`. Returns the new
/// state, which takes effect when it is in the audit trail.
pub async fn trace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: Option<TraceSpec>,
) -> Result<Option<Trace>, AppError> {
    let trace = spec.map(|spec| start_trace(app, spec)).transpose()?;
    let operation = match trace {
        Some(_) => "identity.trace",
        None => "identity.end-trace",
    };
    let traced = id.clone();
    let audited = app.commit_for(permit, move |rows, caller| {
        let found = get_identity(rows.rows(), &traced)?;
        check_may_modify(caller, &found.entity)?;
        rows.set_operation(operation, traced.as_str());
        Ok(found.number())
    });
    let number = audited.await?;
    app.traces.set(id, number, trace.clone());
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
    let found = get_identity(view.rows(), id)?;
    Ok(app.traces.find(&found.entity.id, app.env().now()))
}

/// The current trace of an identity, if any, without a look at its record.
pub fn find_active_trace(app: &App, id: &IdentityId) -> Option<Trace> {
    if !app.traces.are_any() {
        return None;
    }
    app.traces.find(id, app.env().now())
}

/// Whether any identity may be traced. Takes no lock.
pub fn are_any_traced(app: &App) -> bool {
    app.traces.are_any()
}

/// Number of traces in memory.
pub fn count_traces(app: &App) -> usize {
    app.traces.len()
}

/// Removes ended traces and those of deleted identities.
pub(crate) fn remove_ended(app: &App) {
    if !app.projections().is_ready() {
        return;
    }
    let now = app.env().now();
    let identities = app.projections().identities();
    app.traces
        .retain(|number, trace| now < trace.until && identities.contains(number));
}
