//! How a channel is over.

use super::EdgeChannel;
use crate::connection::Connection;
use crate::event::{BindEnd, ChannelEnd, CloseReason, DialFailure, EdgeEvent};
use portcullis_channel::Now;

impl EdgeChannel {
    /// Ends the channel. Nothing more goes to the router, which ends all that there was on the channel when its
    /// connections are closed; who wants what was written to arrive closes each connection before, and waits
    /// until there are [none](Self::connections).
    pub fn shut_down(&mut self, now: Now) {
        self.end_channel(ChannelEnd::Requested, now);
    }

    /// The connections to the router are lost.
    pub fn handle_disconnect(&mut self, now: Now) {
        self.end_channel(ChannelEnd::Disconnected, now);
    }

    pub(super) fn end_channel(&mut self, why: ChannelEnd, now: Now) {
        if self.end.is_some() {
            return;
        }
        self.end = Some(why);
        let binds: Vec<_> = self.connections.binds.keys().copied().collect();
        for bind in binds {
            self.end_bind(bind, BindEnd::ChannelEnded);
        }
        for id in self.connections.ids() {
            match self.connections.get(id) {
                Some(Connection::Dialing(_)) => self.fail_dial(id, DialFailure::ChannelEnded),
                Some(Connection::Offered(_)) => self.offer_ended(id),
                Some(Connection::Open(_)) | None => {},
            }
            if let Some(stream) = self.connections.stream_mut(id) {
                stream.end_by_router(CloseReason::ChannelEnded, now);
            }
            self.settle(id, now);
        }
        self.outbox.clear();
        self.queued.clear();
        self.stalled.clear();
        self.timers.clear_all();
        self.events.push_back(EdgeEvent::Ended(why));
    }
}
