//! Events as they come, over as many channels as it takes.

use super::wanted::WantedEvents;
use crate::error::{CliError, ErrorKind};
use crate::management_channel::{ChannelEnd, ManagementChannel};
use crate::output;
use portcullis_api::code::Code;
use portcullis_channel::{ResultMessage, ResultStatus};
use portcullis_client::Client;
use portcullis_wire::management::{ManagementMessage, StreamedEvent};
use std::time::Duration;
use tokio::time::sleep;

/// How long to wait before another channel is opened, at first and at last.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The events that somebody wants.
pub(super) struct Feed<'c> {
    client: &'c Client,
    wanted: WantedEvents,
    channel: ManagementChannel,
}

impl<'c> Feed<'c> {
    /// Opens a channel and asks for events on it. They come once the controller has agreed.
    pub(super) async fn open(client: &'c Client, wanted: WantedEvents) -> Result<Self, CliError> {
        let channel = subscribe(client, &wanted).await?;
        Ok(Self {
            client,
            wanted,
            channel,
        })
    }

    /// The next event. A channel that ends is replaced, which standard error tells.
    pub(super) async fn next(&mut self) -> Result<StreamedEvent, CliError> {
        loop {
            match next_event(&mut self.channel).await {
                Ok(event) => return Ok(event),
                Err(end) if end.may_return() => self.return_after(&end).await?,
                Err(end) => return Err(end.into()),
            }
        }
    }

    /// Opens another channel, however long that takes.
    async fn return_after(&mut self, end: &ChannelEnd) -> Result<(), CliError> {
        output::note(&format!("{end}; connecting again"));
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(pause).await;
            match subscribe(self.client, &self.wanted).await {
                Ok(channel) => {
                    self.channel = channel;
                    output::note("connected again: events that happened meanwhile are missing");
                    return Ok(());
                },
                Err(error) if may_change(&error) => {},
                Err(error) => return Err(error),
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// Whether a refusal may be another one, or none, a little later.
fn may_change(error: &CliError) -> bool {
    let is_gone = error.kind() == ErrorKind::Unreachable && error.untrusted_certificate().is_none();
    is_gone
        || [
            Code::RateLimited,
            Code::Timeout,
            Code::ServerTooManyRequests,
        ]
        .iter()
        .any(|code| error.is_refused_with(*code))
}

async fn subscribe(client: &Client, wanted: &WantedEvents) -> Result<ManagementChannel, CliError> {
    let mut channel = ManagementChannel::open(client).await?;
    let request = channel.send(&wanted.request()).await?;
    loop {
        let frame = channel.receive().await?;
        if frame.reply_for() != Some(request) {
            continue;
        }
        return match ResultMessage::from_frame(&frame) {
            Some(ResultMessage {
                status: ResultStatus::Success,
                ..
            }) => Ok(channel),
            Some(refusal) => Err(CliError::failed(format!(
                "the controller refused the request for events: {}",
                refusal.text
            ))),
            None => Err(CliError::failed(
                "the controller answered the request for events with something else",
            )),
        };
    }
}

/// The next event of a channel. Other messages, which newer controllers may send, are passed over.
async fn next_event(channel: &mut ManagementChannel) -> Result<StreamedEvent, ChannelEnd> {
    loop {
        let message = channel.receive().await?.into_message();
        match ManagementMessage::decode(&message) {
            Ok(ManagementMessage::StreamedEvent(event)) => return Ok(event),
            Ok(_) => {},
            Err(error) => return Err(ChannelEnd::Unreadable(error.to_string())),
        }
    }
}
