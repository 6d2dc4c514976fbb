//! The section `ctrl`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, HeartbeatOptions};
use portcullis_router_config::model::Ctrl;

use super::address::ControlAddress;
use super::endpoints_file::EndpointsFile;
use crate::section_reader::{IncompleteConfigError, SectionReader};

const CHANNEL: ChannelOptions = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);

/// How many messages may wait for a controller at least, whatever `ctrl.options.outQueueSize` says: nobody waits for
/// room in these queues, so that shorter ones would lose messages.
pub(crate) const SHORTEST_QUEUE: usize = CHANNEL.default_queue.frames;

/// What the section `ctrl` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlSettings {
    /// Of controllers, until these say where they are.
    pub addresses: Vec<ControlAddress>,
    pub endpoints_file: PathBuf,
    /// Network interface or local address to dial from.
    pub bind: Option<String>,
    /// How long a controller may take to answer.
    pub request_timeout: Duration,
    /// How long the first connection may take; `None` leaves it all the time.
    pub startup_timeout: Option<Duration>,
    /// For a connection, up to the answer to its hello.
    pub connect_timeout: Duration,
    /// How long a controller may take nothing of what is sent; `None` if the section does not say.
    pub write_timeout: Option<Duration>,
    /// A controller that takes longer to answer heartbeats is asked only if there is no other.
    pub unresponsive_after: Duration,
    pub channel: ChannelOptions,
}

impl ControlSettings {
    /// Reads the section of the configuration in this file.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or invalid.
    pub fn from_config(config: &Ctrl, file: &Path) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("ctrl");
        let heartbeats = SectionReader::new("ctrl.heartbeats");
        let options = SectionReader::new("ctrl.options");
        let positive = |duration: Duration| (!duration.is_zero()).then_some(duration);
        let mut channel = CHANNEL;
        let (beats, usual) = (&config.heartbeats, channel.heartbeats);
        channel.heartbeats = usual
            .map(|usual| {
                Ok(HeartbeatOptions {
                    send_interval: heartbeats
                        .duration("sendInterval", beats.send_interval.as_ref())?,
                    check_interval: heartbeats
                        .duration("checkInterval", beats.check_interval.as_ref())?,
                    close_after: heartbeats.duration(
                        "closeUnresponsiveTimeout",
                        beats.close_unresponsive_timeout.as_ref(),
                    )?,
                    ..usual
                })
            })
            .transpose()?;
        let queue = options.number("outQueueSize", config.options.out_queue_size.as_ref())?;
        for limits in [&mut channel.high_queue, &mut channel.default_queue] {
            limits.frames = SHORTEST_QUEUE.max(queue);
        }
        let write_timeout =
            options.duration("writeTimeout", config.options.write_timeout.as_ref())?;
        let startup_timeout = reader.duration("startupTimeout", config.startup_timeout.as_ref())?;
        Ok(Self {
            addresses: controller_addresses(config),
            endpoints_file: EndpointsFile::path(config, file),
            bind: config.bind.as_ref().map(|bind| bind.value.clone()),
            request_timeout: reader.duration(
                "defaultRequestTimeout",
                config.default_request_timeout.as_ref(),
            )?,
            startup_timeout: positive(startup_timeout),
            connect_timeout: options.connect_timeout(&config.options)?,
            write_timeout: positive(write_timeout),
            unresponsive_after: heartbeats
                .duration("unresponsiveAfter", beats.unresponsive_after.as_ref())?,
            channel,
        })
    }
}

/// The key that says where controllers are, which is `endpoint`, or else `endpoints`, and what it says; `None` if
/// neither says anything.
pub fn configured(config: &Ctrl) -> Option<(&'static str, &[String])> {
    match (&config.endpoint, &config.endpoints) {
        (Some(one), _) => Some(("ctrl.endpoint", std::slice::from_ref(&one.value))),
        (None, Some(many)) if !many.value.is_empty() => {
            Some(("ctrl.endpoints", many.value.as_slice()))
        },
        (None, _) => None,
    }
}

/// The addresses that are [`configured`], as far as this router can use them. The others are among the findings of
/// the file.
pub fn controller_addresses(config: &Ctrl) -> Vec<ControlAddress> {
    let (_key, texts) = configured(config).unwrap_or_default();
    let addresses = texts.iter().filter_map(|text| text.parse().ok());
    addresses.collect()
}
