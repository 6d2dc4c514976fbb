//! What a router carries, as it answers inspections.
//!
//! | Value | Content |
//! |---|---|
//! | `router-circuits` | `{"circuits": {ID: {"ctrlId", "routes": {FROM: TO}, "destinations": {ADDRESS: KIND}}}}` |
//! | `router-edge-circuits` | `{"circuits": {…: {"circuitId", "address", "identityId", "originator", "ctrlId", "tags"}}}` |
//!
//! The second one tells by whom a circuit was dialed here. A router that has too many to list says so in `errors`, a list of
//! texts.

use super::tags;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_fabric::{Address, CircuitId, Forward, ForwardKind};
use portcullis_wire::control::inspection::{InspectRequest, InspectResponse};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const CIRCUITS: &str = "router-circuits";
const EDGE_CIRCUITS: &str = "router-edge-circuits";
/// What the end that has dialed calls itself.
const INITIATOR: &str = "Initiator";

/// What a router says that it carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedReports {
    pub(crate) circuits: Vec<CarriedReport>,
    /// Whether these are all.
    pub(crate) is_complete: bool,
}

/// A circuit that a router carries, and its origin if it was dialed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedReport {
    pub(crate) id: CircuitId,
    pub(crate) forwards: Vec<Forward>,
    pub(crate) origin: Option<Origin>,
}

/// By whom a circuit was dialed, as its router says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) ingress: Address,
    pub(crate) client: IdentityId,
    pub(crate) service: ServiceId,
    /// Who hosts.
    pub(crate) host: Option<IdentityId>,
}

/// A router did not say what it carries.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnreadableReport {
    #[error("the answer has no value `{CIRCUITS}`")]
    Missing,
    #[error("the value `{0}` is not what it should be")]
    Invalid(&'static str, #[source] serde_json::Error),
}

#[derive(Deserialize)]
struct Circuits<T> {
    circuits: Option<HashMap<String, T>>,
    errors: Option<Vec<String>>,
}

impl<T> Circuits<T> {
    fn is_complete(&self) -> bool {
        self.errors.as_ref().is_none_or(Vec::is_empty)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Circuit {
    ctrl_id: String,
    routes: Option<BTreeMap<String, String>>,
    destinations: Option<HashMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EdgeCircuit {
    circuit_id: String,
    address: String,
    identity_id: String,
    originator: String,
    tags: Option<BTreeMap<String, String>>,
}

/// Asks a router what it carries.
pub(crate) fn carried_request() -> InspectRequest {
    InspectRequest {
        names: [CIRCUITS, EDGE_CIRCUITS].map(str::to_owned).to_vec(),
    }
}

/// The circuits of this controller that a router carries.
///
/// # Errors
///
/// If the answer does not say which: it is not known then that there are none.
pub(crate) fn carried_circuits(
    response: &InspectResponse,
    controller: &str,
) -> Result<CarriedReports, UnreadableReport> {
    let told: Circuits<Circuit> = value(response, CIRCUITS)?.ok_or(UnreadableReport::Missing)?;
    let origins_told: Option<Circuits<EdgeCircuit>> = value(response, EDGE_CIRCUITS)?;
    let is_complete = told.is_complete() && origins_told.as_ref().is_none_or(Circuits::is_complete);
    let mut origins = origins(
        origins_told
            .and_then(|told| told.circuits)
            .unwrap_or_default(),
    );
    let circuits = told.circuits.unwrap_or_default();
    let own = circuits
        .into_iter()
        .filter(|(_, circuit)| circuit.ctrl_id == controller);
    let reports = own.filter_map(|(id, circuit)| {
        Some(CarriedReport {
            origin: origins.remove(&id),
            id: CircuitId::new(&id).ok()?,
            forwards: forwards(circuit),
        })
    });
    Ok(CarriedReports {
        circuits: reports.collect(),
        is_complete,
    })
}

fn value<T: for<'de> Deserialize<'de>>(
    response: &InspectResponse,
    name: &'static str,
) -> Result<Option<Circuits<T>>, UnreadableReport> {
    let found = response.values.iter().find(|value| value.name == name);
    let Some(found) = found else {
        return Ok(None);
    };
    let circuits = serde_json::from_str(found.value.expose())
        .map_err(|error| UnreadableReport::Invalid(name, error))?;
    Ok(Some(circuits))
}

/// Forwards whose destination is still there.
fn forwards(circuit: Circuit) -> Vec<Forward> {
    let destinations = circuit.destinations.unwrap_or_default();
    let routes = circuit.routes.unwrap_or_default().into_iter();
    routes
        .filter_map(|(from, to)| {
            Some(Forward {
                kind: kind(destinations.get(&to)?),
                from: Address::new(&from).ok()?,
                to: Address::new(&to).ok()?,
            })
        })
        .collect()
}

/// Which end it is, the router does not say.
fn kind(destination: &str) -> ForwardKind {
    if destination.starts_with("xg") {
        ForwardKind::End
    } else {
        ForwardKind::Link
    }
}

fn origins(circuits: HashMap<String, EdgeCircuit>) -> HashMap<String, Origin> {
    let dialed = circuits
        .into_values()
        .filter(|circuit| circuit.originator == INITIATOR);
    dialed
        .filter_map(|circuit| {
            let told = circuit.tags?;
            let origin = Origin {
                service: tags::service(&told)?,
                host: tags::host(&told),
                ingress: Address::new(&circuit.address).ok()?,
                client: IdentityId::from_wire(circuit.identity_id),
            };
            Some((circuit.circuit_id, origin))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_wire::control::inspection::InspectedValue;

    fn response(values: &[(&str, &str)]) -> InspectResponse {
        let values = values.iter().map(|(name, value)| InspectedValue {
            name: (*name).to_owned(),
            value: (*value).to_owned().into(),
        });
        InspectResponse {
            is_success: true,
            errors: Vec::new(),
            values: values.collect(),
        }
    }

    const CARRIED: &str = r#"{"circuits":{"c":{"ctrlId":"c1","destinations":{"a":"xgress","b":"link"},
        "id":"c","routes":{"a":"b","b":"a","x":"gone"},"timeSinceActivity":"389ms"},
        "other":{"ctrlId":"c2","routes":null,"destinations":null}}}"#;

    #[test]
    fn router_says_what_it_forwards_and_who_has_dialed() {
        let edge = r#"{"circuits":{"c/a":{"circuitId":"c","address":"a","identityId":"i",
            "originator":"Initiator","ctrlId":"c1","edgeConnId":1,"channelConnId":"G8yq",
            "timeSinceLastLinkRx":"1s","tags":{"serviceId":"s","clientId":"i","hostId":"h"}}}}"#;
        let response = response(&[(EDGE_CIRCUITS, edge), (CIRCUITS, CARRIED)]);
        let told = carried_circuits(&response, "c1").unwrap();
        assert!(told.is_complete);
        let carried = told.circuits;
        assert_eq!(carried.len(), 1);
        let kinds: Vec<_> = carried[0].forwards.iter().map(|each| each.kind).collect();
        assert_eq!(kinds, [ForwardKind::Link, ForwardKind::End]);
        let origin = carried[0].origin.as_ref().unwrap();
        assert_eq!(origin.ingress.as_str(), "a");
        assert_eq!(origin.client.as_str(), "i");
        assert_eq!(origin.service.as_str(), "s");
        assert_eq!(origin.host.as_ref().unwrap().as_str(), "h");
    }

    #[test]
    fn router_that_cannot_tell_does_not_carry_nothing() {
        let without = response(&[(EDGE_CIRCUITS, r#"{"circuits":{}}"#)]);
        let error = carried_circuits(&without, "c1").unwrap_err();
        assert!(matches!(error, UnreadableReport::Missing));
        let broken = response(&[(CIRCUITS, "no inspector")]);
        let error = carried_circuits(&broken, "c1").unwrap_err();
        assert!(matches!(error, UnreadableReport::Invalid(CIRCUITS, _)));
        let none = response(&[(CIRCUITS, r#"{"circuits":null,"errors":null}"#)]);
        let told = carried_circuits(&none, "c1").unwrap();
        assert_eq!(told.circuits, []);
        assert!(told.is_complete);
    }

    #[test]
    fn router_that_leaves_circuits_out_says_so() {
        let (all, some) = (r#"{"circuits":{}}"#, r#"{"circuits":{},"errors":["more"]}"#);
        for (circuits, ends, is_complete) in
            [(all, all, true), (some, all, false), (all, some, false)]
        {
            let told = response(&[(CIRCUITS, circuits), (EDGE_CIRCUITS, ends)]);
            let told = carried_circuits(&told, "c1").unwrap();
            assert_eq!(told.is_complete, is_complete);
        }
    }
}
