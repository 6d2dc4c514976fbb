//! Errors of queries.

use crate::limits::{MAX_BYTES, MAX_DEPTH, MAX_SUBQUERIES, MAX_SUBQUERY_DEPTH, MAX_TERMS};
use crate::span::{Location, Span};
use thiserror::Error;

/// An invalid query, with the problem and its location.
///
/// The message names symbols and operators but never quotes a literal, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {}, column {}: {problem}", location.line, location.column)]
pub struct QueryError {
    pub problem: Problem,
    /// The invalid part of the text.
    pub span: Span,
    /// Start of the invalid part.
    pub location: Location,
}

impl QueryError {
    /// Renders the line of `text` with the mistake, underlined by carets.
    ///
    /// `text` is the query that was parsed.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_filter::{Query, Schema};
    ///
    /// static KIND: Schema = Schema::entity(&[]);
    /// let text = "id == \"x\"";
    /// let error = Query::parse(&KIND, text).unwrap_err();
    /// assert_eq!(error.point_at(text), "id == \"x\"\n    ^");
    /// ```
    pub fn point_at(&self, text: &str) -> String {
        let line = text.lines().nth(self.location.line - 1).unwrap_or_default();
        let length = text.get(self.span.start..self.span.end).map_or(1, |piece| {
            piece
                .lines()
                .next()
                .map_or(1, |first| first.chars().count())
        });
        let indent = " ".repeat(self.location.column - 1);
        format!("{line}\n{indent}{}", "^".repeat(length.max(1)))
    }
}

/// Problems of queries.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The text is longer than [`MAX_BYTES`].
    #[error("the filter is {bytes} bytes long; at most {MAX_BYTES} are allowed")]
    TooLong {
        /// Length of the text in bytes.
        bytes: usize,
    },
    /// Nesting is deeper than [`MAX_DEPTH`].
    #[error("the filter is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// There are more tests than [`MAX_TERMS`].
    #[error("the filter has more than {MAX_TERMS} conditions")]
    TooManyTerms,
    /// There are more sub-queries than [`MAX_SUBQUERIES`], or deeper ones than [`MAX_SUBQUERY_DEPTH`].
    #[error(
        "the filter has more than {MAX_SUBQUERIES} sub-queries, or nests them more than \
         {MAX_SUBQUERY_DEPTH} levels deep"
    )]
    TooManySubqueries,
    /// A character that has no meaning outside a string.
    #[error("unexpected character {character:?}{}", parenthesized(*.hint))]
    UnknownCharacter {
        character: char,
        /// Suggestion of what was probably meant.
        hint: Option<&'static str>,
    },
    /// A string without its closing quote.
    #[error("the string is not terminated; add a closing double quote")]
    UnclosedString,
    /// A backslash before a character that cannot be escaped.
    #[error("unknown escape sequence; use one of \\\" \\\\ \\f \\n \\r \\t")]
    UnknownEscape,
    /// A raw character below U+0020 in a string.
    #[error("control character U+{:04X} in a string; write it as an escape sequence", u32::from(*.0))]
    ControlCharacter(char),
    /// A digit immediately after a symbol.
    #[error("field names cannot contain digits")]
    DigitInSymbol,
    /// `datetime(...)` without a valid timestamp.
    #[error(
        "`datetime(...)` expects an RFC 3339 timestamp with time zone, such as 2031-01-02T03:04:05Z"
    )]
    InvalidTimestamp,
    /// A number that does not fit into 64-bit floating point.
    #[error("the number is out of range")]
    NumberOutOfRange,
    /// Another token was expected.
    #[error("expected {expected}, but found {found}{}", parenthesized(*.hint))]
    Unexpected {
        /// The token that was found.
        found: String,
        /// The tokens that the grammar allows.
        expected: &'static str,
        /// Suggestion of what was probably meant.
        hint: Option<&'static str>,
    },
    /// A space is required.
    #[error("a space is required before {before}")]
    BlankRequired {
        /// The token after the missing space.
        before: String,
    },
    /// A space between the name of a function and its parenthesis.
    #[error("no space is allowed between `{function}` and its opening parenthesis")]
    BlankNotAllowed {
        /// The function.
        function: &'static str,
    },
    /// A symbol that the schema does not have.
    #[error("unknown field `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownSymbol {
        /// The symbol as written.
        name: String,
        /// The known symbol with the most similar spelling.
        nearest: Option<String>,
    },
    /// A map without one of its keys.
    #[error("`{symbol}` is a map; refer to one of its keys as `{symbol}.<key>`")]
    MapWithoutKey {
        /// The map.
        symbol: &'static str,
    },
    /// A set outside of a set function.
    #[error("`{symbol}` is a set; use it inside `anyOf`, `allOf`, `count` or `isEmpty`")]
    SetWithoutFunction {
        /// The set.
        symbol: &'static str,
    },
    /// A set function applied to something else.
    #[error("`{symbol}` is not a set, so `{function}` cannot be applied to it")]
    NotASet {
        /// The symbol as written.
        symbol: String,
        /// The function.
        function: &'static str,
    },
    /// A sub-query over something that does not refer to entities.
    #[error("`{symbol}` does not refer to entities, so it cannot be the source of a sub-query")]
    NotReferences {
        /// The symbol as written.
        symbol: String,
    },
    /// A symbol without an operator that is not a boolean.
    #[error("`{symbol}` is {actual}; compare it with a value; only booleans can be used alone")]
    NotBoolean {
        /// The symbol.
        symbol: String,
        /// Its type.
        actual: &'static str,
    },
    /// The operator does not apply to these operands.
    #[error("`{subject}` is {actual}; `{operator}` cannot compare it with {operand}")]
    TypeMismatch {
        /// The left side.
        subject: String,
        /// Type of the left side.
        actual: &'static str,
        /// The operator.
        operator: &'static str,
        /// Type of the right side.
        operand: &'static str,
    },
    /// `skip` or `limit` with a fraction or an exponent.
    #[error("`{clause}` expects an integer")]
    NotAnInteger {
        /// `skip` or `limit`.
        clause: &'static str,
    },
    /// A symbol that rows cannot be sorted by.
    #[error("the list cannot be sorted by `{symbol}`")]
    NotSortable {
        /// The symbol as written.
        symbol: String,
    },
}

fn parenthesized(hint: Option<&str>) -> String {
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// A problem with its span. The location is computed only for the one that is reported.
#[derive(Debug)]
pub(crate) struct SpannedError {
    pub(crate) problem: Problem,
    pub(crate) span: Span,
}

impl SpannedError {
    pub(crate) const fn new(span: Span, problem: Problem) -> Self {
        Self { problem, span }
    }

    pub(crate) fn locate(self, text: &str) -> QueryError {
        QueryError {
            location: Location::from_offset(text, self.span.start),
            problem: self.problem,
            span: self.span,
        }
    }
}
