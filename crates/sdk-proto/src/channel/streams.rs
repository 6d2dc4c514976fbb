//! What owners do with their connections.

use super::EdgeChannel;
use super::dial::closed;
use crate::event::{CloseReason, EdgeEvent, Read, ReadError, WriteError};
use crate::stream::{Flow, Stream};
use crate::timers::Timer;
use bytes::Bytes;
use portcullis_channel::Now;
use portcullis_wire::edge::ConnectionId;
use portcullis_xgress::EndReason;
use std::collections::VecDeque;

impl EdgeChannel {
    /// Takes as much of `data` as there is room for, from its front; returns how much that is, which is 0 only
    /// if `data` is empty.
    pub fn write(
        &mut self,
        connection: ConnectionId,
        data: &mut Bytes,
        now: Now,
    ) -> Result<usize, WriteError> {
        let stream = self.connections.owned(connection);
        let written = stream.ok_or(WriteError::NotOpen)?.write(data, now);
        self.settle(connection, now);
        written
    }

    /// The next bytes of the other end, or that nothing follows; `None` if nothing has arrived.
    pub fn read(&mut self, connection: ConnectionId, now: Now) -> Result<Option<Read>, ReadError> {
        let stream = self.connections.owned(connection);
        let read = stream.ok_or(ReadError::NotOpen)?.read(now);
        self.settle(connection, now);
        read
    }

    /// Ends the direction to the other end, after all that was written. Half close.
    pub fn finish(&mut self, connection: ConnectionId, now: Now) {
        if let Some(stream) = self.connections.owned(connection) {
            stream.finish(now);
            self.settle(connection, now);
        }
    }

    /// Gives a connection away: what was written is still delivered, nothing more is read, and no event is
    /// about it any more. A dial is taken back, an offer refused.
    pub fn close(&mut self, connection: ConnectionId, now: Now) {
        self.give_up(connection);
        if let Some(stream) = self.connections.owned(connection) {
            stream.release(now);
            self.forget_events(connection);
            self.settle(connection, now);
        }
    }

    /// The same at once, whatever is on its way.
    pub fn abort(&mut self, connection: ConnectionId, now: Now) {
        self.give_up(connection);
        if let Some(stream) = self.connections.owned(connection) {
            stream.abort(CloseReason::Circuit(EndReason::Aborted));
            stream.release(now);
            self.forget_events(connection);
            self.settle(connection, now);
        }
    }

    /// Ends what is no stream yet.
    fn give_up(&mut self, connection: ConnectionId) {
        if self.connections.take_dialing(connection).is_some() {
            self.timers.set(Timer::Connection(connection), None);
            self.suggest(&closed(connection, "the dial was given up"));
        }
        if self.refuse(connection, "given up").is_ok() {
            self.forget_events(connection);
        }
    }

    fn forget_events(&mut self, connection: ConnectionId) {
        self.events
            .retain(|event| event.connection() != Some(connection));
    }

    /// Follows up after everything that may have changed at an open connection.
    pub(super) fn settle(&mut self, id: ConnectionId, now: Now) {
        let Some(stream) = self.connections.stream_mut(id) else {
            return;
        };
        stream.settle(now);
        announce(stream, &mut self.events, now);
        match &stream.flow {
            Flow::Router(flow) if flow.is_stalled() => {
                self.stalled.insert(id);
            },
            _ => {
                self.stalled.remove(&id);
            },
        }
        if stream.has_output() && !stream.is_queued {
            stream.is_queued = true;
            self.queued.push_back(id);
        }
        let timeout = match &stream.flow {
            Flow::Sdk(flow) => flow.timeout(),
            Flow::Router(_) => None,
        };
        self.timers.set(Timer::Connection(id), timeout);
        if stream.is_done() {
            self.connections.remove(id);
            self.timers.set(Timer::Connection(id), None);
            self.traces.forget(id);
        }
    }
}

/// Tells the owner what has changed for it.
fn announce(stream: &mut Stream, events: &mut VecDeque<EdgeEvent>, now: Now) {
    if stream.is_released {
        return;
    }
    let connection = stream.connection;
    if stream.reader_waits && stream.is_readable() {
        stream.reader_waits = false;
        events.push_back(EdgeEvent::Readable(connection));
    }
    if stream.writer_waits && !stream.is_blocked(now) {
        stream.writer_waits = false;
        events.push_back(EdgeEvent::Writable(connection));
    }
    if let Some(why) = stream.end()
        && !stream.is_end_announced
    {
        let why = why.clone();
        stream.is_end_announced = true;
        events.push_back(EdgeEvent::Closed { connection, why });
    }
}
