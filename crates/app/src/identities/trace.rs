//! Tracing of the traffic of identities.
//!
//! Traces are kept in memory, as in OpenZiti: a restart ends them. Routers would report the
//! traffic; since they are not told about identities yet, nothing reads the traces.

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
/// state.
pub async fn trace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: Option<TraceSpec>,
) -> Result<Option<Trace>, AppError> {
    let found = get_identity(app.snapshot()?.rows(), id)?;
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
    let found = get_identity(view.rows(), id)?;
    Ok(app.traces.find(found.number(), app.env().now()))
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
