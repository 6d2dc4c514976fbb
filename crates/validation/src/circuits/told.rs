//! The circuits of a router in its own words.

use super::CircuitPlace;
use crate::answer::{Gap, NoAnswer};
use crate::bounded::{Keyed, MAX_ENTRIES};
use crate::inspection::{self, Inspection};
use portcullis_domain::ids::ControllerId;
use portcullis_wire::control::inspection::InspectResponse;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const FORWARDER: &str = "router-circuits";
pub(super) const EDGE: &str = "router-edge-circuits";
pub(super) const SDK: &str = "router-sdk-circuits";

/// Destinations that are read of a circuit; there are two.
const MAX_DESTINATIONS: usize = 8;

/// The circuits of one controller that a router has.
pub(super) struct ToldCircuits {
    /// Destinations of each: kind by address.
    pub(super) forwarder: BTreeMap<String, BTreeMap<String, String>>,
    /// The channels to the SDKs of each.
    pub(super) edge: BTreeMap<String, BTreeSet<String>>,
    pub(super) sdk: BTreeSet<String>,
    pub(super) gaps: Vec<Gap>,
    /// Channels to SDKs that have told circuits.
    telling_channels: BTreeSet<String>,
    incomplete: BTreeSet<CircuitPlace>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Forwarded {
    /// The controller that the circuit belongs to.
    #[serde(rename = "ctrlId")]
    owner: String,
    destinations: Keyed<String, MAX_DESTINATIONS>,
}

/// An end of a circuit at an SDK, as its router or the SDK has it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct End {
    #[serde(rename = "circuitId")]
    circuit: String,
    /// The controller that the circuit belongs to.
    #[serde(rename = "ctrlId")]
    owner: String,
    /// Between router and SDK.
    #[serde(rename = "channelConnId")]
    channel: String,
}

type Told<T> = Inspection<Keyed<T, MAX_ENTRIES>>;

impl ToldCircuits {
    /// Routers without an edge need not say anything of it.
    pub(super) fn read(
        answer: &InspectResponse,
        controller: &ControllerId,
    ) -> Result<Self, NoAnswer> {
        let forwarder: Told<Forwarded> = inspection::read(Ok(answer), FORWARDER)?;
        let edge: Option<Told<End>> = inspection::find(answer, EDGE)?;
        let sdk: Option<Told<End>> = inspection::find(answer, SDK)?;
        let is_complete = [
            (CircuitPlace::Forwarder, forwarder.is_complete()),
            (
                CircuitPlace::Edge,
                edge.as_ref().is_some_and(Inspection::is_complete),
            ),
            (
                CircuitPlace::Sdk,
                sdk.as_ref().is_some_and(Inspection::is_complete),
            ),
        ];
        let incomplete = is_complete
            .into_iter()
            .filter(|(_, is_complete)| !is_complete);
        let incomplete = incomplete.map(|(place, _)| place).collect();

        let (edge, sdk) = (edge.unwrap_or_default(), sdk.unwrap_or_default());
        let gaps = [forwarder.gaps, edge.gaps, sdk.gaps].concat();
        let own = |end: &End| end.owner == controller.as_str();
        let mut channels = BTreeMap::<_, BTreeSet<_>>::new();
        for end in edge.entries.kept.into_values().filter(own) {
            let of_circuit = channels.entry(end.circuit).or_default();
            of_circuit.insert(end.channel);
        }
        let mut telling_channels = BTreeSet::new();
        let mut in_sdks = BTreeSet::new();
        for end in sdk.entries.kept.into_values() {
            if own(&end) {
                in_sdks.insert(end.circuit);
            }
            telling_channels.insert(end.channel);
        }
        let carried = forwarder.entries.kept.into_iter();
        Ok(Self {
            forwarder: carried
                .filter(|(_, circuit)| circuit.owner == controller.as_str())
                .map(|(id, circuit)| (id, circuit.destinations.kept))
                .collect(),
            edge: channels,
            sdk: in_sdks,
            gaps,
            telling_channels,
            incomplete,
        })
    }

    /// Whether a circuit that was not seen in a place is not there.
    pub(super) fn is_missing(&self, place: CircuitPlace, circuit: &str) -> bool {
        if !self.incomplete.contains(&place) {
            return true;
        }
        let has_told = |channels: &BTreeSet<_>| !channels.is_disjoint(&self.telling_channels);
        place == CircuitPlace::Sdk && self.edge.get(circuit).is_some_and(has_told)
    }
}
