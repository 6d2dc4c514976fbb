//! Bindings: what listeners let in, and what dialers reach.

/// The binding of a listener, a dialer or a terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// SDKs.
    Edge,
    /// Servers; between SDK and router it is encrypted.
    EdgeTransport,
    /// Whatever connects, for one service.
    Proxy,
    /// The same for datagrams.
    ProxyUdp,
    /// Streams.
    Transport,
    /// Datagrams.
    TransportUdp,
    /// The tunnel of a router.
    Tunnel,
    /// Of the past: [`TransportUdp`](Self::TransportUdp) took its place.
    Udp,
}

impl Binding {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Edge,
        Self::EdgeTransport,
        Self::Proxy,
        Self::ProxyUdp,
        Self::Transport,
        Self::TransportUdp,
        Self::Tunnel,
        Self::Udp,
    ];

    /// As files and controllers name it.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_router_config::Binding;
    ///
    /// assert_eq!(Binding::TransportUdp.name(), "transport_udp");
    /// assert_eq!(Binding::from_name("tunnel"), Some(Binding::Tunnel));
    /// assert_eq!(Binding::from_name("Tunnel"), None);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edge => "edge",
            Self::EdgeTransport => "edge_transport",
            Self::Proxy => "proxy",
            Self::ProxyUdp => "proxy_udp",
            Self::Transport => "transport",
            Self::TransportUdp => "transport_udp",
            Self::Tunnel => "tunnel",
            Self::Udp => "udp",
        }
    }

    /// The binding of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|binding| binding.name() == name)
    }
}
