//! Traces.

use portcullis_forwarding::{TraceStep, trace_step};
use portcullis_wire::xgress::{Control, ControlKind};

fn trace(hops: Option<u32>) -> Control {
    Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "c".to_owned(),
        hops,
        time_millis: Some(7),
        user_value: Some(8),
        ..Control::default()
    }
}

#[test]
fn the_last_hop_answers() {
    let forwarded = trace_step(trace(Some(2)), "forwarder", "r1");
    assert_eq!(forwarded, TraceStep::Forward(trace(Some(1))));
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        hop_kind: Some("forwarder".to_owned()),
        hop_id: Some("r2".to_owned()),
        ..trace(Some(0))
    };
    let answered = trace_step(trace(Some(1)), "forwarder", "r2");
    assert_eq!(answered, TraceStep::Answer(answer.clone()));
    for hops in [Some(0), None] {
        let answered = trace_step(trace(hops), "forwarder", "r2");
        assert_eq!(answered, TraceStep::Answer(answer.clone()));
    }
    let passed_on = trace_step(answer.clone(), "forwarder", "r1");
    assert_eq!(passed_on, TraceStep::Forward(answer));
}
