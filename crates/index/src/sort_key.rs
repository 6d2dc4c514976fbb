//! Fixed-size sort keys: numbers that sort like the values from which they are made.

use portcullis_domain::change::Owner;

/// Length of the common prefix of all texts, bytes.
pub(crate) fn common_prefix_len<'t>(mut texts: impl Iterator<Item = &'t str>) -> usize {
    let first = texts.next().unwrap_or_default().as_bytes();
    texts.fold(first.len(), |shared, text| {
        let common = text
            .bytes()
            .zip(first)
            .take_while(|(left, right)| left == *right);
        common.count().min(shared)
    })
}

/// The eight bytes after the common prefix as a number that sorts like the text.
pub(crate) fn text_key(text: &str, shared: usize) -> u64 {
    let rest = text.as_bytes().get(shared..).unwrap_or_default();
    (0..8).fold(0, |digest, index| {
        (digest << 8) | u64::from(rest.get(index).copied().unwrap_or_default())
    })
}

/// Maps signed milliseconds to a number that sorts the same.
pub(crate) const fn time_key(millisecond: i64) -> u64 {
    millisecond.cast_unsigned() ^ (1 << 63)
}

/// Maps an owner to a number that sorts the same, identities before routers. Record numbers that
/// differ only in the last bit become equal.
pub(crate) const fn owner_key(owner: Owner) -> u64 {
    match owner {
        Owner::Identity(number) => number.0 >> 1,
        Owner::Router(number) => number.0 >> 1 | 1 << 63,
    }
}
