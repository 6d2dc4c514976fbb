//! Sockets that OpenZiti opens.

use std::collections::HashMap;
use std::net::IpAddr;

use portcullis_yaml::Field;
use portcullis_yaml::syntax::HostPort;

use crate::codes;
use crate::finding::Stage;
use crate::openziti::address::{Address, is_domain_name};
use crate::openziti::loader::Loader;
use crate::openziti::socket_sharing::conflict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketOwner {
    Link,
    Edge,
    Plain,
    Ctrl,
    Web,
    ApiProxy,
}

#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) owner: SocketOwner,
    pub(crate) protocol: &'static str,
    pub(crate) host_port: HostPort,
    pub(crate) path: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Sockets {
    /// ALPN protocol from the section `transport`.
    alpn_protocol: Option<String>,
    by_port: HashMap<u16, Vec<Socket>>,
}

impl Sockets {
    /// Sets the ALPN protocol from the section `transport`.
    pub(crate) fn set_alpn_protocol(&mut self, protocol: &str) {
        self.alpn_protocol = Some(protocol.to_owned());
    }

    /// Opens a socket; returns the one that conflicts with it, if any.
    pub(crate) fn open(&mut self, socket: Socket) -> Option<&Socket> {
        let others = self.by_port.entry(socket.host_port.port).or_default();
        let protocol = self.alpn_protocol.as_deref();
        let position = others
            .iter()
            .position(|other| conflict(other, &socket, protocol));
        if position.is_none() {
            others.push(socket);
        }
        others.get(position?)
    }
}

impl Loader<'_> {
    /// Opens the socket of an address, or reports why that fails.
    pub(super) fn listen(
        &mut self,
        field: &Field<'_>,
        address: &Address,
        owner: SocketOwner,
    ) -> bool {
        if address.protocol == "ws" {
            let message = "`ws` is not supported; use `wss`";
            self.refuse(field, codes::INVALID_VALUE, message);
            return false;
        }
        if let Some(place) = &address.host_port {
            self.listen_at(field, address.protocol, place, owner)
        } else {
            let message = format!("`{address}` has no host and port to listen on");
            self.refuse(field, codes::INVALID_VALUE, message);
            false
        }
    }

    /// Opens a socket for a protocol, or reports why that fails.
    pub(super) fn listen_at(
        &mut self,
        field: &Field<'_>,
        kind: &'static str,
        place: &HostPort,
        owner: SocketOwner,
    ) -> bool {
        if !self.is_local(&place.host) {
            let message = format!("`{}` is not an address of this machine", place.host);
            self.fail(field, owner, codes::UNREACHABLE, message);
            return false;
        }
        let socket = Socket {
            owner,
            protocol: kind,
            host_port: place.clone(),
            path: field.path().to_string(),
        };
        if let Some(other) = self.sockets.open(socket) {
            let message = other.conflict_message();
            self.fail(field, owner, codes::PORT_TAKEN, message);
            return false;
        }
        true
    }

    /// Web servers start in the background, where a failure ends the process.
    fn fail(&mut self, field: &Field<'_>, owner: SocketOwner, code: &'static str, message: String) {
        if owner == SocketOwner::Web {
            let stage = std::mem::replace(&mut self.stage, Stage::Run);
            self.crash(field, code, message);
            self.stage = stage;
        } else {
            self.refuse(field, code, message);
        }
    }

    fn is_local(&self, host: &str) -> bool {
        let bare = host.split('%').next().unwrap_or_default();
        if let Ok(address) = bare.parse::<IpAddr>() {
            let known = |interfaces: &[(&str, &[&str])]| {
                interfaces
                    .iter()
                    .any(|(_, addresses)| addresses.contains(&bare))
            };
            return address.is_unspecified()
                || address.is_loopback()
                || self.machine.interfaces.is_none_or(known);
        }
        if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let resolves = |names: &[&str]| names.contains(&host);
        is_domain_name(host) && self.machine.host_names.is_none_or(resolves)
    }

    pub(super) fn with_stage(&mut self, stage: Stage, act: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.stage, stage);
        act(self);
        self.stage = before;
    }
}

impl Socket {
    /// Message for another socket that conflicts with this one.
    pub(crate) fn conflict_message(&self) -> String {
        if self.host_port.port == 0 {
            format!(
                "`{}` listens on the same address with the same protocol",
                self.path
            )
        } else {
            format!(
                "port {} is already used by `{}`",
                self.host_port.port, self.path
            )
        }
    }
}
