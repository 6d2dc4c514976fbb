//! What comes from the other end.

use super::{Flow, Incoming, Stream};
use crate::event::{CloseReason, Read, ReadError};
use bytes::{Buf as _, Bytes, BytesMut};
use portcullis_channel::Now;
use portcullis_wire::edge::DataFlags;
use portcullis_xgress::{Received, Segment};
use std::collections::VecDeque;

impl Stream {
    /// What the other end has sent.
    pub(crate) fn read(&mut self, now: Now) -> Result<Option<Read>, ReadError> {
        self.reader_waits = false;
        loop {
            match &self.incoming {
                Incoming::Open => {},
                Incoming::Finished => return Ok(Some(Read::Finished)),
                Incoming::Failed(why) => return Err(ReadError::Closed(why.clone())),
            }
            match self.next(now) {
                Some(Received::EndOfStream) => self.incoming = Incoming::Finished,
                Some(Received::Segment(segment)) => match self.open(segment) {
                    Ok(data) if data.is_empty() => {},
                    Ok(data) => return Ok(Some(Read::Data(data))),
                    Err(why) => {
                        self.incoming = Incoming::Failed(why.clone());
                        self.inbox = VecDeque::new();
                        self.abort(why);
                    },
                },
                None => match &self.end {
                    Some(why) if why.is_complete() => self.incoming = Incoming::Finished,
                    Some(why) => return Err(ReadError::Closed(why.clone())),
                    None => {
                        self.reader_waits = true;
                        return Ok(None);
                    },
                },
            }
        }
    }

    fn next(&mut self, now: Now) -> Option<Received> {
        let waiting = self.inbox.pop_front();
        match &mut self.flow {
            Flow::Sdk(flow) => waiting.or_else(|| flow.read(now)),
            Flow::Router(flow) => {
                if let Some(received) = &waiting {
                    flow.note_read(received);
                }
                waiting
            },
        }
    }

    /// The data of a segment, as it was written.
    fn open(&mut self, segment: Segment) -> Result<Bytes, CloseReason> {
        let flags = segment.data_flags().unwrap_or_default();
        let sealed = segment.data.into_inner();
        let opened = match &mut self.encryption {
            // Segments without data carry flags.
            Some(encryption) if !sealed.is_empty() => encryption.open(sealed)?,
            _ => sealed,
        };
        if flags.contains(DataFlags::FIN) {
            self.incoming = Incoming::Finished;
        }
        if flags.contains(DataFlags::MULTIPART_MESSAGE) {
            return joined(opened).ok_or(CloseReason::Malformed);
        }
        Ok(opened)
    }

    /// Whether a read would return something.
    pub(crate) fn is_readable(&self) -> bool {
        let has_arrived = match &self.flow {
            Flow::Sdk(flow) => flow.is_readable(),
            Flow::Router(_) => false,
        };
        has_arrived
            || !self.inbox.is_empty()
            || self.end.is_some()
            || !matches!(self.incoming, Incoming::Open)
    }
}

/// The messages of one that has several, each behind its length, as one.
fn joined(mut parts: Bytes) -> Option<Bytes> {
    let mut all = BytesMut::with_capacity(parts.len());
    while parts.has_remaining() {
        let length = usize::from(parts.try_get_u16_le().ok()?);
        if parts.len() < length {
            return None;
        }
        all.extend_from_slice(&parts.split_to(length));
    }
    Some(all.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined() {
        let join = |bytes: &'static [u8]| joined(Bytes::from_static(bytes));
        assert_eq!(join(b"").unwrap(), "");
        assert_eq!(join(b"\x02\0hi\0\0\x01\0!").unwrap(), "hi!");
        assert_eq!(join(b"\x02"), None);
        assert_eq!(join(b"\x03\0hi"), None);
    }
}
