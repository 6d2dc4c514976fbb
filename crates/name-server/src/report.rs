//! What has to be done and told.

use crate::event::{Counters, NameServerEvent};
use crate::names::NoAddress;
use crate::output::{Client, Output};
use portcullis_tunnel_config::HostName;
use std::collections::VecDeque;

/// Events that wait for the caller. There is no end to names that get addresses, and a caller may not care.
const MAX_EVENTS: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) outputs: VecDeque<Output>,
    events: VecDeque<NameServerEvent>,
    pub(crate) counters: Counters,
    /// What has been told, and has not ended.
    lacks_addresses: bool,
    is_full: bool,
    lacks_randomness: bool,
}

impl Report {
    pub(crate) fn reply(&mut self, client: Client, message: Vec<u8>) {
        self.outputs.push_back(Output::Reply { client, message });
    }

    pub(crate) fn tell(&mut self, event: impl IntoIterator<Item = NameServerEvent>) {
        for event in event {
            if self.events.len() < MAX_EVENTS {
                self.events.push_back(event);
            }
        }
    }

    pub(crate) fn poll_event(&mut self) -> Option<NameServerEvent> {
        self.events.pop_front()
    }

    pub(crate) fn no_address(&mut self, name: &HostName, reason: NoAddress) {
        if !std::mem::replace(&mut self.lacks_addresses, true) {
            let name = name.clone();
            self.tell([NameServerEvent::NoAddress { name, reason }]);
        }
    }

    pub(crate) const fn has_addresses(&mut self) {
        self.lacks_addresses = false;
    }

    pub(crate) fn full(&mut self) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.tell([NameServerEvent::TooManyQueries]);
        }
    }

    pub(crate) const fn has_room(&mut self) {
        self.is_full = false;
    }

    pub(crate) fn no_randomness(&mut self) {
        if !std::mem::replace(&mut self.lacks_randomness, true) {
            self.tell([NameServerEvent::NoRandomness]);
        }
    }

    pub(crate) const fn has_randomness(&mut self) {
        self.lacks_randomness = false;
    }
}
