//! What a router's file says of its edge.

use std::time::Duration;

use portcullis_router_config::Binding;
use portcullis_router_config::model::{Edge, Listener, SourcedValue, WebSockets};
use portcullis_xgress::Options;
use portcullis_yaml::syntax::HostPort;

use super::limits::EdgeLimits;
use crate::circuits::end_options;
use crate::section_reader::{IncompleteConfigError, SectionReader, is_given};

/// Protocols of their addresses.
const TLS: &str = "tls";
const WEB_SOCKETS: &str = "wss";

/// The section `edge`.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeSettings {
    pub limits: EdgeLimits,
    /// Between reports of legacy sessions in use.
    pub heartbeat_interval: Duration,
    /// Between writes of the file of the data model.
    pub save_interval: Duration,
}

/// A listener for SDKs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeListenerSettings {
    /// As in the file, such as `tls:0.0.0.0:3022`.
    pub address: String,
    /// For an address with `wss:`.
    pub web_sockets: Option<WebSocketSettings>,
    /// How long a connection may take for its handshake, and for its hello.
    pub hello_time: Duration,
    /// How many connections may be in that at least; beyond it, the oldest give way.
    pub waiting_clients: usize,
    /// How long a write may make no progress; `None` for the usual time.
    pub write_time: Option<Duration>,
    /// Messages that may wait for an SDK; `None` for the usual number.
    pub queue_frames: Option<usize>,
    /// How long a controller may take for a circuit of an SDK.
    pub circuit_time: Duration,
    /// Of circuits of SDKs that end in the router.
    pub end_options: Options,
}

/// How SDKs in browsers are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebSocketSettings {
    /// How long the upgrade may take, with the handshake within the WebSocket.
    pub handshake_time: Duration,
    /// Between pings; `None` for none.
    pub ping_interval: Option<Duration>,
    /// How long nothing may be heard after a ping.
    pub pong_time: Duration,
    /// In bytes.
    pub read_buffer: usize,
    /// In bytes.
    pub write_buffer: usize,
}

/// As without the section `transport.wss`, whose keys have no defaults then.
impl Default for WebSocketSettings {
    fn default() -> Self {
        Self {
            handshake_time: Duration::from_secs(10),
            ping_interval: Some(Duration::from_secs(54)),
            pong_time: Duration::from_mins(1),
            read_buffer: 4096,
            write_buffer: 4096,
        }
    }
}

impl WebSocketSettings {
    fn from_config(config: &WebSockets) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("transport.wss");
        let seconds = |key, given: &Option<SourcedValue<i64>>| {
            let seconds = given.as_ref().map(|given| reader.number(key, Some(given)));
            seconds
                .transpose()
                .map(|seconds| seconds.map(Duration::from_secs))
        };
        let bytes = |key, given: &Option<SourcedValue<i64>>| {
            let bytes = given.as_ref().map(|given| reader.number(key, Some(given)));
            bytes.transpose()
        };
        let usual = Self::default();
        let handshake_time = seconds("handshakeTimeout", &config.handshake_timeout)?;
        let ping_interval = seconds("pingInterval", &config.ping_interval)?;
        let pong_time = seconds("pongTimeout", &config.pong_timeout)?;
        let read_buffer = bytes("readBufferSize", &config.read_buffer_size)?;
        let write_buffer = bytes("writeBufferSize", &config.write_buffer_size)?;
        Ok(Self {
            handshake_time: handshake_time.unwrap_or(usual.handshake_time),
            ping_interval: ping_interval
                .or(usual.ping_interval)
                .filter(|interval| !interval.is_zero()),
            pong_time: pong_time.unwrap_or(usual.pong_time),
            read_buffer: read_buffer.unwrap_or(usual.read_buffer),
            write_buffer: write_buffer.unwrap_or(usual.write_buffer),
        })
    }
}

impl EdgeSettings {
    /// Reads the section.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(section: &Edge) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("edge");
        let seconds = |key, given: Option<&SourcedValue<i64>>| {
            reader.number(key, given).map(Duration::from_secs)
        };
        Ok(Self {
            limits: EdgeLimits::default(),
            heartbeat_interval: seconds(
                "heartbeatIntervalSeconds",
                section.heartbeat_interval_seconds.as_ref(),
            )?,
            save_interval: seconds(
                "dbSaveIntervalSeconds",
                section.db_save_interval_seconds.as_ref(),
            )?,
        })
    }
}

impl EdgeListenerSettings {
    /// Reads the listeners for SDKs; `web_sockets` is for those with `wss:`.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(
        listeners: &[Listener],
        web_sockets: &WebSockets,
    ) -> Result<Vec<Self>, IncompleteConfigError> {
        let own = listeners.iter().filter(|one| is_for_sdks(one));
        own.map(|one| Self::read(one, web_sockets)).collect()
    }

    /// Where it listens; `None` if the protocol of its address is not spoken.
    pub fn place(&self) -> Option<HostPort> {
        let (protocol, place) = self.address.split_once(':')?;
        let is_spoken = [TLS, WEB_SOCKETS].contains(&protocol);
        is_spoken.then(|| place.parse().ok())?
    }

    fn read(listener: &Listener, web_sockets: &WebSockets) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("options");
        let options = &listener.options;
        let queued: usize =
            reader.number("maxQueuedConnects", options.max_queued_connects.as_ref())?;
        let outstanding: usize = reader.number(
            "maxOutstandingConnects",
            options.max_outstanding_connects.as_ref(),
        )?;
        let write_time = options.write_timeout.as_ref();
        let frames = options.out_queue_size.as_ref();
        let circuit_time = listener.circuits.get_circuit_timeout.as_ref();
        let address = SectionReader::new("listeners");
        let address = address.value("address", listener.address.as_ref())?;
        let is_web = address.split(':').next() == Some(WEB_SOCKETS);
        let web_sockets = is_web.then(|| WebSocketSettings::from_config(web_sockets));
        Ok(Self {
            address: address.clone(),
            web_sockets: web_sockets.transpose()?,
            hello_time: reader.connect_timeout(options)?,
            waiting_clients: queued.saturating_add(outstanding),
            write_time: write_time
                .and_then(|time| time.value.as_std())
                .filter(|time| !time.is_zero()),
            queue_frames: frames
                .filter(|frames| is_given(frames))
                .and_then(|frames| usize::try_from(frames.value).ok())
                .filter(|frames| *frames > 0),
            circuit_time: reader.duration("getCircuitTimeout", circuit_time)?,
            end_options: end_options(&listener.circuits)?,
        })
    }
}

/// Whether it is a listener of the binding `edge`.
pub(crate) fn is_for_sdks(listener: &Listener) -> bool {
    let binding = listener.binding.as_ref();
    binding.is_some_and(|binding| binding.value == Binding::Edge.name())
}
