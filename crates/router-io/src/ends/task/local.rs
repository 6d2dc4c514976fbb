//! Between the endpoint and the local side.

use std::io;
use std::task::{Context, Poll, ready};

use portcullis_channel::Now;
use portcullis_xgress::Received;

use super::End;
use crate::ends::local_side::{FromLocal, LocalSide};

/// Segments that are read before what they have become is sent.
const READS: usize = 16;

/// From the local side into the circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Open,
    /// All was read, or nobody wants it.
    Over,
}

/// Out of the circuit, to the local side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    Open,
    /// All was handed over.
    Finishing,
    /// The local side has been told so, or takes nothing.
    Over,
}

impl<L: LocalSide> End<L> {
    /// Hands over what has arrived. Returns whether something was.
    pub(super) fn write_local(&mut self, context: &mut Context<'_>, now: Now) -> bool {
        let mut has_written = false;
        let mut result = self.hand_over(&mut has_written, context, now);
        if result.is_ok()
            && let Poll::Ready(finished) = self.finish_local(context)
        {
            result = finished;
        }
        let is_left = self.endpoint.is_readable();
        self.meter.written(has_written, is_left, now.mono);
        if let Err(error) = result {
            tracing::debug!(
                circuit = %self.inbox.circuit(),
                %error,
                "what comes out of a circuit is not taken any more"
            );
            self.writing = Writing::Over;
            self.endpoint.stop_reading(now);
        }
        has_written
    }

    fn hand_over(
        &mut self,
        has_written: &mut bool,
        context: &mut Context<'_>,
        now: Now,
    ) -> io::Result<()> {
        while self.endpoint.is_readable()
            && let Poll::Ready(ready) = self.local.poll_ready(context)
        {
            ready?;
            match self.endpoint.read(now) {
                Some(Received::Segment(segment)) => {
                    self.meter.border.sent(segment.data.expose().len());
                    self.local.write(segment);
                },
                Some(Received::EndOfStream) => self.writing = Writing::Finishing,
                None => break,
            }
            *has_written = true;
        }
        Ok(())
    }

    /// Lets the local side work on what it has taken, and tells it if that was all.
    pub(super) fn finish_local(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.writing {
            Writing::Open => self.local.poll_flush(context),
            Writing::Finishing => {
                let result = ready!(self.local.poll_finish(context));
                self.writing = Writing::Over;
                Poll::Ready(result)
            },
            Writing::Over => Poll::Ready(Ok(())),
        }
    }

    /// Puts into the circuit what comes from the local side, as long as there is room. Returns whether
    /// something came.
    pub(super) fn read_local(&mut self, context: &mut Context<'_>, now: Now) -> bool {
        let mut has_read = false;
        for _ in 0..READS {
            if !self.wants_input() {
                break;
            }
            let Poll::Ready(read) = self.local.poll_read(context) else {
                break;
            };
            has_read = true;
            match read {
                Ok(FromLocal::Segment(segment)) => {
                    self.meter.border.received(segment.data.expose().len());
                    // There is room; otherwise the circuit is over.
                    let _is_over = self.endpoint.write(segment, now);
                },
                Ok(FromLocal::EndOfStream) => {
                    self.reading = Reading::Over;
                    self.endpoint.finish(now);
                },
                Ok(FromLocal::Closed) => self.local_closed(now),
                Err(error) => {
                    tracing::debug!(
                        circuit = %self.inbox.circuit(),
                        %error,
                        "what a circuit ends at is lost"
                    );
                    self.local_closed(now);
                },
            }
        }
        has_read
    }

    fn wants_input(&self) -> bool {
        self.reading == Reading::Open
            && self.is_started
            && self.blocked.is_none()
            && self.endpoint.is_writable()
    }

    fn local_closed(&mut self, now: Now) {
        self.reading = Reading::Over;
        self.writing = Writing::Over;
        self.endpoint.close(now);
    }
}
