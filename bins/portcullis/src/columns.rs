//! How much room a text takes at a terminal.

use unicode_width::UnicodeWidthChar as _;

/// Columns that a text takes: Chinese characters take two, accents of their own none.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The longest beginning of a text that takes at most `most` columns.
pub(crate) fn begin(text: &str, most: usize) -> &str {
    let end = text.char_indices().scan(0, |taken, (place, character)| {
        *taken += columns(character);
        (*taken <= most).then_some(place + character.len_utf8())
    });
    text.get(..end.last().unwrap_or_default())
        .unwrap_or_default()
}

/// The longest end of a text that takes at most `most` columns.
pub(crate) fn end(text: &str, most: usize) -> &str {
    let begin = text
        .char_indices()
        .rev()
        .scan(0, |taken, (place, character)| {
            *taken += columns(character);
            (*taken <= most).then_some(place)
        });
    text.get(begin.last().unwrap_or(text.len())..)
        .unwrap_or_default()
}

/// Cuts a text that takes more than `most` columns.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        text.to_owned()
    } else {
        format!("{}…", begin(text, most.saturating_sub(1)))
    }
}

fn columns(character: char) -> usize {
    character.width().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        for (text, columns) in [("", 0), ("ab", 2), ("漢字", 4), ("e\u{301}", 1)] {
            assert_eq!(width(text), columns, "{text}");
        }
        for (most, first, last) in [
            (0, "", ""),
            (1, "a", ""),
            (2, "a", "字"),
            (3, "a漢", "字"),
            (4, "a漢", "漢字"),
            (5, "a漢字", "a漢字"),
            (9, "a漢字", "a漢字"),
        ] {
            assert_eq!((begin("a漢字", most), end("a漢字", most)), (first, last));
        }
    }

    #[test]
    fn what_is_cut_is_marked() {
        for (most, shown) in [(5, "a漢字"), (4, "a漢…"), (3, "a…"), (1, "…")] {
            assert_eq!(cut("a漢字", most), shown);
        }
    }
}
