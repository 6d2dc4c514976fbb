//! Where a mistake in the syntax was made; the parser says where it noticed it.

use crate::error::{ParseError, ParseErrorKind};
use crate::place::Place;

/// Makes an error of what the parser was doing since a place, and what it noticed at another.
pub(super) fn locate(
    text: &str,
    (context, begun): (&str, Place),
    (problem, noticed): (&str, Place),
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
        && let Some(at) = hidden_end(text, begun.span.start, noticed.span.start)
    {
        let problem = "the bracket that closes this list or map is in a comment".to_owned();
        return syntax(problem, Place::of_offset(text, at, noticed.source));
    }
    let problem = if context.is_empty() {
        problem.to_owned()
    } else {
        format!("{context}: {problem}")
    };
    syntax(problem, noticed)
}

/// Finds the first comment that holds a closing bracket between two places.
fn hidden_end(text: &str, start: usize, end: usize) -> Option<usize> {
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
