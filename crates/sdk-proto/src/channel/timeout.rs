//! Deadlines that have passed.

use super::EdgeChannel;
use crate::connection::Connection;
use crate::event::BindId;
use crate::stream::Flow;
use crate::timers::Timer;
use portcullis_channel::Now;
use portcullis_wire::edge::ConnectionId;

impl EdgeChannel {
    /// Handles all that has become due. Early calls change nothing, late ones lose nothing; what has arrived
    /// before has to be handled first.
    pub fn handle_timeout(&mut self, now: Now) {
        while let Some(timer) = self.timers.pop_due(now.mono) {
            match timer {
                Timer::Connection(id) => self.connection_timed_out(id, now),
                Timer::Bind(id) => self.bind_timed_out(BindId(id)),
                Timer::Token => self.token_timed_out(),
                Timer::Probe => self.probe_timed_out(now),
            }
        }
    }

    fn connection_timed_out(&mut self, id: ConnectionId, now: Now) {
        match self.connections.get(id) {
            Some(Connection::Dialing(_)) => self.dial_timed_out(id),
            Some(Connection::Offered(_)) => self.offer_timed_out(id),
            Some(Connection::Open(_)) => {
                if let Some(stream) = self.connections.stream_mut(id) {
                    if let Flow::Sdk(flow) = &stream.flow
                        && flow.is_ending(now)
                    {
                        stream.drain(now);
                    }
                    if let Flow::Sdk(flow) = &mut stream.flow {
                        flow.handle_timeout(now);
                    }
                }
                self.settle(id, now);
            },
            None => {},
        }
    }
}
