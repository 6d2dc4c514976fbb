//! What a router has of circuits.

use super::router::LinkEnd;
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::control::route::{DestinationKind, Route, RouteFailure};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was set up for one circuit.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    forwards: BTreeMap<String, String>,
    /// The end where it was dialed, and the tags that came with it.
    pub(crate) ingress: Option<(String, BTreeMap<String, String>)>,
    pub(crate) egress: Option<String>,
}

/// Where data goes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    Arrived,
    Link(String),
    Fault,
}

impl Entry {
    pub(crate) fn is_end(&self, address: &str) -> bool {
        self.egress.as_deref() == Some(address)
            || self.ingress.as_ref().is_some_and(|(end, _)| end == address)
    }

    pub(crate) fn ends(&self) -> Vec<String> {
        let ingress = self.ingress.as_ref().map(|(address, _)| address);
        ingress.into_iter().chain(&self.egress).cloned().collect()
    }

    /// Closes an end; whether it was there.
    pub(crate) fn close(&mut self, end: FaultSubject) -> bool {
        match end {
            FaultSubject::Ingress => self.ingress.take().is_some(),
            _ => self.egress.take().is_some(),
        }
    }

    /// Sets up a route.
    pub(crate) fn set_up(
        &mut self,
        route: &Route,
        hosted: &BTreeSet<String>,
        links: &BTreeMap<String, LinkEnd>,
    ) -> Result<(), RouteFailure> {
        if let Some(egress) = &route.egress
            && self.egress.as_ref() != Some(&egress.address)
        {
            if !hosted.contains(&egress.destination) {
                return Err(RouteFailure::InvalidTerminator);
            }
            self.egress = Some(egress.address.clone());
        }
        for forward in &route.forwards {
            let to = &forward.destination;
            let is_there = match forward.destination_kind {
                DestinationKind::Link => links.contains_key(to),
                DestinationKind::End => self.is_end(to),
                _ => true,
            };
            if !is_there {
                return Err(RouteFailure::InvalidLinkDestination);
            }
            self.forwards.insert(forward.source.clone(), to.clone());
        }
        Ok(())
    }

    pub(crate) fn next(&self, from: &str) -> Hop {
        match self.forwards.get(from) {
            None => Hop::Fault,
            Some(to) if self.is_end(to) => Hop::Arrived,
            Some(to) => Hop::Link(to.clone()),
        }
    }

    fn shown(&self, id: &str, controller: &str, links: &BTreeMap<String, LinkEnd>) -> Value {
        let targets = self.forwards.values();
        let destinations: Map<_, _> = targets
            .filter_map(|to| {
                let is_end = self.is_end(to);
                let kind = if is_end { "xgress" } else { "link" };
                (is_end || links.contains_key(to)).then(|| (to.clone(), json!(kind)))
            })
            .collect();
        json!({
            "id": id, "ctrlId": controller, "routes": self.forwards, "destinations": destinations,
        })
    }
}

/// The answer to the question what a router carries.
pub(crate) fn carried(
    circuits: &BTreeMap<String, Entry>,
    links: &BTreeMap<String, LinkEnd>,
    (controller, router): (&str, &str),
) -> InspectResponse {
    let shown = circuits.iter();
    let shown: Map<_, _> = shown
        .map(|(id, entry)| (id.clone(), entry.shown(id, controller, links)))
        .collect();
    let dialed = circuits.iter().filter_map(|(id, entry)| {
        let (address, tags) = entry.ingress.as_ref()?;
        let origin = json!({
            "circuitId": id, "address": address, "identityId": router, "originator": "Initiator",
            "ctrlId": controller, "tags": tags,
        });
        Some((format!("{id}/{address}"), origin))
    });
    let values = [
        ("router-circuits", shown),
        ("router-edge-circuits", dialed.collect()),
    ];
    let values = values.map(|(name, circuits)| InspectedValue {
        name: name.to_owned(),
        value: json!({"circuits": circuits}).to_string().into(),
    });
    InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: values.into(),
    }
}
