//! Connections between parts of the network.

use crate::event::size;
use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Clone, Serialize)]
pub struct Connect {
    #[serde(rename = "src_type")]
    pub source: ConnectSource,
    #[serde(rename = "dst_type")]
    pub destination: ConnectDestination,
    #[serde(rename = "src_id")]
    pub source_id: Arc<str>,
    #[serde(rename = "src_addr")]
    pub source_address: Arc<str>,
    #[serde(rename = "dst_id")]
    pub destination_id: Arc<str>,
    #[serde(rename = "dst_addr")]
    pub destination_address: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ConnectSource {
    Router,
    /// Another controller.
    Peer,
    Identity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ConnectDestination {
    #[serde(rename = "ctrl")]
    Controller,
    #[serde(rename = "router")]
    Router,
}

impl Connect {
    /// Bytes of the addresses, one of which may be what a client calls the controller.
    pub(super) fn size(&self) -> usize {
        size::texts([&*self.source_address, &*self.destination_address])
    }
}
