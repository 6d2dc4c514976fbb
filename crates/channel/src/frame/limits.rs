//! Frame size limits.

use super::{FrameTooLongError, Message};
use crate::headers::{ENTRY_HEAD_BYTES, Headers};

/// Maximum size of frames. A larger frame is rejected by its prefix, before memory is reserved.
///
/// The wire format itself has no limit but that of its length fields, so a receiver without limits
/// can be made to reserve 8 GiB by 20 bytes. Worst-case memory of a connection that is read:
/// `header_block` plus `body` plus one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLimits {
    pub header_block: u32,
    pub header_count: u32,
    pub body: u32,
}

impl FrameLimits {
    /// The protocol's limits for a hello and its answer.
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

    /// Replaces the limit for bodies.
    #[must_use]
    pub const fn with_body(self, body: u32) -> Self {
        Self { body, ..self }
    }

    /// Checks a message to be sent.
    pub(crate) fn check(&self, message: &Message) -> Result<(), FrameTooLongError> {
        let (headers, body) = (message.headers.block().len(), message.body.len());
        if exceeds(headers, self.header_block)
            || exceeds(body, self.body)
            || self.has_too_many(&message.headers)
        {
            return Err(FrameTooLongError {
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
        exceeds(headers.block().len() / ENTRY_HEAD_BYTES, self.header_count)
            && exceeds(headers.iter().count(), self.header_count)
    }
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self::LARGE
    }
}

fn exceeds(length: usize, limit: u32) -> bool {
    u32::try_from(length).map_or(true, |length| length > limit)
}
