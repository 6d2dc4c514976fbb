//! Bytes that are decoded, and the memory that they may take.

use super::{ProtobufError, WireType};
use bytes::{Buf, Bytes};
use prost::encoding::{DecodeContext, skip_field};

/// How many times its length a body may take in memory for the elements of lists and maps, beside
/// [`MEMORY_FREE_BYTES`]. What peers send takes less than ten times. While a list grows, it has up to twice
/// the room that it needs.
pub const MEMORY_FACTOR: usize = 16;
/// What the elements of lists and maps may take in any case.
pub const MEMORY_FREE_BYTES: usize = 64 * 1024;

/// A body that is decoded. Without memory for its elements, nothing is left of it.
pub(crate) struct Input {
    rest: Bytes,
    /// What elements may still take; `None` once it was not enough.
    budget: Option<usize>,
}

impl Input {
    /// Reads a body, whose memory the bytes in the message will share.
    pub(crate) fn new(body: &Bytes) -> Self {
        let budget = body.len().saturating_mul(MEMORY_FACTOR);
        Self {
            rest: body.clone(),
            budget: Some(budget.saturating_add(MEMORY_FREE_BYTES)),
        }
    }

    /// Takes the memory for `count` elements of a type.
    pub(crate) fn charge<T>(&mut self, count: usize) {
        let bytes = count.saturating_mul(size_of::<T>());
        self.budget = self.budget.and_then(|left| left.checked_sub(bytes));
        if self.budget.is_none() {
            self.rest = Bytes::new();
        }
    }

    /// Whether the memory was not enough; what was decoded is not all then.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.budget.is_none()
    }
}

impl Buf for Input {
    fn remaining(&self) -> usize {
        self.rest.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.rest
    }

    fn advance(&mut self, count: usize) {
        self.rest.advance(count);
    }

    fn copy_to_bytes(&mut self, length: usize) -> Bytes {
        self.rest.copy_to_bytes(length)
    }
}

/// Passes over a field.
pub(crate) fn skip(wire_type: WireType, tag: u32, input: &mut Input) -> Result<(), ProtobufError> {
    skip_field(wire_type, tag, input, DecodeContext::default())
}
