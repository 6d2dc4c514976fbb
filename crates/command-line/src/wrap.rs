//! Line breaks in messages, for terminals.

use crate::text_width::visible_width;

/// Columns that a message gets in any case, however narrow the terminal is.
const MIN_WIDTH: usize = 24;

/// Breaks lines that are wider than `width` columns between words, and indents all lines but the
/// first by `indent`. The first line starts after `indent` columns that are taken already.
///
/// Quotations in backticks, which are often commands, stay on one line where possible. Lines that
/// are indented already are left as they are.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let room = width.saturating_sub(indent).max(MIN_WIDTH);
    let lines: Vec<_> = text.split('\n').flat_map(|line| fill(line, room)).collect();
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// Like [`wrap`] for a terminal with `columns`; without a terminal, lines stay as they are.
pub fn fit(text: &str, columns: Option<usize>, indent: usize) -> String {
    match columns {
        Some(columns) => wrap(text, columns, indent),
        None => text.to_owned(),
    }
}

/// Breaks one line.
fn fill(line: &str, room: usize) -> Vec<String> {
    if line.starts_with(' ') || visible_width(line) <= room {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in words(line, room) {
        let is_full = visible_width(&current) + 1 + visible_width(word) > room;
        if is_full && !current.is_empty() {
            lines.push(std::mem::take(&mut current));
        } else if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

/// The words of a line. A quotation is one word, unless it is wider than a whole line.
fn words(line: &str, room: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let quoted = quoted_word_end(rest).filter(|end| {
            let word = rest.get(..*end).unwrap_or_default();
            visible_width(word) <= room
        });
        let end = quoted.or_else(|| rest.find(' ')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    words
}

/// End of the first word if spaces in backticks belong to it.
fn quoted_word_end(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    for (place, character) in text.char_indices() {
        match character {
            '`' => is_quoted = !is_quoted,
            ' ' if !is_quoted => return Some(place),
            _ => {},
        }
    }
    // An open quotation is none.
    (!is_quoted).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        for (text, width, indent, wrapped) in [
            ("short", 30, 7, "short"),
            (
                "one two three four five six seven",
                30,
                6,
                "one two three four five\n      six seven",
            ),
            ("a b\nc d", 30, 2, "a b\n  c d"),
            // A path that is wider than the terminal gets a line of its own.
            (
                "see /a/very/long/path/that/does/not/fit for it",
                26,
                0,
                "see\n/a/very/long/path/that/does/not/fit\nfor it",
            ),
            (
                "  preformatted text that is longer",
                26,
                0,
                "  preformatted text that is longer",
            ),
        ] {
            assert_eq!(wrap(text, width, indent), wrapped, "{text}");
        }
    }

    #[test]
    fn commands_are_not_broken_where_they_fit() {
        assert_eq!(
            wrap("to see them, run `portcullis identity list`, please", 36, 0),
            "to see them, run\n`portcullis identity list`, please"
        );
        assert_eq!(
            wrap("run `portcullis identity create --type device`", 30, 0),
            "run `portcullis identity\ncreate --type device`"
        );
        assert_eq!(
            wrap("an open ` does not swallow the rest", 24, 0),
            "an open ` does not\nswallow the rest"
        );
    }

    #[test]
    fn colors_take_no_room() {
        let text = "\u{1b}[1merror:\u{1b}[0m one two three 4";
        assert_eq!(wrap(text, 24, 0), text);
    }
}
