//! Keeping a group of connections: the dialer's side of a channel.

mod keeper;

use crate::channel_handle::ChannelHandle;
use crate::connected::Stream;
use crate::dial::DialError;
use crate::inbox::Inbox;
use crate::transport::Transport;
use keeper::Keeper;
use portcullis_channel::group::{ConnectionCounts, DialOptions};
use portcullis_channel::hello::{Accepted, HELLO_TIMEOUT};
use portcullis_channel::{ChannelOptions, Headers, Role};
use std::io;
use std::time::Duration;

/// Opens connections to a listener.
pub trait Connector: Send + 'static {
    type Stream: Stream;

    /// Opens a connection, through TLS.
    fn connect(&mut self, role: Role) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Any random number, for delays after failures.
    fn random(&mut self) -> u32;

    /// Judges the answer to a hello. The error is a text for people.
    fn check(&mut self, _answer: &Accepted) -> Result<(), String> {
        Ok(())
    }

    /// A connection could not be dialed: the first one of a channel, a further one, or one that was to
    /// replace a lost one.
    fn failed(&mut self, _error: &DialError) {}
}

/// What a dialer says of itself, and how many connections it keeps.
#[derive(Debug, Clone)]
pub struct GroupSettings {
    /// Id of the sender in each hello.
    pub id: String,
    /// Headers of each hello, beside those of the channel.
    pub headers: Headers,
    pub connections: ConnectionCounts,
    pub dialing: DialOptions,
    pub channel: ChannelOptions,
    /// Time for a connection and its hello.
    pub timeout: Duration,
}

impl GroupSettings {
    /// Settings with one connection and the usual timing for this kind of channel.
    pub const fn new(id: String, headers: Headers, channel: ChannelOptions) -> Self {
        Self {
            id,
            headers,
            connections: ConnectionCounts {
                default: 1,
                high: 0,
            },
            dialing: DialOptions::new(channel.kind),
            channel,
            timeout: HELLO_TIMEOUT,
        }
    }
}

/// A channel whose connections are dialed.
///
/// A background task dials its further connections and replaces lost ones until the channel is
/// closed. A channel that is closed is not opened again.
#[derive(Debug)]
pub struct Group {
    pub handle: ChannelHandle,
    pub inbox: Inbox,
    /// The answer to the first hello.
    pub answer: Accepted,
}

impl Group {
    /// Opens a channel. Failures are retried, with growing delays, until the future is dropped;
    /// `on_failure` learns of each.
    pub async fn open<C: Connector>(
        transport: &Transport,
        settings: GroupSettings,
        connector: C,
        mut on_failure: impl FnMut(&DialError) + Send,
    ) -> Self {
        let mut keeper = Keeper::new(transport.clone(), settings, connector);
        loop {
            match keeper.open().await {
                Ok(group) => {
                    keeper.spawn(&group);
                    return group;
                },
                Err(error) => on_failure(&error),
            }
        }
    }

    /// Opens a channel in one attempt.
    pub async fn open_once<C: Connector>(
        transport: &Transport,
        settings: GroupSettings,
        connector: C,
    ) -> Result<Self, DialError> {
        let mut keeper = Keeper::new(transport.clone(), settings, connector);
        let group = keeper.open().await?;
        keeper.spawn(&group);
        Ok(group)
    }
}
