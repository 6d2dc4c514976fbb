//! Header block of a frame: keys, values and their encoding.

mod builder;
pub mod key;
mod value;

pub use builder::{EncodeError, HeadersBuilder};
pub use value::{MAX_ENTRIES, MAX_ENTRY_BYTES};

use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use value::ValueReader;

/// Length of key and length field before each value.
pub(crate) const ENTRY_HEAD_BYTES: usize = 8;

/// Number of a header.
///
/// 0 to 127 belong to the channel ([`key`]), 128 is reflected; the meaning of the others depends on
/// the content type of the message and is outside the scope of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderKey(pub i32);

/// Headers of a frame, exactly as on the wire.
///
/// A block consists of zero or more entries of key (signed 32 bits), length (unsigned 32 bits) and
/// value, all little-endian, in any order. It is validated once; looking up a header scans it and
/// borrows the value. The last of several entries with the same key counts. A value that cannot be
/// decoded as expected counts as absent.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    block: Bytes,
}

/// A header block is invalid. The connection that it came from must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Fewer bytes are left than a key and a length need.
    #[error("header block ends within the head of an entry, at byte {offset}")]
    TruncatedHead {
        /// Start of the entry.
        offset: usize,
    },
    /// A value claims to be longer than the rest of the block.
    #[error("header {} at byte {offset} claims {claimed} bytes, more than the block has left", key.0)]
    TruncatedValue {
        /// Key of the entry.
        key: HeaderKey,
        /// Start of the entry.
        offset: usize,
        /// Length claimed by the entry.
        claimed: u32,
    },
    #[error("more than {limit} headers in one frame")]
    TooMany {
        /// Maximum number of entries.
        limit: u32,
    },
}

impl Headers {
    /// Creates a block without entries.
    pub const fn empty() -> Self {
        Self {
            block: Bytes::new(),
        }
    }

    pub fn builder() -> HeadersBuilder {
        HeadersBuilder::default()
    }

    /// Decodes a block of at most `limit` entries.
    pub fn decode(block: Bytes, limit: u32) -> Result<Self, HeaderError> {
        validate(&block, limit)?;
        Ok(Self { block })
    }

    /// Wraps a block that [`validate`] has accepted.
    pub(crate) const fn from_validated(block: Bytes) -> Self {
        Self { block }
    }

    /// The block as on the wire.
    pub const fn block(&self) -> &Bytes {
        &self.block
    }

    /// The entries in wire order, including duplicate keys.
    pub fn iter(&self) -> impl Iterator<Item = (HeaderKey, &[u8])> {
        let mut rest: &[u8] = &self.block;
        std::iter::from_fn(move || {
            let (key, value, after) = split_entry(rest)?;
            rest = after;
            Some((key, value))
        })
    }

    /// The value of a header; the last one counts.
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

    /// A string. Bytes that are not UTF-8 count as absent.
    pub fn string(&self, key: HeaderKey) -> Option<&str> {
        std::str::from_utf8(self.get(key)?).ok()
    }

    /// A boolean: the single byte 1 is true, any other value is false.
    pub fn bool(&self, key: HeaderKey) -> Option<bool> {
        self.get(key).map(|value| value == [1])
    }

    pub fn u8(&self, key: HeaderKey) -> Option<u8> {
        self.array(key).map(u8::from_le_bytes)
    }

    pub fn u16(&self, key: HeaderKey) -> Option<u16> {
        self.array(key).map(u16::from_le_bytes)
    }

    pub fn u32(&self, key: HeaderKey) -> Option<u32> {
        self.array(key).map(u32::from_le_bytes)
    }

    pub fn i32(&self, key: HeaderKey) -> Option<i32> {
        self.array(key).map(i32::from_le_bytes)
    }

    pub fn u64(&self, key: HeaderKey) -> Option<u64> {
        self.array(key).map(u64::from_le_bytes)
    }

    /// A list of strings: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`]; otherwise absent.
    pub fn string_list(&self, key: HeaderKey) -> Option<Vec<String>> {
        ValueReader::new(self.get(key)?).read_list(ValueReader::string)
    }

    /// A map from numbers to bytes: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`];
    /// otherwise absent.
    pub fn u32_bytes_map(&self, key: HeaderKey) -> Option<BTreeMap<u32, Bytes>> {
        let entries = ValueReader::new(self.get(key)?).read_list(|values| {
            let key = values.u32()?;
            Some((key, self.block.slice_ref(values.entry()?)))
        })?;
        Some(entries.into_iter().collect())
    }

    /// A map of strings: at most [`MAX_ENTRIES`] of at most [`MAX_ENTRY_BYTES`] each; otherwise
    /// absent.
    pub fn string_map(&self, key: HeaderKey) -> Option<BTreeMap<String, String>> {
        let entries = ValueReader::new(self.get(key)?)
            .read_list(|values| Some((values.string()?, values.string()?)))?;
        Some(entries.into_iter().collect())
    }

    /// A block without the entries of these keys.
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

/// Splits the first entry off a block.
fn split_entry(block: &[u8]) -> Option<(HeaderKey, &[u8], &[u8])> {
    let (key, rest) = block.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (value, rest) = rest.split_at_checked(length)?;
    Some((HeaderKey(i32::from_le_bytes(*key)), value, rest))
}

/// Validates that a block is well-formed and has at most `limit` entries.
pub(crate) fn validate(block: &[u8], limit: u32) -> Result<(), HeaderError> {
    let mut rest = block;
    let mut count = 0;
    while !rest.is_empty() {
        let Some((_, _, after)) = split_entry(rest) else {
            return Err(entry_error(rest, block.len() - rest.len()));
        };
        if count == limit {
            return Err(HeaderError::TooMany { limit });
        }
        count += 1;
        rest = after;
    }
    Ok(())
}

/// The error in the entry at the start of `rest`.
fn entry_error(rest: &[u8], offset: usize) -> HeaderError {
    let head: Option<(&[u8; 4], &[u8])> = rest.split_first_chunk();
    match head.and_then(|(key, rest)| Some((key, rest.first_chunk()?))) {
        Some((key, length)) => HeaderError::TruncatedValue {
            key: HeaderKey(i32::from_le_bytes(*key)),
            offset,
            claimed: u32::from_le_bytes(*length),
        },
        None => HeaderError::TruncatedHead { offset },
    }
}
