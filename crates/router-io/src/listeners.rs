//! Protocols that share ports.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;

use portcullis_listener::{Limits, ListenError, Listener, StreamService};
use portcullis_yaml::syntax::HostPort;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::listen_addresses::{listen_addresses, no_address, open_first};
use crate::tls::Tls;

/// A protocol that is served.
pub(crate) struct Protocol {
    /// By which clients ask for it.
    pub(crate) alpn: &'static str,
    pub(crate) unasked: Unasked,
    /// Whether it has to know the certificates of its clients.
    pub(crate) wants_certificates: bool,
    pub(crate) service: Arc<dyn StreamService>,
    /// Connections whose peer is not known yet, at a time.
    pub(crate) max_unknown: usize,
}

/// Whether a protocol is served to clients that ask for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unasked {
    Never,
    Always,
    /// Unless another protocol of the address is served to them.
    IfNoOther,
}

/// What is served where, as long as nothing is bound. Protocols of one address share its port.
pub(crate) struct Listeners {
    limits: Limits,
    shared: Vec<SharedPort>,
}

/// A port, and who shares it.
struct SharedPort {
    /// Where the file names it, for messages.
    sections: Vec<&'static str>,
    /// The first one that can be had is listened at.
    addresses: Vec<SocketAddr>,
    protocols: Vec<Protocol>,
}

/// Sockets that are bound.
pub(crate) struct BoundListeners(Vec<Bound>);

struct Bound {
    listener: Listener,
    limits: Limits,
    wants_certificates: bool,
}

/// An address cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ListenersError {
    #[error("{section}: cannot listen on {place}: the host is not known")]
    Host {
        section: &'static str,
        place: HostPort,
        #[source]
        source: io::Error,
    },
    #[error("{address} is to serve {alpn} twice; choose another port for one of the two")]
    Taken {
        address: SocketAddr,
        alpn: &'static str,
    },
    #[error("{0} is to serve two protocols to clients that ask for none; choose another port")]
    TwoDefaults(SocketAddr),
    #[error("{sections}")]
    Bind {
        sections: String,
        #[source]
        source: ListenError,
    },
}

impl Listeners {
    /// Each address has these limits, but for how many connections may be unknown: that is the protocols'.
    pub(crate) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            shared: Vec::new(),
        }
    }

    /// Adds a protocol, of a section of the file as messages name it. A host without a name is every address
    /// of this machine.
    pub(crate) async fn add(
        &mut self,
        section: &'static str,
        place: &HostPort,
        protocol: Protocol,
    ) -> Result<(), ListenersError> {
        let addresses = listen_addresses(&place.host, place.port).await;
        let addresses = addresses.map_err(|source| ListenersError::Host {
            section,
            place: place.clone(),
            source,
        })?;
        self.add_at(section, addresses, protocol)
    }

    /// Adds a protocol at the first of these addresses that can be had, of which there has to be one.
    pub(crate) fn add_at(
        &mut self,
        section: &'static str,
        addresses: Vec<SocketAddr>,
        protocol: Protocol,
    ) -> Result<(), ListenersError> {
        let is_same =
            |port: &&mut SharedPort| port.addresses.iter().any(|one| addresses.contains(one));
        let Some(port) = self.shared.iter_mut().find(is_same) else {
            self.shared.push(SharedPort {
                sections: vec![section],
                addresses,
                protocols: vec![protocol],
            });
            return Ok(());
        };
        port.add(section, protocol)
    }

    /// Binds all addresses, or none. Port 0 takes any free port.
    pub(crate) fn bind(self) -> Result<BoundListeners, ListenersError> {
        let limits = self.limits;
        let bound = self.shared.into_iter().map(|port| {
            let protocols = port.protocols;
            let bound = open_first(&port.addresses, no_address(), Listener::bind);
            let mut listener = bound.map_err(|source| ListenersError::Bind {
                sections: port.sections.join(", "),
                source,
            })?;
            let mut limits = Limits {
                max_half_open: 0,
                ..limits.clone()
            };
            let is_always = |one: &Protocol| one.unasked == Unasked::Always;
            let has_default = protocols.iter().any(is_always);
            let wants_certificates = protocols.iter().any(|one| one.wants_certificates);
            for protocol in protocols {
                limits.max_half_open += protocol.max_unknown;
                let is_default = match protocol.unasked {
                    Unasked::Never => false,
                    Unasked::Always => true,
                    Unasked::IfNoOther => !has_default,
                };
                if is_default {
                    listener = listener.with_default_protocol(Arc::clone(&protocol.service));
                }
                listener = listener.with_protocol(protocol.alpn, protocol.service);
            }
            Ok(Bound {
                listener,
                limits,
                wants_certificates,
            })
        });
        bound.collect::<Result<_, _>>().map(BoundListeners)
    }
}

impl SharedPort {
    fn add(&mut self, section: &'static str, protocol: Protocol) -> Result<(), ListenersError> {
        let alpn = protocol.alpn;
        let address = self.addresses.first().copied();
        let address = address.unwrap_or((Ipv6Addr::UNSPECIFIED, 0).into());
        if self.protocols.iter().any(|other| other.alpn == alpn) {
            return Err(ListenersError::Taken { address, alpn });
        }
        let is_same = |other: &Protocol| other.unasked == protocol.unasked;
        if protocol.unasked != Unasked::Never && self.protocols.iter().any(is_same) {
            return Err(ListenersError::TwoDefaults(address));
        }
        self.protocols.push(protocol);
        if !self.sections.contains(&section) {
            self.sections.push(section);
        }
        Ok(())
    }
}

impl BoundListeners {
    /// The addresses, with their actual ports.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.0.iter().map(|bound| bound.listener.local_addr())
    }

    /// Serves until `stop`.
    pub(crate) fn serve(self, tls: &Tls, tasks: &TaskTracker, stop: &CancellationToken) {
        for bound in self.0 {
            let tls = if bound.wants_certificates {
                tls.server()
            } else {
                tls.for_browsers()
            };
            let (listener, tls) = (bound.listener, Arc::clone(tls));
            tracing::info!(address = %listener.local_addr(), "listening");
            tasks.spawn(listener.serve_protocols(tls, bound.limits, stop.clone()));
        }
    }
}
