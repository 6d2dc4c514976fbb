//! Numbers that order as texts do, as far as their first bytes tell.

use portcullis_domain::change::Owner;

/// Number of bytes with which every text begins.
pub(crate) fn shared_prefix<'t>(mut texts: impl Iterator<Item = &'t str>) -> usize {
    let first = texts.next().unwrap_or_default().as_bytes();
    texts.fold(first.len(), |shared, text| {
        let common = text
            .bytes()
            .zip(first)
            .take_while(|(left, right)| left == *right);
        common.count().min(shared)
    })
}

/// Eight bytes after the shared ones, so that numbers order as the texts do.
pub(crate) fn digest(text: &str, shared: usize) -> u64 {
    let rest = text.as_bytes().get(shared..).unwrap_or_default();
    (0..8).fold(0, |digest, index| {
        (digest << 8) | u64::from(rest.get(index).copied().unwrap_or_default())
    })
}

/// Moves negative numbers below the others.
pub(crate) const fn of_time(millisecond: i64) -> u64 {
    millisecond.cast_unsigned() ^ (1 << 63)
}

/// An owner in order, identities before routers; numbers that differ in their last bit alone are
/// equal here.
pub(crate) const fn of_owner(owner: Owner) -> u64 {
    match owner {
        Owner::Identity(number) => number.0 >> 1,
        Owner::Router(number) => number.0 >> 1 | 1 << 63,
    }
}
