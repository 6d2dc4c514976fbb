//! Network values and what they have in common with each other.

mod address;
mod host;
mod socket;
mod socket_sharing;

pub(crate) use crate::network::address::{
    AdvertisedAddress, PROTOCOLS, parse_address, parse_advertised,
};
pub(crate) use crate::network::host::{could_be_interface, is_host, is_range, is_unspecified};
pub(crate) use crate::network::socket::{Socket, SocketOwner, Sockets};
