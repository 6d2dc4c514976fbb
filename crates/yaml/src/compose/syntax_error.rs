//! Locations of syntax errors: where the mistake is, not where the parser noticed it.

use crate::error::{ParseError, ParseErrorKind};
use crate::location::SourceLocation;

/// Builds an error from the parser's context and problem, each with its location.
pub(super) fn locate_error(
    text: &str,
    (context, begun): (&str, SourceLocation),
    (problem, noticed): (&str, SourceLocation),
) -> ParseError {
    let syntax =
        |problem: String, place| ParseError::new(ParseErrorKind::Syntax { problem }, place);
    if context == "while scanning a quoted scalar" && problem == "found unexpected end of stream" {
        return syntax("the quote is never closed".to_owned(), begun);
    }
    if context == "while scanning a simple key" {
        return syntax(
            "a key followed by a colon and a space is missing".to_owned(),
            begun,
        );
    }
    if context.starts_with("while parsing a flow")
        && let Some(at) = find_commented_bracket(text, begun.span.start, noticed.span.start)
    {
        let problem = "the bracket that closes this list or map is in a comment".to_owned();
        return syntax(
            problem,
            SourceLocation::from_offset(text, at, noticed.source),
        );
    }
    let problem = if context.is_empty() {
        problem.to_owned()
    } else {
        format!("{context}: {problem}")
    };
    syntax(problem, noticed)
}

/// Finds the first comment between two offsets that contains a closing bracket.
fn find_commented_bracket(text: &str, start: usize, end: usize) -> Option<usize> {
    let mut at = start;
    for line in text.get(start..end)?.split_inclusive('\n') {
        if let Some(comment) = line.find(" #")
            && line.get(comment..)?.contains(['}', ']'])
        {
            return Some(at + comment + 1);
        }
        at += line.len();
    }
    None
}
