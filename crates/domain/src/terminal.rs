//! Characters that affect terminals.

use std::fmt::Write as _;

/// Whether a character controls a terminal or the display of surrounding text: control characters,
/// line and paragraph separators, direction marks and zero-width characters.
///
/// Untrusted names and messages could use them to forge output lines or hide text.
pub fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// Escapes the characters that control a terminal, except line feeds, in JSON, or in YAML with JSON
/// strings. They only occur in strings.
///
/// # Examples
///
/// ```
/// use portcullis_domain::terminal::escape_json;
///
/// assert_eq!(escape_json("[\"a\u{1b}[2J\"]\n"), "[\"a\\u001b[2J\"]\n");
/// ```
pub fn escape_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_terminal_control(character) {
            // All of them are in the basic multilingual plane, and writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Escapes the characters that control a terminal, except line feeds, as Rust writes them.
///
/// # Examples
///
/// ```
/// use portcullis_domain::terminal::escape_control_characters;
///
/// assert_eq!(escape_control_characters("a\tb\n\u{1b}[2J"), "a\\u{9}b\n\\u{1b}[2J");
/// ```
pub fn escape_control_characters(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_terminal_control(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_is_told_from_text() {
        for character in [
            '\n', '\t', '\u{1b}', '\u{7f}', '\u{9b}', '\u{61c}', '\u{200b}', '\u{200c}',
            '\u{200d}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}',
            '\u{2066}', '\u{2069}', '\u{feff}',
        ] {
            assert!(is_terminal_control(character), "{character:?}");
        }
        for character in [
            ' ', 'a', 'ß', '漢', '…', '\u{301}', '🦀', '\u{2027}', '\u{2070}',
        ] {
            assert!(!is_terminal_control(character), "{character:?}");
        }
    }

    #[test]
    fn only_harmless_characters_are_left() {
        for (text, shown) in [
            ("plain äß 漢字", "plain äß 漢字"),
            ("two\nlines", "two\nlines"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\tb\r", "a\\u{9}b\\u{d}"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("evil\u{202e}txt", "evil\\u{202e}txt"),
            ("a\u{200b}dmin\u{2028}", "a\\u{200b}dmin\\u{2028}"),
        ] {
            assert_eq!(escape_control_characters(text), shown);
        }
    }
}
