//! Sockets that OpenZiti opens.

use std::collections::HashMap;
use std::net::IpAddr;

use portcullis_yaml::Field;
use portcullis_yaml::syntax::HostPort;

use crate::codes;
use crate::finding::Stage;
use crate::openziti::address::{Address, is_domain_name};
use crate::openziti::loader::Loader;
use crate::openziti::sharing::exclude;

/// Who listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Link,
    Edge,
    Plain,
    Ctrl,
    Web,
    ApiProxy,
}

/// One socket.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) owner: Owner,
    pub(crate) kind: &'static str,
    pub(crate) place: HostPort,
    pub(crate) path: String,
}

/// Sockets that are open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sockets {
    /// Protocol that the section `transport` gives to listeners.
    protocol: Option<String>,
    by_port: HashMap<u16, Vec<Socket>>,
}

impl Sockets {
    /// Sets the protocol that listeners take from the section `transport`.
    pub(crate) fn set_protocol(&mut self, protocol: &str) {
        self.protocol = Some(protocol.to_owned());
    }

    /// Opens a socket; gives the one that is in the way, if any.
    pub(crate) fn open(&mut self, socket: Socket) -> Option<&Socket> {
        let others = self.by_port.entry(socket.place.port).or_default();
        let protocol = self.protocol.as_deref();
        let position = others
            .iter()
            .position(|other| exclude(other, &socket, protocol));
        if position.is_none() {
            others.push(socket);
        }
        others.get(position?)
    }
}

impl Loader<'_> {
    /// Opens a socket, or reports why that fails.
    pub(super) fn listen(&mut self, field: &Field<'_>, address: &Address, owner: Owner) -> bool {
        if address.kind == "ws" {
            let message = "`ws` is not supported; use `wss`";
            self.refuse(field, codes::INVALID_VALUE, message);
            return false;
        }
        if let Some(place) = &address.place {
            self.listen_at(field, address.kind, place, owner)
        } else {
            let message = format!("`{address}` has no host and port to listen on");
            self.refuse(field, codes::INVALID_VALUE, message);
            false
        }
    }

    /// Opens a socket of a kind, or reports why that fails.
    pub(super) fn listen_at(
        &mut self,
        field: &Field<'_>,
        kind: &'static str,
        place: &HostPort,
        owner: Owner,
    ) -> bool {
        if !self.is_local(&place.host) {
            let message = format!("`{}` is not an address of this machine", place.host);
            self.fail(field, owner, codes::UNREACHABLE, message);
            return false;
        }
        let socket = Socket {
            owner,
            kind,
            place: place.clone(),
            path: field.path().to_string(),
        };
        if let Some(other) = self.sockets.open(socket) {
            let message = other.in_the_way();
            self.fail(field, owner, codes::PORT_TAKEN, message);
            return false;
        }
        true
    }

    /// Web servers start in the background, where a failure ends the process.
    fn fail(&mut self, field: &Field<'_>, owner: Owner, code: &'static str, message: String) {
        if owner == Owner::Web {
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

    pub(super) fn take_verdict(&mut self, stage: Stage, act: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.stage, stage);
        act(self);
        self.stage = before;
    }
}

impl Socket {
    /// Says what is wrong with another socket that this one excludes.
    pub(crate) fn in_the_way(&self) -> String {
        if self.place.port == 0 {
            format!(
                "`{}` listens on the same address with the same protocol",
                self.path
            )
        } else {
            format!(
                "port {} is already used by `{}`",
                self.place.port, self.path
            )
        }
    }
}
