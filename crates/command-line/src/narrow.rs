//! Indented lines below the help of a command, made to fit small terminals.

use crate::text_width::width;
use crate::wrap::wrap;

/// Columns that help may take without being broken by a terminal of 80.
const MAX_WIDTH: usize = 78;

/// Breaks lines that are too wide: commands with a backslash, so that they stay one command, and the second
/// column of tables between words.
pub(crate) fn fit_lines(lines: &[&str]) -> Vec<String> {
    let mut fitted = Vec::new();
    let mut is_continued = false;
    for line in lines {
        let is_command = is_continued || line.trim_start().starts_with("portcullis");
        is_continued = is_command && line.ends_with('\\');
        if width(line) <= MAX_WIDTH {
            fitted.push((*line).to_owned());
        } else if is_command {
            fitted.extend(break_command(line));
        } else {
            fitted.push(break_row(line));
        }
    }
    fitted
}

/// Breaks a command before options, pipes and redirections where possible.
fn break_command(line: &str) -> Vec<String> {
    let (command, comment) = split_comment(line);
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut lines: Vec<_> = comment
        .map(|text| format!("{indent}{text}"))
        .into_iter()
        .collect();
    let mut rest = command.trim().to_owned();
    let continuation = format!("{indent}    ");
    let mut indent = indent.to_owned();
    loop {
        let room = MAX_WIDTH.saturating_sub(indent.len());
        let place = (width(&rest) > room).then(|| break_place(&rest, room - 2));
        let Some(place) = place.flatten() else {
            lines.push(format!("{indent}{rest}"));
            return lines;
        };
        let (first, second) = rest.split_at(place);
        lines.push(format!("{indent}{} \\", first.trim_end()));
        indent.clone_from(&continuation);
        rest = second.trim_start().to_owned();
    }
}

/// The comment at the end of a command.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    match line.rfind("  # ") {
        Some(place) => {
            let (command, comment) = line.split_at(place);
            (command, Some(comment.trim_start()))
        },
        None => (line, None),
    }
}

/// Where to break a command: outside of quotations, within `room` columns, before a pipe or redirection if
/// there is one, or else before an option.
fn break_place(command: &str, room: usize) -> Option<usize> {
    let mut quote = None;
    let (mut space, mut option, mut pipe) = (None, None, None);
    for (place, character) in command.char_indices() {
        if place > room {
            break;
        }
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ' ') => {
                space = Some(place);
                match command
                    .get(place + 1..)
                    .and_then(|after| after.chars().next())
                {
                    Some('-') => option = space,
                    Some('|' | '>' | '<') => pipe = space,
                    _ => {},
                }
            },
            _ => {},
        }
    }
    pipe.or(option).or(space)
}

/// Breaks the last column of a row.
fn break_row(line: &str) -> String {
    let start = line.rfind("  ").map_or(0, |gap| gap + 2);
    let (first, last) = line.split_at(start);
    format!("{first}{}", wrap(last, MAX_WIDTH, width(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stay_one_command() {
        let commands = [
            "  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'",
            "  portcullis policy-advisor identities anna wiki             # why can anna not reach the wiki?",
            "  portcullis a 'a quotation that is longer than a whole line of the terminal, which nobody breaks' -b",
        ];
        assert_eq!(
            fit_lines(&commands),
            [
                "  portcullis service-policy create staff dial --service-roles '#intranet' \\",
                "      --identity-roles '#staff'",
                "  # why can anna not reach the wiki?",
                "  portcullis policy-advisor identities anna wiki",
                "  portcullis a \\",
                "      'a quotation that is longer than a whole line of the terminal, which nobody breaks' -b",
            ]
        );
    }

    #[test]
    fn rows_keep_their_columns() {
        let row = "  1  a file is refused, crashes the router, or cannot be read; the others are still checked";
        assert_eq!(
            fit_lines(&[row, "  2  short"]),
            [
                "  1  a file is refused, crashes the router, or cannot be read; the others are\n     still checked",
                "  2  short",
            ]
        );
    }
}
