//! What terminals show and obey.

use portcullis_domain::terminal;
use std::io;
use terminal_size::{Height, Width, terminal_size_of};

/// Text with the style of an ANSI code such as `1;31`, where colors are shown.
pub(crate) fn styled(text: &str, code: &str, is_colored: bool) -> String {
    if is_colored {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Columns for results: `COLUMNS`, or the width of the terminal if standard output is one. `None` if
/// there is no limit.
pub(crate) fn stdout_width() -> Option<usize> {
    let chosen = std::env::var("COLUMNS").ok();
    let chosen = chosen.and_then(|columns| columns.trim().parse().ok());
    let terminal = || {
        let (Width(columns), _) = terminal_size_of(io::stdout())?;
        Some(usize::from(columns))
    };
    chosen.or_else(terminal).filter(|columns| *columns > 0)
}

/// Lines of the terminal that results go to; `None` if standard output goes elsewhere.
pub(crate) fn stdout_height() -> Option<usize> {
    let (_, Height(lines)) = terminal_size_of(io::stdout())?;
    Some(usize::from(lines)).filter(|lines| *lines > 0)
}

/// Columns of the terminal that messages go to; `None` if standard error goes elsewhere.
pub(crate) fn stderr_width() -> Option<usize> {
    let (Width(columns), _) = terminal_size_of(io::stderr())?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

/// Escapes terminal control characters, which names and messages from others may contain.
pub(crate) fn escape_control_characters(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Like [`terminal::is_terminal_control`], but allows line feeds.
fn is_unsafe(character: char) -> bool {
    character != '\n' && terminal::is_terminal_control(character)
}

#[cfg(test)]
mod tests {
    use super::*;

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
