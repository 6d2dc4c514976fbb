//! Opening of sockets.

use std::net::IpAddr;

use portcullis_yaml::Field;
use portcullis_yaml::syntax::HostPort;

use crate::codes;
use crate::finding::Stage;
use crate::network::{Socket, SocketOwner};
use crate::openziti::address::{Address, is_domain_name};
use crate::openziti::loader::Loader;

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
