//! Texts of routers, as they are passed on.

use portcullis_domain::ids::EntityId;
use portcullis_domain::terminal::is_terminal_control;
use std::fmt::{self, Write as _};

/// Characters of a text for people that are kept.
const MAX_CHARACTERS: usize = 1024;

/// A text that somebody else has chosen, in a line: escaped, and cut if it is long.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

/// An id, most of which routers choose.
pub(crate) fn shown(id: &impl EntityId) -> Shown<'_> {
    Shown(id.as_str())
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MAX_CHARACTERS) {
            if is_terminal_control(character) {
                write!(formatter, "{}", character.escape_unicode())?;
            } else {
                formatter.write_char(character)?;
            }
        }
        match characters.next() {
            Some(_) => formatter.write_str("…"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_in_their_line() {
        let shown = |text: &str| Shown(text).to_string();
        assert_eq!(shown("a \"b\"\n\u{1b}[2J"), "a \"b\"\\u{a}\\u{1b}[2J");
        let longest = "ß".repeat(MAX_CHARACTERS);
        assert_eq!(shown(&longest), longest);
        assert_eq!(shown(&format!("{longest}x")), format!("{longest}…"));
    }
}
