//! Section `link` of a router's file.

use std::net::IpAddr;
use std::time::Duration;

use portcullis_channel::HeartbeatOptions;
use portcullis_router_config::model::{self, Heartbeats};
use portcullis_yaml::syntax::HostPort;

use crate::links::dialer::{Dialer, dialers, non_empty};
use crate::links::group_names::GroupNames;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// The protocol of links: TLS over TCP.
pub const LINK_PROTOCOL: &str = "tls";

/// How long an answer of an existing link is taken for granted at first, in multiples of the time after
/// which a silent link is closed.
const GRACE: u32 = 2;

/// Links to other routers.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    pub dialers: Vec<Dialer>,
    pub listeners: Vec<LinkListener>,
    pub heartbeats: HeartbeatOptions,
    /// Messages with data that may wait on a link.
    pub payload_queue: usize,
    /// Acknowledgments that may wait on a link.
    pub acknowledgment_queue: usize,
}

/// One entry of `link.listeners`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkListener {
    /// Where it listens.
    pub bind: HostPort,
    /// What other routers dial, with its protocol.
    pub advertise: String,
    /// Interface that is announced; part of the key of its links.
    pub interface: Option<String>,
    /// Only dialers that share one of these dial it.
    pub groups: GroupNames,
    /// Time for the first exchange of messages.
    pub connect_timeout: Duration,
    /// Connections that may be in the first exchange at a time, or wait for it.
    pub max_unknown: usize,
}

impl LinkSettings {
    /// Reads the section. Listeners of other protocols than TLS are refused.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(config: &model::Link) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("link");
        let listeners = config.listeners.iter().enumerate();
        let listeners = listeners.map(|(index, listener)| {
            LinkListener::from_config(listener, &format!("link.listeners[{index}]"))
        });
        Ok(Self {
            dialers: dialers(config)?,
            listeners: listeners.collect::<Result<_, _>>()?,
            heartbeats: heartbeats(&config.heartbeats)?,
            payload_queue: reader.number(
                "payloadSenderQueueSize",
                config.payload_sender_queue_size.as_ref(),
            )?,
            acknowledgment_queue: reader
                .number("ackSenderQueueSize", config.ack_sender_queue_size.as_ref())?,
        })
    }

    /// Names the interfaces that the file does not: a listener that listens on one address has the interface
    /// with that address, which `interface_of` tells; a lone dialer has that of a lone listener. Whichever of
    /// two such routers dials, both give the link the same key, and so notice that there are two.
    #[must_use]
    pub fn with_interfaces(mut self, interface_of: impl Fn(IpAddr) -> Option<String>) -> Self {
        for listener in &mut self.listeners {
            let address: Option<IpAddr> = listener.bind.host.parse().ok();
            let address = address.filter(|address| !address.is_unspecified());
            let found = || address.and_then(&interface_of);
            listener.interface = listener.interface.take().or_else(found);
        }
        if let ([dialer], [listener]) = (self.dialers.as_mut_slice(), self.listeners.as_slice()) {
            let adopted = || listener.interface.clone();
            dialer.interface = dialer.interface.take().or_else(adopted);
        }
        self
    }
}

impl LinkListener {
    fn from_config(
        config: &model::LinkListener,
        section: &str,
    ) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new(section);
        let bind = reader.value("bind", config.bind.as_ref())?;
        let options = format!("{section}.options");
        let options = SectionReader::new(&options);
        let queued = config.options.max_queued_connects.as_ref();
        let outstanding = config.options.max_outstanding_connects.as_ref();
        let queued: usize = options.number("maxQueuedConnects", queued)?;
        let outstanding: usize = options.number("maxOutstandingConnects", outstanding)?;
        Ok(Self {
            advertise: non_empty(config.advertise.as_ref()).unwrap_or_else(|| bind.clone()),
            bind: parse_address(bind).ok_or_else(|| reader.missing("bind"))?,
            interface: non_empty(config.bind_interface.as_ref()),
            groups: GroupNames::new(reader.value("groups", config.groups.as_ref())?),
            connect_timeout: options.connect_timeout(&config.options)?,
            max_unknown: queued.saturating_add(outstanding),
        })
    }
}

/// Host and port of an address such as `tls:router.example.test:10080`; none of those of other protocols.
pub fn parse_address(text: &str) -> Option<HostPort> {
    let place = text.strip_prefix(LINK_PROTOCOL)?.strip_prefix(':')?;
    place.parse().ok()
}

fn heartbeats(config: &Heartbeats) -> Result<HeartbeatOptions, IncompleteConfigError> {
    let reader = SectionReader::new("link.heartbeats");
    let close_after = reader.duration(
        "closeUnresponsiveTimeout",
        config.close_unresponsive_timeout.as_ref(),
    )?;
    Ok(HeartbeatOptions {
        send_interval: reader.duration("sendInterval", config.send_interval.as_ref())?,
        check_interval: reader.duration("checkInterval", config.check_interval.as_ref())?,
        answer_within: Duration::from_millis(2),
        close_after,
        grace: close_after.saturating_mul(GRACE),
    })
}
