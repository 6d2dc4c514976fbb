//! Entries of `link.dialers`.

use std::time::Duration;

use portcullis_router_config::model::{Given, Link, LinkDialer};

use crate::incomplete::{Incomplete, Reader};
use crate::links::connections::{Connections, takes_several};
use crate::links::groups::Groups;
use crate::links::policy::Policy;

/// How this router dials others: one entry of `link.dialers`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialer {
    /// Interface or local address to dial from, as the file says it; it also tells links of several
    /// dialers apart. A listener that says only where it listens (`bind`) has an interface too, namely the
    /// one with that address: who runs on a machine looks it up there.
    pub interface: Option<String>,
    /// Only listeners that share one of these are dialed.
    pub groups: Groups,
    /// Pauses while the other router is connected to a controller.
    pub healthy: Policy,
    /// Pauses while it is not.
    pub unhealthy: Policy,
    /// How long after the start of this router the first link is dialed.
    pub startup_delay: Duration,
    /// Connections of a link to routers that take several.
    pub connections: Connections,
    /// Whether older routers get a connection for acknowledgments.
    pub split: bool,
}

impl Dialer {
    /// Chooses the connections of a link by the version of the other router.
    pub fn connections_for(&self, version: Option<&str>) -> Connections {
        if takes_several(version) {
            self.connections
        } else if self.split {
            Connections::Pair
        } else {
            Connections::Single
        }
    }

    fn from_config(config: &LinkDialer, section: &str) -> Result<Self, Incomplete> {
        let reader = Reader::new(section);
        let policy = |backoff, key| Policy::from_config(backoff, &format!("{section}.{key}"));
        let data = config.max_default_connections.as_ref();
        let acknowledgments = config.max_ack_connections.as_ref();
        Ok(Self {
            interface: text(config.bind_interface.as_ref()).or_else(|| text(config.bind.as_ref())),
            groups: Groups::new(reader.value("groups", config.groups.as_ref())?),
            healthy: policy(&config.healthy_dial_backoff, "healthyDialBackoff")?,
            unhealthy: policy(&config.unhealthy_dial_backoff, "unhealthyDialBackoff")?,
            startup_delay: reader.duration("startupDelay", config.startup_delay.as_ref())?,
            connections: Connections::Several {
                data: reader.number("maxDefaultConnections", data)?,
                acknowledgments: reader.number("maxAckConnections", acknowledgments)?,
            },
            split: *reader.value("split", config.split.as_ref())?,
        })
    }
}

/// Takes the dialers from a router's file.
///
/// If there is exactly one dialer and one listener, the dialer without an interface takes over that of the
/// listener.
///
/// # Errors
///
/// [`Incomplete`] if a value is missing or out of bounds.
///
/// # Examples
///
/// ```
/// use portcullis_router::links::{Connections, dialers};
/// use portcullis_router_config::{Options, Text, load};
///
/// let file = Text::new("router.yml", b"link: {dialers: [{binding: transport, groups: [internal]}]}");
/// let config = load(&file, Options::default(), &|_| None).config;
///
/// let dialer = &dialers(&config.link)?[0];
/// assert_eq!(dialer.groups.iter().collect::<Vec<_>>(), ["internal"]);
/// assert_eq!(dialer.healthy.min().as_secs(), 5);
/// assert_eq!(dialer.connections_for(Some("v1.5.0")), Connections::Pair);
/// # Ok::<(), portcullis_router::Incomplete>(())
/// ```
pub fn dialers(config: &Link) -> Result<Vec<Dialer>, Incomplete> {
    let entries = config.dialers.iter().enumerate();
    let mut dialers = entries
        .map(|(index, entry)| Dialer::from_config(entry, &format!("link.dialers[{index}]")))
        .collect::<Result<Vec<_>, _>>()?;
    if let ([dialer], [listener]) = (dialers.as_mut_slice(), config.listeners.as_slice())
        && dialer.interface.is_none()
    {
        dialer.interface = text(listener.bind_interface.as_ref());
    }
    Ok(dialers)
}

/// A text that is there and not empty.
fn text(given: Option<&Given<String>>) -> Option<String> {
    let text = given?.value.clone();
    (!text.is_empty()).then_some(text)
}
