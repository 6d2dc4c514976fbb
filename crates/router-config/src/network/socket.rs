//! Sockets that a router opens.

use std::collections::HashMap;

use portcullis_yaml::syntax::HostPort;

use crate::network::socket_sharing::conflict;

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
