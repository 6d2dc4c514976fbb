//! Excerpts in messages: a line of somebody's text, and a mark under the fault in it.

use crate::columns::{self, width};
use crate::output::printable;

/// What an excerpt begins with.
const INDENT: &str = "  ";

/// Most columns of an excerpt.
const WIDTH: usize = 76;

/// Stands for what is left out.
const GAP: &str = "...";

/// Writes a message so that the lines after the first, which hold excerpts, are told from it, and
/// marks stand under what they mark: characters that are shown in another way are wider than before,
/// and a line that would be wrapped is cut.
pub(super) fn legible(message: &str) -> String {
    let mut lines = message.lines().peekable();
    let mut text = printable(lines.next().unwrap_or_default());
    while let Some(line) = lines.next() {
        let mark = lines.next_if(|next| !line.is_empty() && is_mark(next));
        match mark {
            Some(mark) => push_marked(&mut text, line, mark),
            None => push(&mut text, &printable(line)),
        }
    }
    text
}

fn push(text: &mut String, line: &str) {
    text.push('\n');
    text.push_str(INDENT);
    text.push_str(line);
}

/// Whether a line marks something in the line before.
fn is_mark(line: &str) -> bool {
    line.ends_with('^') && line.trim_start_matches(' ').chars().all(|mark| mark == '^')
}

/// Adds a line with its mark.
fn push_marked(text: &mut String, line: &str, mark: &str) {
    let begin = mark.chars().take_while(|blank| *blank == ' ').count();
    let length = mark.chars().count() - begin;
    let shown = |part: Vec<char>| printable(&part.into_iter().collect::<String>());
    // A mark may stand behind the end of its line.
    let missing = begin.saturating_sub(line.chars().count());
    let padding = " ".repeat(missing);
    let mut characters = line.chars().chain(padding.chars());
    let mut take = |count| shown(characters.by_ref().take(count).collect());
    let (before, marked) = (take(begin), take(length));
    let after = take(usize::MAX);

    let marked = columns::begin(&marked, WIDTH / 2);
    let carets = width(marked).max(1);
    let left = WIDTH.saturating_sub(carets);
    let before = last(&before, left.saturating_sub(width(&after).min(left / 2)));
    let after = first(&after, left.saturating_sub(width(&before)));
    push(text, format!("{before}{marked}{after}").trim_end());
    let blanks = " ".repeat(width(&before));
    push(text, &format!("{blanks}{}", "^".repeat(carets)));
}

/// The end of a text, of at most `most` columns.
fn last(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    format!(
        "{GAP}{}",
        columns::end(text, most.saturating_sub(GAP.len()))
    )
}

/// The beginning of a text, of at most `most` columns.
fn first(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    format!(
        "{}{GAP}",
        columns::begin(text, most.saturating_sub(GAP.len()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(legible(message), shown, "{message:?}");
        }
    }

    #[test]
    fn marks_stay_under_what_they_mark() {
        // The tab takes more room than it did.
        let message = "bad\na\t= \u{1b}x\n     ^";
        let shown = legible(message);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[1], "  a\\u{9}= \\u{1b}x");
        assert_eq!(lines[1].find('x'), lines[2].find('^'));
        // What is marked takes more room.
        let shown = legible("bad\na \u{1b} b\n  ^");
        assert_eq!(shown, "bad\n  a \\u{1b} b\n    ^^^^^^");
    }

    #[test]
    fn wide_characters_take_more_room() {
        let shown = legible("bad\nname = 漢字 x\n          ^");
        assert_eq!(shown, "bad\n  name = 漢字 x\n              ^");
        let shown = legible("bad\nname 漢字\n     ^^");
        assert_eq!(shown, "bad\n  name 漢字\n       ^^^^");
        for number in [10, 100] {
            let line = "漢".repeat(number);
            let mark = format!("{}^", " ".repeat(number));
            let shown = legible(&format!("bad\n{line}x{line}\n{mark}"));
            let lines: Vec<_> = shown.lines().collect();
            let place = lines[1].split('x').next().map(width);
            assert_eq!(place, Some(lines[2].find('^').unwrap()), "{shown}");
            assert!(width(lines[1]) <= INDENT.len() + WIDTH, "{shown}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        for (before, after) in [(0, 500), (500, 0), (500, 500), (60, 60), (30, 30)] {
            let line = format!("{}FAULT{}", "b".repeat(before), "a".repeat(after));
            let mark = format!("{}^^^^^", " ".repeat(before));
            let shown = legible(&format!("bad\n{line}\n{mark}"));
            let lines: Vec<_> = shown.lines().collect();
            assert!(lines[1].len() <= INDENT.len() + WIDTH, "{shown}");
            let place = lines[1].find("FAULT");
            assert!(place.is_some() && place == lines[2].find('^'), "{shown}");
            assert_eq!(before >= 60, lines[1].starts_with("  ..."), "{shown}");
            assert_eq!(after >= 60, lines[1].ends_with("..."), "{shown}");
        }
        let line = "x".repeat(1000);
        let shown = legible(&format!("bad\n{line}\n{}", "^".repeat(1000)));
        assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
    }
}
