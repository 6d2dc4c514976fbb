//! Texts that routers choose.

use std::sync::Arc;

/// Longest id in bytes.
const MAX_ID: usize = 128;
/// Longest address, name or value of a tag in bytes.
const MAX_TEXT: usize = 256;

/// Whether a text can be the id of something.
pub(crate) const fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID
}

/// Whether a text is as short as names and values of tags are.
pub(super) const fn is_short(text: &str) -> bool {
    text.len() <= MAX_TEXT
}

/// The beginning of an address.
pub(crate) fn shortened(text: &str) -> Arc<str> {
    beginning(text, MAX_TEXT).into()
}

/// As much of a text as fits.
pub(super) fn beginning(text: &str, max_bytes: usize) -> &str {
    let end = text.floor_char_boundary(max_bytes);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(beginning("short", 9), "short");
        assert_eq!(beginning("aäb", 2), "a");
        assert_eq!(beginning("aäb", 3), "aä");
        assert_eq!(shortened(&"x".repeat(999)).len(), MAX_TEXT);
        assert!(is_id("r1"));
        assert!(!is_id(""));
        assert!(!is_id(&"x".repeat(129)));
    }
}
