//! Texts that routers choose.

use portcullis_events::MAX_ROUTER_TEXT;
use std::sync::Arc;

/// The beginning of an address.
pub(crate) fn shortened(text: &str) -> Arc<str> {
    beginning(text, MAX_ROUTER_TEXT).into()
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
        assert_eq!(shortened(&"x".repeat(999)).len(), MAX_ROUTER_TEXT);
    }
}
