//! What waits to be sent on a channel.

use crate::closing::Closing;
use crate::queries::HeldMemory;
use portcullis_channel::Message;
use tokio::sync::mpsc;

/// Messages that wait; whoever has more waits itself.
const CAPACITY: usize = 16;

/// Something to be sent.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Message(OutgoingMessage),
    Close(Closing),
}

/// A message, and what is kept until it has been sent.
#[derive(Debug)]
pub(crate) struct OutgoingMessage {
    pub(crate) message: Message,
    pub(crate) held: Option<HeldMemory>,
}

impl From<Message> for OutgoingMessage {
    fn from(message: Message) -> Self {
        let held = None;
        Self { message, held }
    }
}

/// Where what is to be sent comes from.
pub(crate) type Inbox = mpsc::Receiver<Outgoing>;

/// The sender's end.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(mpsc::Sender<Outgoing>);

/// The channel is closed, and nobody waits for more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed;

impl Outbox {
    pub(crate) fn new() -> (Self, Inbox) {
        let (sender, inbox) = mpsc::channel(CAPACITY);
        (Self(sender), inbox)
    }

    pub(crate) async fn send(&self, message: impl Into<OutgoingMessage>) -> Result<(), Closed> {
        self.put(Outgoing::Message(message.into())).await
    }

    pub(crate) async fn close(&self, closing: Closing) -> Result<(), Closed> {
        self.put(Outgoing::Close(closing)).await
    }

    async fn put(&self, outgoing: Outgoing) -> Result<(), Closed> {
        self.0.send(outgoing).await.map_err(|_closed| Closed)
    }
}
