//! Terminal width of text.

use unicode_width::UnicodeWidthChar as _;

/// Width in terminal columns: CJK characters take two, combining characters none.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Width of text with ANSI colors, which take no columns.
pub fn visible_width(text: &str) -> usize {
    let mut parts = text.split("\u{1b}[");
    let plain = width(parts.next().unwrap_or_default());
    // The parameters of a color end with `m`.
    let colored = parts.map(|part| width(part.split_once('m').map_or(part, |(_, text)| text)));
    plain + colored.sum::<usize>()
}

/// The longest prefix of at most `max_width` columns.
pub fn prefix(text: &str, max_width: usize) -> &str {
    let end = text.char_indices().scan(0, |taken, (place, character)| {
        *taken += char_width(character);
        (*taken <= max_width).then_some(place + character.len_utf8())
    });
    text.get(..end.last().unwrap_or_default())
        .unwrap_or_default()
}

/// The longest suffix of at most `max_width` columns.
pub fn suffix(text: &str, max_width: usize) -> &str {
    let begin = text
        .char_indices()
        .rev()
        .scan(0, |taken, (place, character)| {
            *taken += char_width(character);
            (*taken <= max_width).then_some(place)
        });
    text.get(begin.last().unwrap_or(text.len())..)
        .unwrap_or_default()
}

/// Truncates text to `max_width` columns, marking the cut with `…`.
pub fn truncate(text: &str, max_width: usize) -> String {
    if width(text) <= max_width {
        text.to_owned()
    } else {
        format!("{}…", prefix(text, max_width.saturating_sub(1)))
    }
}

fn char_width(character: char) -> usize {
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
            assert_eq!(
                (prefix("a漢字", most), suffix("a漢字", most)),
                (first, last)
            );
        }
    }

    #[test]
    fn colors_take_no_columns() {
        for (text, columns) in [("ab", 2), ("\u{1b}[1;31mab\u{1b}[0m c", 4), ("", 0)] {
            assert_eq!(visible_width(text), columns, "{text:?}");
        }
    }

    #[test]
    fn what_is_cut_is_marked() {
        for (most, shown) in [(5, "a漢字"), (4, "a漢…"), (3, "a…"), (1, "…")] {
            assert_eq!(truncate("a漢字", most), shown);
        }
    }
}
