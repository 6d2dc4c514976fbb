//! A management channel with a controller: frames in the binary messages of a `WebSocket`.

mod end;
mod handshake;

pub(crate) use end::ChannelEnd;

use crate::error::{CliError, ErrorKind};
use futures_util::{SinkExt as _, StreamExt as _};
use handshake::Handshake;
use portcullis_channel::{Frame, FrameLimits, FrameReader, Sequence};
use portcullis_client::{Api, Client, Endpoint, UpgradedStream};
use portcullis_wire::management::ManagementMessage;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// What is borne from a silent controller. Controllers send nothing by themselves, so one has to be asked whether
/// it is still there.
const PATIENCE: Patience = Patience {
    silence: Duration::from_secs(30),
    pong: Duration::from_secs(15),
};

/// Longest message that is taken: a frame of the longest body with its headers.
const MAX_MESSAGE: usize = 65 * 1024 * 1024;

/// An open channel.
pub(crate) struct ManagementChannel<S = UpgradedStream> {
    socket: WebSocketStream<S>,
    reader: FrameReader,
    /// Frames that were sent.
    sent: i32,
    patience: Patience,
    watch: Watch,
}

#[derive(Debug, Clone, Copy)]
struct Patience {
    /// How long a silent controller is left alone.
    silence: Duration,
    /// How long it then has to answer.
    pong: Duration,
}

/// When to do something about a silent controller.
#[derive(Debug, Clone, Copy)]
enum Watch {
    Ask(Instant),
    GiveUp(Instant),
}

impl Watch {
    /// Something was heard.
    fn restarted(patience: Patience) -> Self {
        Self::Ask(Instant::now() + patience.silence)
    }
}

impl ManagementChannel {
    /// Opens a channel as the caller of other requests.
    pub(crate) async fn open(client: &Client) -> Result<Self, CliError> {
        let handshake = Handshake::new();
        let endpoint = Endpoint::new(Api::Fabric, "ws-api");
        let upgraded = client.upgrade(&endpoint, &handshake.headers()).await;
        let upgraded = upgraded.map_err(|error| with_permission(error.into()))?;
        if !handshake.is_accepted(&upgraded.headers) {
            return Err(CliError::failed(
                "the controller has not accepted a WebSocket as it should",
            )
            .hint("check that no proxy is between you and the controller"));
        }
        Ok(Self::over(upgraded.stream, PATIENCE).await)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> ManagementChannel<S> {
    /// A channel over a stream on which both have agreed on it.
    async fn over(stream: S, patience: Patience) -> Self {
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        Self {
            socket: WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await,
            reader: FrameReader::new(FrameLimits::LARGE),
            sent: 0,
            patience,
            watch: Watch::restarted(patience),
        }
    }

    /// Sends a message, and returns its number.
    pub(crate) async fn send(
        &mut self,
        message: &ManagementMessage,
    ) -> Result<Sequence, ChannelEnd> {
        let unsendable = |error: &dyn std::fmt::Display| ChannelEnd::Unsendable(error.to_string());
        self.sent = self.sent.wrapping_add(1);
        let sequence = Sequence(self.sent);
        let message = message.encode().map_err(|error| unsendable(&error))?;
        let frame = Frame::new(message, sequence, &FrameLimits::LARGE);
        let frame = frame.map_err(|error| unsendable(&error))?;
        let sent = self.socket.send(Message::Binary(frame.to_bytes())).await;
        sent.map_err(ChannelEnd::of_error)?;
        Ok(sequence)
    }

    /// Waits for the next frame. Nothing is lost if the future is dropped.
    pub(crate) async fn receive(&mut self) -> Result<Frame, ChannelEnd> {
        loop {
            let (Watch::Ask(until) | Watch::GiveUp(until)) = self.watch;
            let Ok(heard) = timeout_at(until, self.socket.next()).await else {
                self.break_silence().await?;
                continue;
            };
            self.watch = Watch::restarted(self.patience);
            match heard {
                Some(Ok(Message::Binary(bytes))) => {
                    let frame = self.reader.read_datagram(bytes);
                    return frame.map_err(|error| ChannelEnd::Unreadable(error.to_string()));
                },
                Some(Ok(Message::Close(frame))) => return Err(ChannelEnd::of_close(frame)),
                Some(Ok(Message::Text(_))) => {
                    return Err(ChannelEnd::Unreadable("it is text".to_owned()));
                },
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {},
                Some(Err(error)) => return Err(ChannelEnd::of_error(error)),
                None => return Err(ChannelEnd::Lost(None)),
            }
        }
    }

    /// Asks whether the controller is still there, or gives it up.
    async fn break_silence(&mut self) -> Result<(), ChannelEnd> {
        match self.watch {
            Watch::Ask(_) => {
                self.watch = Watch::GiveUp(Instant::now() + self.patience.pong);
                let asked = self.socket.send(Message::Ping(Vec::new().into())).await;
                asked.map_err(ChannelEnd::of_error)
            },
            Watch::GiveUp(_) => Err(ChannelEnd::Silent),
        }
    }
}

/// Says what the channel takes, should that be what is missing.
fn with_permission(error: CliError) -> CliError {
    if error.kind() == ErrorKind::Unauthorized {
        error.hint(
            "the management channel takes an administrator, or the permission `ops` as a whole; \
             `ops.read` does not suffice",
        )
    } else {
        error
    }
}

#[cfg(test)]
mod tests;
