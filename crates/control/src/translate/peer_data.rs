//! What the two ends of a circuit tell each other.

use portcullis_fabric::PeerData;
use portcullis_wire::Secret;
use portcullis_wire::peer_data::PeerData as WirePeerData;

pub(crate) fn from_wire(data: WirePeerData) -> PeerData {
    let entries = data.into_iter();
    entries
        .map(|(number, value)| (number, value.into_inner().to_vec()))
        .collect()
}

pub(crate) fn to_wire(data: &PeerData) -> WirePeerData {
    let entries = data.iter();
    entries
        .map(|(number, value)| (*number, Secret::new(value.clone().into())))
        .collect()
}
