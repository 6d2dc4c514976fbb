//! Tokens of the language.

use crate::query::CompareOp;
use crate::span::Span;
use crate::value::Number;
use jiff::Timestamp;

/// A token with its span. White space is no token, but required in some places and forbidden in others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) span: Span,
    /// Whether white space precedes it.
    pub(crate) blank_before: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind<'t> {
    /// A symbol; a quoted one keeps its quotes, so no schema knows it.
    Symbol(&'t str),
    Text(String),
    Number(Number),
    Datetime(Timestamp),
    Keyword(Keyword),
    Compare(CompareOp),
    Open,
    Close,
    ListOpen,
    ListClose,
    Comma,
    End,
}

/// Reserved words, in any letter case, and two-word operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    AllOf,
    And,
    AnyOf,
    Asc,
    Between,
    By,
    Contains,
    Count,
    Desc,
    False,
    From,
    Icontains,
    In,
    IsEmpty,
    Limit,
    None,
    Not,
    NotBetween,
    NotContains,
    NotIcontains,
    NotIn,
    Null,
    Or,
    Skip,
    Sort,
    True,
    Where,
}

/// Single-word keywords with their spelling.
const KEYWORDS: &[(&str, Keyword)] = &[
    ("allOf", Keyword::AllOf),
    ("and", Keyword::And),
    ("anyOf", Keyword::AnyOf),
    ("asc", Keyword::Asc),
    ("between", Keyword::Between),
    ("by", Keyword::By),
    ("contains", Keyword::Contains),
    ("count", Keyword::Count),
    ("desc", Keyword::Desc),
    ("false", Keyword::False),
    ("from", Keyword::From),
    ("icontains", Keyword::Icontains),
    ("in", Keyword::In),
    ("isEmpty", Keyword::IsEmpty),
    ("limit", Keyword::Limit),
    ("none", Keyword::None),
    ("not", Keyword::Not),
    ("null", Keyword::Null),
    ("or", Keyword::Or),
    ("skip", Keyword::Skip),
    ("sort", Keyword::Sort),
    ("true", Keyword::True),
    ("where", Keyword::Where),
];

impl Keyword {
    /// Finds a keyword by its spelling.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        KEYWORDS
            .iter()
            .find(|(spelling, _)| spelling.eq_ignore_ascii_case(word))
            .map(|(_, keyword)| *keyword)
    }
}
