//! How long a frame may be.

use super::{FrameTooLong, Message};
use crate::headers::{ENTRY_HEAD, Headers};

/// How long frames may be. A frame above its limit is refused by its prefix, before any memory is
/// reserved for it.
///
/// The wire itself knows no limit but that of its lengths, so a receiver that has none can be made to
/// reserve 8 GiB by 20 bytes. Worst-case memory of a connection that is read: `header_block` plus `body`
/// plus one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLimits {
    /// Bytes of the header block.
    pub header_block: u32,
    /// Entries of the header block.
    pub header_count: u32,
    /// Bytes of the body.
    pub body: u32,
}

impl FrameLimits {
    /// What the protocol allows a hello and its answer.
    pub const HELLO: Self = Self {
        header_block: 16_384,
        header_count: 512,
        body: 4_192,
    };

    /// For later messages of a peer that may send whole tables: bodies of 64 MiB.
    pub const LARGE: Self = Self {
        header_block: 64 * 1024,
        header_count: 512,
        body: 64 * 1024 * 1024,
    };

    /// The same limits with other bodies.
    #[must_use]
    pub const fn with_body(self, body: u32) -> Self {
        Self { body, ..self }
    }

    /// Whether a message of ours may be sent.
    pub(crate) fn allow(&self, message: &Message) -> Result<(), FrameTooLong> {
        let (headers, body) = (message.headers.block().len(), message.body.len());
        if exceeds(headers, self.header_block)
            || exceeds(body, self.body)
            || self.has_too_many(&message.headers)
        {
            return Err(FrameTooLong {
                headers,
                header_count: message.headers.iter().count(),
                body,
                limits: *self,
            });
        }
        Ok(())
    }

    /// Headers are only counted if there are enough bytes for too many.
    fn has_too_many(&self, headers: &Headers) -> bool {
        exceeds(headers.block().len() / ENTRY_HEAD, self.header_count)
            && exceeds(headers.iter().count(), self.header_count)
    }
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self::LARGE
    }
}

/// Whether a length or a number of things is above its limit.
fn exceeds(length: usize, limit: u32) -> bool {
    u32::try_from(length).map_or(true, |length| length > limit)
}
