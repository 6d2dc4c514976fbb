//! Excerpts in error messages: a line of input with a marker below.

use crate::terminal::escape_control_characters;
use portcullis_command_line::text_width::{self, width};

const INDENT: &str = "  ";

const MAX_WIDTH: usize = 76;

const ELLIPSIS: &str = "...";

/// Renders a message: the first line by `wrap`, and the excerpt lines after it indented. Markers
/// stay aligned when escaping or wide characters change widths, and long lines are truncated.
pub(super) fn render_message(message: &str, wrap: impl FnOnce(String) -> String) -> String {
    let mut lines = message.lines().peekable();
    let mut text = wrap(escape_control_characters(lines.next().unwrap_or_default()));
    while let Some(line) = lines.next() {
        let mark = lines.next_if(|next| !line.is_empty() && is_marker(next));
        match mark {
            Some(mark) => push_marked_line(&mut text, line, mark),
            None => push_indented(&mut text, &escape_control_characters(line)),
        }
    }
    text
}

fn push_indented(text: &mut String, line: &str) {
    text.push('\n');
    text.push_str(INDENT);
    text.push_str(line);
}

/// Whether a line is a marker (`^^^`) for the line before it.
fn is_marker(line: &str) -> bool {
    line.ends_with('^') && line.trim_start_matches(' ').chars().all(|mark| mark == '^')
}

/// Adds a line with its marker.
fn push_marked_line(text: &mut String, line: &str, mark: &str) {
    let begin = mark.chars().take_while(|blank| *blank == ' ').count();
    let length = mark.chars().count() - begin;
    let shown = |part: Vec<char>| escape_control_characters(&part.into_iter().collect::<String>());
    // A marker may be past the end of its line.
    let missing = begin.saturating_sub(line.chars().count());
    let padding = " ".repeat(missing);
    let mut characters = line.chars().chain(padding.chars());
    let mut take = |count| shown(characters.by_ref().take(count).collect());
    let (before, marked) = (take(begin), take(length));
    let after = take(usize::MAX);

    let marked = text_width::prefix(&marked, MAX_WIDTH / 2);
    let carets = width(marked).max(1);
    let left = MAX_WIDTH.saturating_sub(carets);
    let before = truncate_start(&before, left.saturating_sub(width(&after).min(left / 2)));
    let after = truncate_end(&after, left.saturating_sub(width(&before)));
    push_indented(text, format!("{before}{marked}{after}").trim_end());
    let blanks = " ".repeat(width(&before));
    push_indented(text, &format!("{blanks}{}", "^".repeat(carets)));
}

/// The end of `text`, at most `max_width` columns wide.
fn truncate_start(text: &str, max_width: usize) -> String {
    if width(text) <= max_width {
        return text.to_owned();
    }
    format!(
        "{ELLIPSIS}{}",
        text_width::suffix(text, max_width.saturating_sub(ELLIPSIS.len()))
    )
}

/// The start of `text`, at most `max_width` columns wide.
fn truncate_end(text: &str, max_width: usize) -> String {
    if width(text) <= max_width {
        return text.to_owned();
    }
    format!(
        "{}{ELLIPSIS}",
        text_width::prefix(text, max_width.saturating_sub(ELLIPSIS.len()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_message(message: &str) -> String {
        super::render_message(message, |text| text)
    }

    #[test]
    fn excerpts_are_indented() {
        for (message, shown) in [
            ("one", "one"),
            ("", ""),
            (
                "bad at column 5\nname == x\n      ^",
                "bad at column 5\n  name == x\n        ^",
            ),
            ("a\nfirst\nsecond", "a\n  first\n  second"),
            ("missing\nname =\n       ^", "missing\n  name =\n         ^"),
            ("a\n^^", "a\n  ^^"),
        ] {
            assert_eq!(render_message(message), shown, "{message:?}");
        }
    }

    #[test]
    fn marks_stay_under_what_they_mark() {
        // The tab takes more room than it did.
        let message = "bad\na\t= \u{1b}x\n     ^";
        let shown = render_message(message);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[1], "  a\\u{9}= \\u{1b}x");
        assert_eq!(lines[1].find('x'), lines[2].find('^'));
        // What is marked takes more room.
        let shown = render_message("bad\na \u{1b} b\n  ^");
        assert_eq!(shown, "bad\n  a \\u{1b} b\n    ^^^^^^");
    }

    #[test]
    fn wide_characters_take_more_room() {
        let shown = render_message("bad\nname = 漢字 x\n          ^");
        assert_eq!(shown, "bad\n  name = 漢字 x\n              ^");
        let shown = render_message("bad\nname 漢字\n     ^^");
        assert_eq!(shown, "bad\n  name 漢字\n       ^^^^");
        for number in [10, 100] {
            let line = "漢".repeat(number);
            let mark = format!("{}^", " ".repeat(number));
            let shown = render_message(&format!("bad\n{line}x{line}\n{mark}"));
            let lines: Vec<_> = shown.lines().collect();
            let place = lines[1].split('x').next().map(width);
            assert_eq!(place, Some(lines[2].find('^').unwrap()), "{shown}");
            assert!(width(lines[1]) <= INDENT.len() + MAX_WIDTH, "{shown}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        for (before, after) in [(0, 500), (500, 0), (500, 500), (60, 60), (30, 30)] {
            let line = format!("{}FAULT{}", "b".repeat(before), "a".repeat(after));
            let mark = format!("{}^^^^^", " ".repeat(before));
            let shown = render_message(&format!("bad\n{line}\n{mark}"));
            let lines: Vec<_> = shown.lines().collect();
            assert!(lines[1].len() <= INDENT.len() + MAX_WIDTH, "{shown}");
            let place = lines[1].find("FAULT");
            assert!(place.is_some() && place == lines[2].find('^'), "{shown}");
            assert_eq!(before >= 60, lines[1].starts_with("  ..."), "{shown}");
            assert_eq!(after >= 60, lines[1].ends_with("..."), "{shown}");
        }
        let line = "x".repeat(1000);
        let shown = render_message(&format!("bad\n{line}\n{}", "^".repeat(1000)));
        assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
    }
}
