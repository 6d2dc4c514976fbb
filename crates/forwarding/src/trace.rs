//! Traces of the way of a circuit.

use portcullis_wire::xgress::{Control, ControlKind};

/// What becomes of a trace at a router.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceStep {
    /// It goes on, the same way as a payload.
    Forward(Control),
    /// It has come far enough: this is the answer, which goes back to where it came from.
    Answer(Control),
}

/// Counts a router, or the end of a circuit at it. `kind` is `forwarder`, or that of the end, such as
/// `xgress/edge`; `id` is that of the router.
pub fn trace_step(trace: Control, kind: &str, id: &str) -> TraceStep {
    if trace.kind != ControlKind::TraceRoute {
        return TraceStep::Forward(trace);
    }
    let left = trace.hops.unwrap_or_default().saturating_sub(1);
    let counted = Control {
        hops: Some(left),
        ..trace
    };
    if left > 0 {
        return TraceStep::Forward(counted);
    }
    TraceStep::Answer(Control {
        kind: ControlKind::TraceRouteAnswer,
        hop_kind: Some(kind.to_owned()),
        hop_id: Some(id.to_owned()),
        ..counted
    })
}
