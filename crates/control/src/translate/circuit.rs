//! Routes and their results, unroutes, idle circuits.

use super::peer_data;
use portcullis_fabric::{
    CircuitId, Forward, ForwardKind, Route, RouteErrorCode, RouteFailure, RouteId, RouteResult,
};
use portcullis_wire::control::circuit::CircuitConfirmation;
use portcullis_wire::control::route as wire;
use std::collections::BTreeMap;
use std::time::Duration;

/// A circuit, and for how long it was not used.
pub(crate) type IdleCircuit = (CircuitId, Duration);

/// What a router has to do for a circuit.
pub(crate) fn route(route: &Route) -> wire::Route {
    let egress = route.egress.as_ref().map(|egress| wire::Egress {
        binding: egress.binding.clone(),
        address: egress.address.as_str().to_owned(),
        destination: egress.destination.clone(),
        peer_data: peer_data::to_wire(&egress.peer_data),
    });
    wire::Route {
        circuit_id: route.circuit.as_str().to_owned(),
        attempt: route.attempt,
        egress,
        forwards: route.forwards.iter().map(forward).collect(),
        context: Some(context(route)),
        timeout_nanos: u64::try_from(route.timeout.as_nanos()).unwrap_or(u64::MAX),
        tags: (*route.tags).clone(),
    }
}

fn forward(forward: &Forward) -> wire::Forward {
    wire::Forward {
        source: forward.from.as_str().to_owned(),
        destination: forward.to.as_str().to_owned(),
        destination_kind: match forward.kind {
            ForwardKind::Start => wire::DestinationKind::Start,
            ForwardKind::End => wire::DestinationKind::End,
            ForwardKind::Link => wire::DestinationKind::Link,
        },
    }
}

/// What the logs of routers name.
fn context(route: &Route) -> wire::RouteContext {
    let fields = [
        ("circuitId", route.circuit.as_str().to_owned()),
        ("attemptNumber", route.attempt.to_string()),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    wire::RouteContext {
        fields: BTreeMap::from(fields),
        channel_mask: 0,
    }
}

pub(crate) fn unroute(circuit: &CircuitId, is_immediate: bool) -> wire::Unroute {
    wire::Unroute {
        circuit_id: circuit.as_str().to_owned(),
        is_immediate,
    }
}

/// The answer to a route, which is known by the message that it replies to.
pub(crate) fn route_result(
    result: wire::RouteResult,
    route: Option<RouteId>,
) -> Option<RouteResult> {
    let circuit = CircuitId::new(&result.circuit_id).ok()?;
    let outcome = match result.outcome {
        wire::RouteOutcome::Routed(data) => Ok(peer_data::from_wire(data)),
        wire::RouteOutcome::Failed { reason, failure } => Err(RouteFailure {
            code: error_code(failure),
            text: reason,
        }),
    };
    Some(RouteResult {
        route,
        circuit,
        outcome,
    })
}

/// What a router says of its failure; unknown numbers are generic.
fn error_code(failure: wire::RouteFailure) -> RouteErrorCode {
    RouteErrorCode::from_wire(u8::try_from(failure.code()).unwrap_or_default())
}

/// Circuits that a router carries and nobody uses. A missing or negative time counts as none.
pub(crate) fn idle_circuits(confirmation: &CircuitConfirmation) -> Vec<IdleCircuit> {
    let ids = confirmation.circuit_ids.iter();
    ids.filter_map(|id| {
        let nanos = confirmation.idle_nanos.get(id).copied();
        let nanos = nanos.and_then(|nanos| u64::try_from(nanos).ok());
        let idle = Duration::from_nanos(nanos.unwrap_or_default());
        Some((CircuitId::new(id).ok()?, idle))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_fabric::{Address, Egress};
    use portcullis_wire::Secret;
    use portcullis_wire::control::ControlMessage;
    use std::sync::Arc;

    fn address(text: &str) -> Address {
        Address::new(text).unwrap()
    }

    #[test]
    fn route_of_the_last_router_says_what_to_dial() {
        let data = BTreeMap::from([(1003, vec![7; 32])]);
        let said = route(&Route {
            circuit: CircuitId::new("c").unwrap(),
            attempt: 1,
            egress: Some(Egress {
                binding: "edge".to_owned(),
                destination: "t".to_owned(),
                address: address("e"),
                peer_data: Arc::new(data),
            }),
            forwards: vec![Forward {
                from: address("e"),
                to: address("l"),
                kind: ForwardKind::Link,
            }],
            timeout: Duration::from_secs(10),
            tags: Arc::default(),
        });
        let egress = said.egress.as_ref().unwrap();
        assert_eq!((&*egress.address, &*egress.destination), ("e", "t"));
        assert_eq!(egress.peer_data[&1003].expose().len(), 32);
        assert_eq!(
            said.forwards[0].destination_kind,
            wire::DestinationKind::Link
        );
        assert_eq!(said.timeout_nanos, 10_000_000_000);
        // It can be sent, and is read as it was meant.
        let message = ControlMessage::Route(said.clone()).encode().unwrap();
        assert_eq!(
            ControlMessage::decode(&message).unwrap(),
            ControlMessage::Route(said)
        );
    }

    #[test]
    fn failures_keep_their_number() {
        for (failure, code) in [
            (wire::RouteFailure::Generic, RouteErrorCode::Generic),
            (
                wire::RouteFailure::InvalidTerminator,
                RouteErrorCode::InvalidTerminator,
            ),
            (
                wire::RouteFailure::ResourcesNotAvailable,
                RouteErrorCode::ResourcesNotAvailable,
            ),
            (
                wire::RouteFailure::Unrecognized(77),
                RouteErrorCode::Generic,
            ),
        ] {
            assert_eq!(error_code(failure), code);
        }
    }

    #[test]
    fn result_without_a_route_is_still_a_result() {
        let result = wire::RouteResult {
            circuit_id: "c".to_owned(),
            attempt: 0,
            outcome: wire::RouteOutcome::Routed(BTreeMap::from([(
                1003,
                Secret::new(vec![1].into()),
            )])),
        };
        let read = route_result(result, None).unwrap();
        assert_eq!(read.route, None);
        assert_eq!(read.outcome, Ok(BTreeMap::from([(1003, vec![1])])));
    }

    #[test]
    fn idle_time_that_is_missing_or_negative_is_none() {
        let circuit_ids = ["a", "b", "c"].map(str::to_owned).to_vec();
        let times = [("a".to_owned(), 1_500_000_000), ("b".to_owned(), -5)];
        let idle = idle_circuits(&CircuitConfirmation {
            circuit_ids,
            idle_nanos: BTreeMap::from(times),
        });
        let times: Vec<_> = idle.into_iter().map(|(_, idle)| idle).collect();
        let expected = [Duration::from_millis(1500), Duration::ZERO, Duration::ZERO];
        assert_eq!(times, expected);
    }
}
