//! What details, and texts of controllers, mean.

use portcullis_domain::ids::{IdentityId, LinkId, RouterId};
use portcullis_validation::{
    CircuitPlace, Finding as _, IdentityDisagreement, LinkDisagreement, ModelDisagreement, NoAnswer,
};
use portcullis_wire::management::{CircuitDetail, LinkDetail, LinkValidity};
use std::collections::BTreeSet;

/// The disagreement that a detail tells of. Where connections differ, its text says how.
pub(super) fn link_disagreement(detail: &LinkDetail) -> LinkDisagreement {
    let link = LinkId::from_wire(detail.link_id.as_str());
    let destination = RouterId::from_wire(detail.destination.as_str());
    let is_there = |state| state != LinkValidity::Unknown;
    match (
        is_there(detail.controller_state),
        is_there(detail.router_state),
    ) {
        (false, _) => LinkDisagreement::UnknownToController { link, destination },
        (true, false) => LinkDisagreement::UnknownToRouter {
            link,
            destination,
            since: None,
        },
        (true, true) if !detail.is_destination_connected => {
            LinkDisagreement::DestinationNotConnected {
                link,
                destination,
                since: None,
            }
        },
        (true, true) => LinkDisagreement::Iteration {
            link,
            controller: 0,
            router: 0,
        },
    }
}

pub(super) fn missing_in(circuit: &CircuitDetail) -> BTreeSet<CircuitPlace> {
    let places = [
        (circuit.is_missing_in_controller, CircuitPlace::Controller),
        (circuit.is_missing_in_forwarder, CircuitPlace::Forwarder),
        (circuit.is_missing_in_edge, CircuitPlace::Edge),
        (circuit.is_missing_in_sdk, CircuitPlace::Sdk),
    ];
    let missing = places.into_iter().filter(|(is_missing, _)| *is_missing);
    missing.map(|(_, place)| place).collect()
}

/// The kind of disagreement that a text tells of.
pub(super) fn identity_disagreement(text: &str) -> IdentityDisagreement {
    let identity = IdentityId::from_wire("");
    if text.contains("events of identity") || text.contains("reported events") {
        IdentityDisagreement::Unreported {
            identity,
            events: 0,
            has_state_changed: false,
        }
    } else {
        IdentityDisagreement::UnknownToController { identity }
    }
}

pub(super) fn is_own_identity(text: &str, router: &str) -> bool {
    text == format!("ctrl reports identity {router} is connected, but router disagrees")
}

pub(super) fn model_advice(is_of_router: bool) -> &'static str {
    if is_of_router {
        let text = String::new;
        ModelDisagreement {
            entity_type: text(),
            entity_id: text(),
            kind: text(),
            detail: text(),
        }
        .advice()
    } else {
        "Restart the controller: it builds the model anew from its store."
    }
}

/// Whether a text says that the router has told nothing.
pub(super) fn is_no_answer(text: &str) -> bool {
    no_answers()
        .iter()
        .any(|(answer, _)| text.starts_with(answer.as_str()))
}

pub(super) fn no_answer_advice(text: &str) -> &'static str {
    no_answers()
        .into_iter()
        .find(|(answer, _)| text.starts_with(answer.as_str()))
        .map_or_else(
            || NoAnswer::Refused(Vec::new()).advice(),
            |(_, advice)| advice,
        )
}

/// How controllers say that a router has told nothing, with the advice for it.
fn no_answers() -> [(String, &'static str); 3] {
    [
        NoAnswer::TimedOut,
        NoAnswer::Refused(Vec::new()),
        NoAnswer::Unreadable(String::new()),
    ]
    .map(|answer| (answer.to_string(), answer.advice()))
}
