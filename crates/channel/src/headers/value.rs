//! Decoding of lists and maps in header values.

/// Maximum number of entries in a list or map.
pub const MAX_ENTRIES: u32 = 128;
/// Maximum length of one key or value in a list or map.
pub const MAX_ENTRY_BYTES: u32 = 8192;

/// Reader of a composite value.
pub(super) struct ValueReader<'a> {
    rest: &'a [u8],
}

impl<'a> ValueReader<'a> {
    pub(super) const fn new(value: &'a [u8]) -> Self {
        Self { rest: value }
    }

    /// Reads a count and that many entries. An empty value is an empty list; bytes after the last
    /// entry are an error.
    pub(super) fn read_list<T>(mut self, entry: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        if self.rest.is_empty() {
            return Some(Vec::new());
        }
        let count = self.u32().filter(|count| *count <= MAX_ENTRIES)?;
        let entries = (0..count)
            .map(|_| entry(&mut self))
            .collect::<Option<Vec<T>>>()?;
        self.rest.is_empty().then_some(entries)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*number))
    }

    /// Reads a length and that many bytes.
    pub(super) fn entry(&mut self) -> Option<&'a [u8]> {
        let length = self.u32().filter(|length| *length <= MAX_ENTRY_BYTES)?;
        let (entry, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(entry)
    }

    pub(super) fn string(&mut self) -> Option<String> {
        std::str::from_utf8(self.entry()?).ok().map(str::to_owned)
    }
}
