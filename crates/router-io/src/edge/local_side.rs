//! A connection of an SDK whose circuit ends in the router.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use portcullis_channel::{Message, Priority, SendErrorKind};
use portcullis_router::edge::{CircuitData, CircuitEnded, EndId, Flow};
use portcullis_wire::edge::{ConnectionId, Data, DataFlags, EdgeMessage};
use portcullis_wire::xgress::Control;
use portcullis_xgress::{EndReason, Segment};
use tokio::sync::mpsc;

use super::input::Input;
use super::sending;
use crate::ends::{FromLocal, LocalSide};
use crate::sdk_channels::{Command, SdkEnd, SdkHandle};

/// How traces name such an end.
const KIND: &str = "xgress/edge";
/// Weight that is told of at a time, while there is more.
const TOLD_WEIGHT: usize = 64 * 1024;

/// The side of the SDK. What it sends comes by its channel's task, which bounds it; what it is sent goes
/// straight to the queue of the channel.
pub(super) struct SdkSide {
    end: EndId,
    connection: ConnectionId,
    sdk: Arc<SdkHandle>,
    input: Input,
    /// Tells the channel of what was taken.
    taken: mpsc::UnboundedSender<(EndId, usize)>,
    taken_weight: usize,
    /// What there is no room for.
    waiting: Option<Waiting>,
    /// Nothing can be sent any more.
    is_lost: bool,
    /// The SDK knows that no data follows.
    has_told_end: bool,
}

struct Waiting {
    message: Message,
    room: BoxFuture<'static, ()>,
}

impl SdkSide {
    pub(super) fn new(
        end: EndId,
        connection: ConnectionId,
        sdk: Arc<SdkHandle>,
        input: Input,
        taken: mpsc::UnboundedSender<(EndId, usize)>,
    ) -> Self {
        Self {
            end,
            connection,
            sdk,
            input,
            taken,
            taken_weight: 0,
            waiting: None,
            is_lost: false,
            has_told_end: false,
        }
    }

    fn tell_taken(&mut self) {
        let weight = std::mem::take(&mut self.taken_weight);
        if weight > 0 {
            let _has_ended = self.taken.send((self.end.clone(), weight));
        }
    }

    fn send_data(&mut self, data: Data) {
        // The SDK has closed its side, and knows the connection no more.
        if self.input.is_closed() {
            return;
        }
        self.has_told_end |= data.flags.contains(DataFlags::FIN);
        match EdgeMessage::Data(data).encode() {
            Ok(message) => self.send(message),
            Err(_too_long) => self.is_lost = true,
        }
    }

    fn send(&mut self, message: Message) {
        match sending::send(&self.sdk.channel, Priority::Default, message) {
            Ok(_sequence) => {},
            Err(error) if error.why == SendErrorKind::QueueFull => {
                let room = sending::room(&self.sdk.channel, Priority::Default, &error.message);
                self.waiting = Some(Waiting {
                    room: Box::pin(room),
                    message: error.message,
                });
            },
            Err(error) => {
                tracing::debug!(circuit = %self.end.circuit, %error, "data of a circuit cannot be sent to its client");
                self.is_lost = true;
            },
        }
    }
}

impl LocalSide for SdkSide {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn sdk_end(&self) -> Option<SdkEnd> {
        Some(SdkEnd {
            sdk: Arc::clone(&self.sdk),
            connection: self.connection,
            side: self.end.side,
            flow: Flow::Router,
        })
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FromLocal>> {
        let Poll::Ready(next) = self.input.poll_next(context) else {
            self.tell_taken();
            return Poll::Pending;
        };
        let Some(data) = next else {
            return Poll::Ready(Ok(FromLocal::Closed));
        };
        self.taken_weight += data.weight();
        if self.taken_weight >= TOLD_WEIGHT {
            self.tell_taken();
        }
        let CircuitData { headers, data } = data;
        Poll::Ready(Ok(FromLocal::Segment(Segment { headers, data })))
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(waiting) = &mut self.waiting {
            ready!(waiting.room.as_mut().poll(context));
            if let Some(waiting) = self.waiting.take() {
                self.send(waiting.message);
            }
        }
        Poll::Ready(if self.is_lost {
            Err(io::ErrorKind::BrokenPipe.into())
        } else {
            Ok(())
        })
    }

    fn write(&mut self, segment: Segment) {
        let Segment { headers, data } = segment;
        let data = CircuitData { headers, data };
        self.send_data(data.into_message(self.connection));
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_ready(context)
    }

    fn held(&self) -> usize {
        let waiting = self.waiting.as_ref();
        waiting.map_or(0, |waiting| waiting.message.wire_len())
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_ready(context))?;
        // The dialing SDK may have said so itself, by a flag of its data.
        if !self.has_told_end {
            self.send_data(Data {
                connection: self.connection,
                flags: DataFlags::FIN,
                ..Data::default()
            });
            self.has_told_end = true;
        }
        self.poll_ready(context)
    }

    fn forward_control(&mut self, control: Control) -> Option<Control> {
        let end = self.end.clone();
        self.sdk.suggest(Command::Control(end, Box::new(control)));
        None
    }

    fn ended(&mut self, reason: EndReason) {
        let ended = match reason {
            EndReason::Unrouted => CircuitEnded::Unrouted,
            _ => CircuitEnded::Closed,
        };
        let end = self.end.clone();
        self.sdk.command(Command::CircuitEnded(end, ended));
    }
}
