//! A connection of a channel, as its owner has it.

use super::shared::Shared;
use super::state::Owned;
use bytes::Bytes;
use portcullis_sdk_proto::{CloseReason, Read, ReadError, WriteError};
use std::sync::Arc;
use std::task::{Context, Poll};

/// A connection. Dropping it closes it: what was written is still delivered, a dial is taken back, an offer
/// refused.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) owned: Owned,
}

impl Connection {
    pub(super) const fn new(shared: Arc<Shared>, owned: Owned) -> Self {
        Self { shared, owned }
    }

    /// The next bytes as they were written at the other end; `None` if nothing follows. One task at a time.
    pub(crate) fn poll_read(
        &self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, ReadError>> {
        self.shared.update(|state, now| {
            if !state.has(self.owned) {
                return Poll::Ready(Err(ReadError::NotOpen));
            }
            match state.edge.read(self.owned.id, now) {
                Ok(Some(Read::Data(data))) => Poll::Ready(Ok(Some(data))),
                Ok(Some(Read::Finished)) => Poll::Ready(Ok(None)),
                Ok(None) => {
                    if let Some(slot) = state.slot_mut(self.owned) {
                        slot.reader = Some(context.waker().clone());
                    }
                    Poll::Pending
                },
                Err(why) => Poll::Ready(Err(why)),
            }
        })
    }

    /// Takes as much of `data` as there is room for. One task at a time.
    pub(crate) fn poll_write(
        &self,
        context: &mut Context<'_>,
        data: &mut Bytes,
    ) -> Poll<Result<usize, WriteError>> {
        self.shared.update(|state, now| {
            if !state.has(self.owned) {
                return Poll::Ready(Err(WriteError::NotOpen));
            }
            match state.edge.write(self.owned.id, data, now) {
                Err(WriteError::Blocked) => {
                    if let Some(slot) = state.slot_mut(self.owned) {
                        slot.writer = Some(context.waker().clone());
                    }
                    Poll::Pending
                },
                written => Poll::Ready(written),
            }
        })
    }

    /// Takes all of `data`, or nothing.
    pub(crate) fn try_write(&self, mut data: Bytes) -> Result<(), WriteError> {
        self.shared.update(|state, now| {
            if !state.has(self.owned) {
                return Err(WriteError::NotOpen);
            }
            state.edge.write(self.owned.id, &mut data, now).map(drop)
        })
    }

    /// Ends the direction to the other end, after all that was written.
    pub(crate) fn finish(&self) {
        self.shared.update(|state, now| {
            if state.has(self.owned) {
                state.edge.finish(self.owned.id, now);
            }
        });
    }

    /// Closes it at once, whatever is on its way.
    pub(crate) fn abort(&self) {
        self.shared.update(|state, now| {
            if state.has(self.owned) {
                state.edge.abort(self.owned.id, now);
                state.release(self.owned, now);
            }
        });
    }

    /// Why it is over, if it is.
    pub(crate) fn end(&self) -> Option<CloseReason> {
        self.shared.get(|state| match state.slot(self.owned) {
            Some(slot) => slot.end.clone(),
            None => Some(CloseReason::ChannelEnded),
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared
            .update(|state, now| state.release(self.owned, now));
    }
}
