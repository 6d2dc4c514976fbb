//! About how much memory parts of events take.

use std::collections::BTreeMap;

/// What an entry of a map takes beside its texts, in bytes: two handles, and the room that nodes keep free.
const ENTRY: usize = 96;

/// Bytes of some texts.
pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> usize {
    texts.into_iter().map(str::len).sum()
}

/// Bytes of tags and of the map that they are in.
pub(super) fn tags(tags: &BTreeMap<String, String>) -> usize {
    let tags = tags.iter();
    tags.map(|(name, value)| ENTRY + name.len() + value.len())
        .sum()
}
