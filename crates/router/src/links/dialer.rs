//! Link dialers.

use std::time::Duration;

use portcullis_router_config::model::{Link, LinkDialer, SourcedValue};

use crate::links::backoff::BackoffPolicy;
use crate::links::connection_layout::{ConnectionLayout, supports_multiple};
use crate::links::group_names::GroupNames;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// One entry of `link.dialers`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialer {
    /// Interface or local address to dial from, as written in the file.
    pub from: Option<String>,
    /// Interface in the keys of its links: that which is dialed from, or
    /// [the one of the only listener](crate::links::LinkSettings::with_interfaces).
    pub interface: Option<String>,
    /// Only listeners that share one of these are dialed.
    pub groups: GroupNames,
    /// Backoff while the other router is connected to a controller.
    pub healthy: BackoffPolicy,
    /// Backoff while it is not.
    pub unhealthy: BackoffPolicy,
    /// How long after the start of this router the first link is dialed, and how long after its first
    /// connection the others of a link are.
    pub startup_delay: Duration,
    /// Connections of a link to routers that support several.
    pub connections: ConnectionLayout,
    /// Whether older routers get a separate connection for acknowledgments.
    pub split: bool,
    /// Time for a connection and its first exchange of messages.
    pub connect_timeout: Duration,
}

impl Dialer {
    /// Chooses the connections of a link by the version of the other router.
    pub fn connections_for(&self, version: Option<&str>) -> ConnectionLayout {
        if supports_multiple(version) {
            self.connections
        } else if self.split {
            ConnectionLayout::Pair
        } else {
            ConnectionLayout::Single
        }
    }

    fn from_config(config: &LinkDialer, section: &str) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new(section);
        let policy =
            |backoff, key| BackoffPolicy::from_config(backoff, &format!("{section}.{key}"));
        let data = config.max_default_connections.as_ref();
        let acknowledgments = config.max_ack_connections.as_ref();
        let from = non_empty(config.bind_interface.as_ref());
        let from = from.or_else(|| non_empty(config.bind.as_ref()));
        Ok(Self {
            interface: from.clone(),
            from,
            groups: GroupNames::new(reader.value("groups", config.groups.as_ref())?),
            healthy: policy(&config.healthy_dial_backoff, "healthyDialBackoff")?,
            unhealthy: policy(&config.unhealthy_dial_backoff, "unhealthyDialBackoff")?,
            startup_delay: reader.duration("startupDelay", config.startup_delay.as_ref())?,
            connections: ConnectionLayout::Multiple {
                data: reader.number("maxDefaultConnections", data)?,
                acknowledgments: reader.number("maxAckConnections", acknowledgments)?,
            },
            split: *reader.value("split", config.split.as_ref())?,
            connect_timeout: SectionReader::new(&format!("{section}.options"))
                .connect_timeout(&config.options)?,
        })
    }
}

/// Reads the dialers from a router's configuration.
///
/// # Errors
///
/// [`IncompleteConfigError`] if a value is missing or out of bounds.
///
/// # Examples
///
/// ```
/// use portcullis_router::links::{ConnectionLayout, dialers};
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new("router.yml", b"link: {dialers: [{binding: transport, groups: [internal]}]}");
/// let config = load(&file, &CheckOptions::new()).config;
///
/// let dialer = &dialers(&config.link)?[0];
/// assert_eq!(dialer.groups.iter().collect::<Vec<_>>(), ["internal"]);
/// assert_eq!(dialer.healthy.min().as_secs(), 5);
/// assert_eq!(dialer.connections_for(Some("v1.5.0")), ConnectionLayout::Pair);
/// # Ok::<(), portcullis_router::IncompleteConfigError>(())
/// ```
pub fn dialers(config: &Link) -> Result<Vec<Dialer>, IncompleteConfigError> {
    let entries = config.dialers.iter().enumerate();
    let dialers =
        entries.map(|(index, entry)| Dialer::from_config(entry, &format!("link.dialers[{index}]")));
    dialers.collect()
}

/// A value that is present and not empty.
pub(super) fn non_empty(given: Option<&SourcedValue<String>>) -> Option<String> {
    let text = given?.value.clone();
    (!text.is_empty()).then_some(text)
}
