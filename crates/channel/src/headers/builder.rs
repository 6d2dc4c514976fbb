//! Builder of header blocks.

use super::{ENTRY_HEAD_BYTES, HeaderKey, Headers, MAX_ENTRIES, MAX_ENTRY_BYTES};
use bytes::{BufMut as _, BytesMut};

/// Builds a header block, one entry after another.
///
/// ```
/// use portcullis_channel::{HeaderKey, Headers};
///
/// const CONNECTION: HeaderKey = HeaderKey(1000);
///
/// let headers = Headers::builder().u32(CONNECTION, 7).build();
/// assert_eq!(headers.u32(CONNECTION), Some(7));
/// assert_eq!(headers.u64(CONNECTION), None, "four bytes are not eight");
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct HeadersBuilder {
    block: BytesMut,
}

/// A list or map cannot be sent, because receivers would treat it as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// More than [`MAX_ENTRIES`].
    #[error("header {}: {count} entries; a list or map has at most {MAX_ENTRIES}", key.0)]
    TooManyEntries {
        /// Key of the header.
        key: HeaderKey,
        /// Number of entries.
        count: usize,
    },
    /// More than [`MAX_ENTRY_BYTES`].
    #[error("header {}: an entry of {length} bytes; at most {MAX_ENTRY_BYTES} are allowed", key.0)]
    EntryTooLong {
        /// Key of the header.
        key: HeaderKey,
        /// Length of the entry.
        length: usize,
    },
}

impl HeadersBuilder {
    /// Adds raw bytes.
    pub fn bytes(mut self, key: HeaderKey, value: &[u8]) -> Self {
        // A block that is too long for a frame is rejected when the frame is created.
        let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
        self.block
            .reserve(ENTRY_HEAD_BYTES.saturating_add(value.len()));
        self.block.put_i32_le(key.0);
        self.block.put_u32_le(length);
        self.block.put_slice(value);
        self
    }

    pub fn string(self, key: HeaderKey, value: &str) -> Self {
        self.bytes(key, value.as_bytes())
    }

    pub fn bool(self, key: HeaderKey, value: bool) -> Self {
        self.bytes(key, &[u8::from(value)])
    }

    pub fn u8(self, key: HeaderKey, value: u8) -> Self {
        self.bytes(key, &[value])
    }

    pub fn u16(self, key: HeaderKey, value: u16) -> Self {
        self.bytes(key, &value.to_le_bytes())
    }

    pub fn u32(self, key: HeaderKey, value: u32) -> Self {
        self.bytes(key, &value.to_le_bytes())
    }

    pub fn i32(self, key: HeaderKey, value: i32) -> Self {
        self.bytes(key, &value.to_le_bytes())
    }

    pub fn u64(self, key: HeaderKey, value: u64) -> Self {
        self.bytes(key, &value.to_le_bytes())
    }

    pub fn string_list(self, key: HeaderKey, list: &[&str]) -> Result<Self, EncodeError> {
        let mut value = encode_count(key, list.len())?;
        for text in list {
            put_entry(&mut value, key, text.as_bytes())?;
        }
        Ok(self.bytes(key, &value))
    }

    /// Adds a map from numbers to bytes.
    pub fn u32_bytes_map<'v>(
        self,
        key: HeaderKey,
        map: impl ExactSizeIterator<Item = (u32, &'v [u8])>,
    ) -> Result<Self, EncodeError> {
        let mut value = encode_count(key, map.len())?;
        for (number, bytes) in map {
            value.put_u32_le(number);
            put_entry(&mut value, key, bytes)?;
        }
        Ok(self.bytes(key, &value))
    }

    /// Adds a map of strings.
    pub fn string_map<'v>(
        self,
        key: HeaderKey,
        map: impl ExactSizeIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Self, EncodeError> {
        let mut value = encode_count(key, map.len())?;
        for (name, text) in map {
            put_entry(&mut value, key, name.as_bytes())?;
            put_entry(&mut value, key, text.as_bytes())?;
        }
        Ok(self.bytes(key, &value))
    }

    /// Appends the entries of another block, which override earlier entries with the same key.
    pub fn append(mut self, headers: &Headers) -> Self {
        self.block.extend_from_slice(headers.block());
        self
    }

    pub fn build(self) -> Headers {
        Headers {
            block: self.block.freeze(),
        }
    }
}

/// Encodes the count of a list or map: nothing at all if it is empty.
fn encode_count(key: HeaderKey, count: usize) -> Result<BytesMut, EncodeError> {
    let mut value = BytesMut::new();
    match u32::try_from(count) {
        Ok(0) => {},
        Ok(number) if number <= MAX_ENTRIES => value.put_u32_le(number),
        _ => return Err(EncodeError::TooManyEntries { key, count }),
    }
    Ok(value)
}

fn put_entry(value: &mut BytesMut, key: HeaderKey, entry: &[u8]) -> Result<(), EncodeError> {
    let length = u32::try_from(entry.len())
        .ok()
        .filter(|length| *length <= MAX_ENTRY_BYTES)
        .ok_or(EncodeError::EntryTooLong {
            key,
            length: entry.len(),
        })?;
    value.put_u32_le(length);
    value.put_slice(entry);
    Ok(())
}
