//! What the entries of `listeners` say.

use std::time::Duration;

use portcullis_router_config::Binding;
use portcullis_router_config::model::Listener;
use portcullis_xgress::Options;

use crate::address::{AddressError, PacketAddress, Protocol, TransportAddress};
use crate::circuits::end_options;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// A listener cannot be opened as the file has it. The text names the key.
#[derive(Debug, thiserror::Error)]
pub enum IngressError {
    #[error(transparent)]
    Incomplete(#[from] IncompleteConfigError),
    #[error("`{key}`: {error}")]
    Address {
        key: String,
        #[source]
        error: AddressError,
    },
}

/// A listener for whoever speaks no SDK.
#[derive(Debug, Clone, PartialEq)]
pub struct IngressSettings {
    /// Its place in the file, such as `listeners[1]`.
    pub key: String,
    pub entrance: Entrance,
    /// Of the circuits that begin there.
    pub end: Options,
    /// How long the controller may take to create a circuit.
    pub circuit_timeout: Duration,
}

/// Where clients come in, and which way they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrance {
    Streams(StreamDoor),
    Packets(PacketDoor),
}

impl Entrance {
    /// The service that everything is sent to; without it, clients say which one they want.
    pub fn service(&self) -> Option<&str> {
        match self {
            Self::Streams(door) => door.service.as_deref(),
            Self::Packets(door) => door.service.as_deref(),
        }
    }
}

/// Accepts streams, at a TCP or TLS address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamDoor {
    pub address: TransportAddress,
    /// The service that everything is sent to; without it, clients say which one they want.
    pub service: Option<String>,
}

/// Takes datagrams; each source has a circuit of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketDoor {
    pub address: PacketAddress,
    /// As in [`StreamDoor::service`].
    pub service: Option<String>,
}

/// Reads those entries of `listeners` that are for whoever speaks no SDK.
///
/// # Errors
///
/// [`IngressError`] for an entry that this router cannot open.
pub fn ingress_settings(listeners: &[Listener]) -> Result<Vec<IngressSettings>, IngressError> {
    let entries = listeners.iter().enumerate();
    entries
        .filter_map(|(index, entry)| Entry::new(index, entry).read().transpose())
        .collect()
}

/// An entry and its place.
struct Entry<'config> {
    key: String,
    entry: &'config Listener,
}

impl<'config> Entry<'config> {
    fn new(index: usize, entry: &'config Listener) -> Self {
        Self {
            key: format!("listeners[{index}]"),
            entry,
        }
    }

    fn read(self) -> Result<Option<IngressSettings>, IngressError> {
        let binding = self
            .reader()
            .value("binding", self.entry.binding.as_ref())?;
        let entrance = match Binding::from_name(binding) {
            Some(Binding::Transport) => Entrance::Streams(self.stream_door(None)?),
            Some(Binding::Proxy) => Entrance::Streams(self.stream_door(Some(self.service()?))?),
            Some(Binding::TransportUdp) => Entrance::Packets(self.packet_door(None)?),
            Some(Binding::ProxyUdp) => Entrance::Packets(self.packet_door(Some(self.service()?))?),
            _ => return Ok(None),
        };
        let options = format!("{}.options", self.key);
        let timeout = self.entry.circuits.get_circuit_timeout.as_ref();
        let circuit_timeout =
            SectionReader::new(&options).duration("getCircuitTimeout", timeout)?;
        Ok(Some(IngressSettings {
            end: end_options(&self.entry.circuits)?,
            key: self.key,
            entrance,
            circuit_timeout,
        }))
    }

    fn stream_door(&self, service: Option<String>) -> Result<StreamDoor, IngressError> {
        let address: TransportAddress = self.address(str::parse)?;
        if address.protocol == Protocol::Udp {
            let binding = if service.is_some() {
                Binding::ProxyUdp.name()
            } else {
                Binding::TransportUdp.name()
            };
            return Err(self.address_error(AddressError::Datagrams { binding }));
        }
        Ok(StreamDoor { address, service })
    }

    fn packet_door(&self, service: Option<String>) -> Result<PacketDoor, IngressError> {
        let address = self.address(str::parse)?;
        Ok(PacketDoor { address, service })
    }

    fn address<T>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, AddressError>,
    ) -> Result<T, IngressError> {
        let text = self
            .reader()
            .value("address", self.entry.address.as_ref())?;
        parse(text).map_err(|error| self.address_error(error))
    }

    fn address_error(&self, error: AddressError) -> IngressError {
        IngressError::Address {
            key: format!("{}.address", self.key),
            error,
        }
    }

    fn service(&self) -> Result<String, IncompleteConfigError> {
        let service = self
            .reader()
            .value("service", self.entry.service.as_ref())?;
        Ok(service.clone())
    }

    fn reader(&self) -> SectionReader<'_> {
        SectionReader::new(&self.key)
    }
}
