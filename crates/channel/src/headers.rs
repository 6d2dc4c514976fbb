//! The header block of a frame: keys and values, and how values are encoded.

mod build;
pub mod key;
mod value;

pub use build::{EncodeError, HeadersBuilder};
pub use value::{MAX_ENTRIES, MAX_ENTRY_BYTES};

use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use value::Values;

/// Bytes of key and length before each value.
pub(crate) const ENTRY_HEAD: usize = 8;

/// The number of a header.
///
/// 0 to 127 belong to the channel ([`key`]), 128 is reflected; what the others mean depends on the
/// content type of the message and is none of this crate's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderKey(pub i32);

/// The headers of a frame, exactly as they are on the wire.
///
/// A block is zero or more of key (signed 32 bits), length (unsigned 32 bits) and value, all little
/// endian, in any order. It is checked once, when it is made; looking a header up scans it, and values
/// are borrowed from it. Where a key is repeated, the last entry counts. A value that is not what its
/// reader expects counts as absent.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    block: Bytes,
}

/// Why a header block cannot be read. The connection that brought it has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Fewer bytes are left than a key and a length need.
    #[error("header block ends within the head of an entry, at byte {offset}")]
    CutHead {
        /// Where the entry begins.
        offset: usize,
    },
    /// A value is said to be longer than what is left of the block.
    #[error("header {} at byte {offset} claims {claimed} bytes, more than the block has left", key.0)]
    CutValue {
        /// Key of the entry.
        key: HeaderKey,
        /// Where the entry begins.
        offset: usize,
        /// Length that the entry claims.
        claimed: u32,
    },
    /// More entries than allowed.
    #[error("more than {limit} headers in one frame")]
    TooMany {
        /// Entries that are allowed.
        limit: u32,
    },
}

impl Headers {
    /// A block without entries.
    pub const fn empty() -> Self {
        Self {
            block: Bytes::new(),
        }
    }

    /// Starts a block.
    pub fn builder() -> HeadersBuilder {
        HeadersBuilder::default()
    }

    /// Checks a block of at most `limit` entries.
    pub fn decode(block: Bytes, limit: u32) -> Result<Self, HeaderError> {
        check(&block, limit)?;
        Ok(Self { block })
    }

    /// A block that [`check`] has let through.
    pub(crate) const fn checked(block: Bytes) -> Self {
        Self { block }
    }

    /// The block as it is on the wire.
    pub const fn block(&self) -> &Bytes {
        &self.block
    }

    /// The entries in their order on the wire, repeated keys included.
    pub fn iter(&self) -> impl Iterator<Item = (HeaderKey, &[u8])> {
        let mut rest: &[u8] = &self.block;
        std::iter::from_fn(move || {
            let (key, value, after) = split_entry(rest)?;
            rest = after;
            Some((key, value))
        })
    }

    /// The value of a header.
    pub fn get(&self, key: HeaderKey) -> Option<&[u8]> {
        self.iter()
            .filter(|(found, _)| *found == key)
            .last()
            .map(|(_, value)| value)
    }

    /// The value of a header, sharing the memory of the frame.
    pub fn bytes(&self, key: HeaderKey) -> Option<Bytes> {
        self.get(key).map(|value| self.block.slice_ref(value))
    }

    /// A text. Bytes that are not UTF-8 count as absent.
    pub fn string(&self, key: HeaderKey) -> Option<&str> {
        std::str::from_utf8(self.get(key)?).ok()
    }

    /// A truth value: the single byte 1 is true, anything else that is present is false.
    pub fn bool(&self, key: HeaderKey) -> Option<bool> {
        self.get(key).map(|value| value == [1])
    }

    /// A number of one byte.
    pub fn u8(&self, key: HeaderKey) -> Option<u8> {
        self.array(key).map(u8::from_le_bytes)
    }

    /// A number of two bytes.
    pub fn u16(&self, key: HeaderKey) -> Option<u16> {
        self.array(key).map(u16::from_le_bytes)
    }

    /// A number of four bytes.
    pub fn u32(&self, key: HeaderKey) -> Option<u32> {
        self.array(key).map(u32::from_le_bytes)
    }

    /// A signed number of four bytes.
    pub fn i32(&self, key: HeaderKey) -> Option<i32> {
        self.array(key).map(i32::from_le_bytes)
    }

    /// A number of eight bytes.
    pub fn u64(&self, key: HeaderKey) -> Option<u64> {
        self.array(key).map(u64::from_le_bytes)
    }

    /// A list of texts: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`]; else absent.
    pub fn string_list(&self, key: HeaderKey) -> Option<Vec<String>> {
        Values::of(self.get(key)?).list(Values::string)
    }

    /// Bytes by number: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`]; else absent.
    pub fn u32_bytes_map(&self, key: HeaderKey) -> Option<BTreeMap<u32, Bytes>> {
        let entries = Values::of(self.get(key)?).list(|values| {
            let key = values.u32()?;
            Some((key, self.block.slice_ref(values.entry()?)))
        })?;
        Some(entries.into_iter().collect())
    }

    /// Texts by text: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`] each; else absent.
    pub fn string_map(&self, key: HeaderKey) -> Option<BTreeMap<String, String>> {
        let entries =
            Values::of(self.get(key)?).list(|values| Some((values.string()?, values.string()?)))?;
        Some(entries.into_iter().collect())
    }

    /// A block with the same entries, but for those with one of these keys.
    pub(crate) fn without(&self, keys: &[HeaderKey]) -> Self {
        let kept = self.iter().filter(|(key, _)| !keys.contains(key));
        kept.fold(Self::builder(), |builder, (key, value)| {
            builder.bytes(key, value)
        })
        .build()
    }

    fn array<const N: usize>(&self, key: HeaderKey) -> Option<[u8; N]> {
        self.get(key)?.try_into().ok()
    }
}

impl fmt::Debug for Headers {
    /// Shows keys and lengths, not values: those of a hello are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = self.iter().map(|(key, value)| (key.0, value.len()));
        f.debug_map().entries(lengths).finish()
    }
}

/// The first entry of a block, and what follows it.
fn split_entry(block: &[u8]) -> Option<(HeaderKey, &[u8], &[u8])> {
    let (key, rest) = block.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (value, rest) = rest.split_at_checked(length)?;
    Some((HeaderKey(i32::from_le_bytes(*key)), value, rest))
}

/// Whether a block can be read, and has at most `limit` entries.
pub(crate) fn check(block: &[u8], limit: u32) -> Result<(), HeaderError> {
    let mut rest = block;
    let mut count = 0;
    while !rest.is_empty() {
        let Some((_, _, after)) = split_entry(rest) else {
            return Err(fault(rest, block.len() - rest.len()));
        };
        if count == limit {
            return Err(HeaderError::TooMany { limit });
        }
        count += 1;
        rest = after;
    }
    Ok(())
}

/// What is wrong with the entry at the beginning of `rest`.
fn fault(rest: &[u8], offset: usize) -> HeaderError {
    let head: Option<(&[u8; 4], &[u8])> = rest.split_first_chunk();
    match head.and_then(|(key, rest)| Some((key, rest.first_chunk()?))) {
        Some((key, length)) => HeaderError::CutValue {
            key: HeaderKey(i32::from_le_bytes(*key)),
            offset,
            claimed: u32::from_le_bytes(*length),
        },
        None => HeaderError::CutHead { offset },
    }
}
