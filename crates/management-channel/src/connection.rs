//! A channel over a `WebSocket`.

use crate::closing::Closing;
use crate::exchange::{Exchange, Step};
use crate::limits::{MAX_MESSAGE, WRITE_STALL};
use crate::outgoing::{Inbox, Outbox, Outgoing, OutgoingMessage};
use crate::queries::NetworkQueries;
use crate::requests::{Answered, EventContext, QueryContext, stream_traces};
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_event_sinks::EventBus;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long a client has to take the news that its channel is closed.
const FAREWELL: Duration = Duration::from_millis(500);

/// Bytes that are handed over before they are flushed.
const BATCH: usize = 64 * 1024;

/// Bytes that are read at a time. Little comes from clients.
const READ_BUFFER: usize = 4 * 1024;

/// What the library makes of a client that leaves without a word.
const GONE: ProtocolError = ProtocolError::ResetWithoutClosingHandshake;

/// What a channel needs.
pub(crate) struct ChannelParts {
    pub(crate) exchange: Exchange,
    pub(crate) permit: Permit<OpenChannel>,
    /// Id of the controller.
    pub(crate) controller: Arc<str>,
    pub(crate) bus: EventBus,
    pub(crate) queries: Arc<dyn NetworkQueries>,
    pub(crate) queued_events: usize,
}

/// How a channel ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client has closed it, or is gone.
    Client,
    /// The client takes nothing.
    Stalled,
    Controller(Closing),
}

/// Speaks with a client until one of both ends it; `closing` is when the controller is to.
pub(crate) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    parts: ChannelParts,
    closing: impl Future<Output = Closing>,
) -> End {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(BATCH)
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (outbox, inbox) = Outbox::new();
    let mut connection = Connection {
        socket,
        parts,
        outbox,
        inbox,
        tasks: JoinSet::new(),
    };
    let mut closing = pin!(closing);
    let end = connection.speak(closing.as_mut()).await;
    connection.tasks.abort_all();
    if let End::Controller(why) = end {
        // Whoever does not take it learns of the end by the end.
        let _ = timeout(FAREWELL, connection.say_farewell(why)).await;
    }
    end
}

struct Connection<S> {
    socket: WebSocketStream<S>,
    parts: ChannelParts,
    outbox: Outbox,
    inbox: Inbox,
    /// Requests that are being answered.
    tasks: JoinSet<Task>,
}

/// What a task was for.
#[derive(Debug, Clone, Copy)]
enum Task {
    Events,
    /// Events for which there was a request that was refused, with this many subscriptions.
    RefusedEvents(usize),
    Query,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    async fn speak(&mut self, mut closing: Pin<&mut impl Future<Output = Closing>>) -> End {
        loop {
            let next = tokio::select! {
                biased;
                why = closing.as_mut() => return End::Controller(why),
                message = self.socket.next() => self.receive(message),
                Some(done) = self.tasks.join_next() => self.finish(done),
                Some(outgoing) = self.inbox.recv() => match outgoing {
                    Outgoing::Message(message) => ControlFlow::Continue(Some(message)),
                    Outgoing::Close(why) => ControlFlow::Break(End::Controller(why)),
                },
            };
            let to_send = match next {
                ControlFlow::Continue(to_send) => to_send,
                ControlFlow::Break(end) => return end,
            };
            // Without anything to send, what the library answers by itself is flushed.
            let sent = tokio::select! {
                biased;
                why = closing.as_mut() => return End::Controller(why),
                sent = timeout(WRITE_STALL, self.transmit(to_send)) => sent,
            };
            match sent {
                Ok(ControlFlow::Continue(())) => {},
                Ok(ControlFlow::Break(end)) => return end,
                Err(_elapsed) => return End::Stalled,
            }
        }
    }

    /// Sends a message, and what waits behind it.
    async fn transmit(&mut self, first: Option<OutgoingMessage>) -> ControlFlow<End> {
        let mut next = first;
        let mut bytes = 0;
        // The socket has its own copy until that is flushed.
        let mut held = Vec::new();
        while let Some(OutgoingMessage {
            message,
            held: place,
        }) = next.take()
        {
            held.extend(place);
            let Ok(frame) = self.parts.exchange.number(message) else {
                return ControlFlow::Break(End::Controller(Closing::Incomplete));
            };
            let frame = frame.to_bytes();
            bytes += frame.len();
            if self.socket.feed(Message::Binary(frame)).await.is_err() {
                return ControlFlow::Break(End::Client);
            }
            if bytes < BATCH {
                next = match self.inbox.try_recv() {
                    Ok(Outgoing::Message(message)) => Some(message),
                    Ok(Outgoing::Close(why)) => {
                        return ControlFlow::Break(End::Controller(why));
                    },
                    Err(_empty) => None,
                };
            }
        }
        match self.socket.flush().await {
            Ok(()) => ControlFlow::Continue(()),
            Err(_gone) => ControlFlow::Break(End::Client),
        }
    }

    /// A task is done.
    fn finish(
        &mut self,
        done: Result<Task, JoinError>,
    ) -> ControlFlow<End, Option<OutgoingMessage>> {
        match done {
            Ok(Task::Query) => self.parts.exchange.query_finished(),
            Ok(Task::Events) => {},
            Ok(Task::RefusedEvents(subscriptions)) => {
                self.parts.exchange.event_request_refused(subscriptions);
            },
            // It panicked, and its client would wait for the rest.
            Err(error) => {
                tracing::error!(%error, "a request on a management channel was not answered");
                return ControlFlow::Break(End::Controller(Closing::Incomplete));
            },
        }
        ControlFlow::Continue(None)
    }

    /// Takes what comes from the client, and returns what is to be said at once.
    fn receive(
        &mut self,
        message: Option<Result<Message, Error>>,
    ) -> ControlFlow<End, Option<OutgoingMessage>> {
        let closed_for = |why| ControlFlow::Break(End::Controller(why));
        match message {
            Some(Ok(Message::Binary(bytes))) => self.take(bytes),
            Some(Ok(Message::Text(_)) | Err(Error::Utf8(_))) => closed_for(Closing::Text),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                ControlFlow::Continue(None)
            },
            Some(Err(Error::Capacity(_))) => closed_for(Closing::TooLong),
            Some(Ok(Message::Close(_)) | Err(Error::Protocol(GONE))) | None => {
                ControlFlow::Break(End::Client)
            },
            Some(Err(Error::Protocol(_))) => closed_for(Closing::NoFrame),
            Some(Err(_)) => ControlFlow::Break(End::Client),
        }
    }

    fn take(&mut self, message: Bytes) -> ControlFlow<End, Option<OutgoingMessage>> {
        let step = match self.parts.exchange.receive(message) {
            Ok(step) => step,
            Err(error) => {
                tracing::debug!(%error, "a message on a management channel is no frame");
                return ControlFlow::Break(End::Controller(Closing::NoFrame));
            },
        };
        match step {
            Step::Answer(answer) => return ControlFlow::Continue(Some(answer.into())),
            Step::Subscribe(reply_to, request) => {
                let context = EventContext {
                    bus: self.parts.bus.clone(),
                    queued_events: self.parts.queued_events,
                    outbox: self.outbox.clone(),
                };
                self.tasks.spawn(async move {
                    let subscriptions = request.len();
                    match context.answer(reply_to, request).await {
                        Ok(Answered::Refused) => Task::RefusedEvents(subscriptions),
                        Ok(Answered::Streamed) | Err(_) => Task::Events,
                    }
                });
            },
            Step::StreamTraces(request) => {
                let permit = self.parts.permit.clone();
                let traces = self.parts.queries.traces(permit);
                let outbox = self.outbox.clone();
                self.tasks.spawn(async move {
                    let _closed = stream_traces(request, traces, outbox).await;
                    Task::Events
                });
            },
            Step::Query(reply_to, query) => {
                let context = QueryContext {
                    queries: Arc::clone(&self.parts.queries),
                    permit: self.parts.permit.clone(),
                    controller: Arc::clone(&self.parts.controller),
                    outbox: self.outbox.clone(),
                };
                self.tasks.spawn(async move {
                    let _closed = context.answer(reply_to, query).await;
                    Task::Query
                });
            },
            Step::Nothing => {},
        }
        ControlFlow::Continue(None)
    }

    /// Tells the client why its channel is closed, and waits until it has closed its side: a connection
    /// that is closed with unread bytes is reset, and what was sent last may be lost.
    async fn say_farewell(&mut self, why: Closing) {
        if self.socket.close(Some(why.frame())).await.is_err() {
            return;
        }
        while let Some(Ok(_)) = self.socket.next().await {}
        let _ = self.socket.get_mut().shutdown().await;
    }
}

#[cfg(test)]
mod tests;
