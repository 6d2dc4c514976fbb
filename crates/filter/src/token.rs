//! The words of the language.

use crate::query::CompareOp;
use crate::span::Span;
use crate::value::Number;
use jiff::Timestamp;

/// One word with its place. Blanks are not words, but some have to be there and some must not be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) span: Span,
    /// Whether a blank stands before it.
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

/// Reserved words, in any letter case, and the operators of two words.
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

/// Every word of one part with its spelling.
const WORDS: &[(&str, Keyword)] = &[
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
    /// The keyword that `word` spells.
    pub(crate) fn of(word: &str) -> Option<Self> {
        WORDS
            .iter()
            .find(|(spelling, _)| spelling.eq_ignore_ascii_case(word))
            .map(|(_, keyword)| *keyword)
    }
}
