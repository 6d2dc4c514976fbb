//! Which client has how many flows, and which of them it has used least recently.

use crate::flow::FlowKey;
use crate::options::FlowOptions;
use portcullis_domain::peer::{Peer, PeerUsage};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

#[derive(Debug, Default)]
pub(crate) struct Clients {
    flows: HashMap<IpAddr, BTreeMap<u64, FlowKey>>,
    usage: PeerUsage,
}

/// Where a new flow finds room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Free,
    InPlaceOf(FlowKey),
    None,
}

impl Clients {
    pub(crate) fn insert(&mut self, key: FlowKey, last_use: u64) {
        let client = address(key);
        self.flows.entry(client).or_default().insert(last_use, key);
        self.usage.charge(Peer::Address(client), 1);
    }

    pub(crate) fn remove(&mut self, key: FlowKey, last_use: u64) {
        let client = address(key);
        let Some(flows) = self.flows.get_mut(&client) else {
            return;
        };
        if flows.remove(&last_use).is_some() {
            self.usage.release(Peer::Address(client), 1);
        }
        if flows.is_empty() {
            self.flows.remove(&client);
        }
    }

    /// A flow is used again.
    pub(crate) fn renew(&mut self, key: FlowKey, last_use: u64, this_use: u64) {
        if let Some(flows) = self.flows.get_mut(&address(key)) {
            flows.remove(&last_use);
            flows.insert(this_use, key);
        }
    }

    /// Where a further flow of the client finds room, by the rule that the crate promises.
    pub(crate) fn room_for(&self, key: FlowKey, options: &FlowOptions) -> Room {
        let client = Peer::Address(address(key));
        let own = self.usage.get(client);
        let in_place_of = |client| self.oldest(client).map_or(Room::None, Room::InPlaceOf);
        if own > 0 && own >= options.max_flows_of_client {
            return in_place_of(client);
        }
        if self.usage.total() < options.max_flows {
            return Room::Free;
        }
        match self.usage.heaviest() {
            Some((other, most)) if most > own + 1 => in_place_of(other),
            _ => in_place_of(client),
        }
    }

    /// The flow that a client has used least recently.
    fn oldest(&self, client: Peer) -> Option<FlowKey> {
        let Peer::Address(client) = client else {
            return None;
        };
        let (_, key) = self.flows.get(&client)?.first_key_value()?;
        Some(*key)
    }
}

fn address(key: FlowKey) -> IpAddr {
    key.client.ip().to_canonical()
}
