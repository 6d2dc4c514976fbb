//! Recursive descent parser, from tokens to the syntax tree.
//!
//! The language has no precedence: `and`, `or` and `not` all extend as far to the right as possible, so
//! `a and b or c` is `a and (b or c)`, and `not a and b` is `not (a and b)`. Every recursion counts towards
//! the depth, so no text can exhaust the stack.

mod clauses;
mod comparison;
mod expression;

use crate::error::{Problem, SpannedError};
use crate::lexer::Lexer;
use crate::limits::{MAX_BYTES, MAX_DEPTH, MAX_NAME_CHARS, MAX_TERMS};
use crate::query::CompareOp;
use crate::span::Span;
use crate::token::{Keyword, Token, TokenKind};
use crate::tree::{Name, Query, SortField};

/// Parses a query.
pub(crate) fn query(text: &str) -> Result<Query<'_>, SpannedError> {
    let mut parser = Parser::new(text)?;
    let query = parser.query(0)?;
    parser.end()?;
    Ok(query)
}

/// Parses sort fields; a following `skip` or `limit` is parsed and ignored.
pub(crate) fn sort(text: &str) -> Result<Vec<SortField<'_>>, SpannedError> {
    let mut parser = Parser::new(text)?;
    let fields = parser.sort_fields()?;
    parser.paging()?;
    parser.end()?;
    Ok(fields)
}

/// Description of the tokens allowed after a condition.
const AFTER_CONDITION: &str = "`and`, `or`, `sort by`, `skip`, `limit` or the end";

/// Parser with one token of lookahead, and the counters for the limits.
struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    current: Token<'t>,
    /// Whether the previous token is a comparison operator.
    after_sign: bool,
    /// Description of the tokens allowed next if the query does not end here.
    follow: &'static str,
    terms: usize,
    subqueries: usize,
    /// Nesting of sub-queries at the current position.
    open_subqueries: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, SpannedError> {
        if text.len() > MAX_BYTES {
            let problem = Problem::TooLong { bytes: text.len() };
            return Err(SpannedError::new(Span::new(0, 0), problem));
        }
        let mut lexer = Lexer::new(text);
        let current = lexer.next()?;
        Ok(Self {
            text,
            lexer,
            current,
            after_sign: false,
            follow: AFTER_CONDITION,
            terms: 0,
            subqueries: 0,
            open_subqueries: 0,
        })
    }

    /// Advances by one token and returns the previous one.
    fn advance(&mut self) -> Result<Token<'t>, SpannedError> {
        let next = self.lexer.next()?;
        self.after_sign = matches!(self.current.kind, TokenKind::Compare(_));
        Ok(std::mem::replace(&mut self.current, next))
    }

    fn at(&self, keyword: Keyword) -> bool {
        self.current.kind == TokenKind::Keyword(keyword)
    }

    /// Requires white space before the current token.
    fn expect_blank(&self) -> Result<(), SpannedError> {
        if self.current.blank_before || self.current.kind == TokenKind::End {
            return Ok(());
        }
        let before = self.describe_current();
        Err(self.error(Problem::BlankRequired { before }))
    }

    /// Requires a token and consumes it.
    fn expect(
        &mut self,
        kind: &TokenKind<'_>,
        expected: &'static str,
    ) -> Result<Span, SpannedError> {
        if self.current.kind != *kind {
            return Err(self.unexpected(expected));
        }
        Ok(self.advance()?.span)
    }

    /// Requires a keyword with white space before it, and consumes it.
    fn expect_keyword(
        &mut self,
        keyword: Keyword,
        expected: &'static str,
    ) -> Result<(), SpannedError> {
        if !self.at(keyword) {
            return Err(self.unexpected(expected));
        }
        self.expect_blank()?;
        self.advance()?;
        Ok(())
    }

    /// Requires the opening parenthesis immediately after the name of a function.
    fn open_function(&mut self, function: &'static str) -> Result<(), SpannedError> {
        if self.current.kind == TokenKind::Open && self.current.blank_before {
            return Err(self.error(Problem::BlankNotAllowed { function }));
        }
        self.expect(&TokenKind::Open, "`(`")?;
        Ok(())
    }

    fn close(&mut self) -> Result<Span, SpannedError> {
        self.expect(&TokenKind::Close, "`)`")
    }

    fn name(&mut self, expected: &'static str) -> Result<Name<'t>, SpannedError> {
        let TokenKind::Symbol(text) = self.current.kind else {
            return Err(self.unexpected(expected));
        };
        let span = self.advance()?.span;
        Ok(Name { text, span })
    }

    fn end(&self) -> Result<(), SpannedError> {
        match self.current.kind {
            TokenKind::End => Ok(()),
            _ => Err(self.unexpected(self.follow)),
        }
    }

    /// The next depth.
    fn descend(&self, depth: usize) -> Result<usize, SpannedError> {
        if depth < MAX_DEPTH {
            Ok(depth + 1)
        } else {
            Err(self.error(Problem::TooDeep))
        }
    }

    /// Counts a test.
    fn count_term(&mut self) -> Result<(), SpannedError> {
        self.terms += 1;
        if self.terms <= MAX_TERMS {
            Ok(())
        } else {
            Err(self.error(Problem::TooManyTerms))
        }
    }

    fn error(&self, problem: Problem) -> SpannedError {
        SpannedError::new(self.current.span, problem)
    }

    fn unexpected(&self, expected: &'static str) -> SpannedError {
        let found = self.describe_current();
        self.error(Problem::Unexpected {
            found,
            expected,
            hint: self.hint(),
        })
    }

    /// Suggestion for an unexpected token.
    fn hint(&self) -> Option<&'static str> {
        match self.current.kind {
            TokenKind::Compare(CompareOp::Equal) if self.after_sign => Some("use a single `=`"),
            TokenKind::Compare(CompareOp::Greater) if self.after_sign => Some("use `!=`"),
            TokenKind::Number(_) if !self.current.blank_before => {
                Some("write numbers without leading zeros, and timestamps as `datetime(...)`")
            },
            TokenKind::Symbol(text) if text.starts_with('\'') => {
                Some("write strings in double quotes")
            },
            TokenKind::Symbol(text) if text.eq_ignore_ascii_case("datetime") => {
                Some("write `datetime(...)` in lower case, without a space before the parenthesis")
            },
            TokenKind::Symbol(text) if text.eq_ignore_ascii_case("is") => {
                Some("write `= null` or `!= null`")
            },
            TokenKind::Keyword(Keyword::In | Keyword::Not) => {
                Some("write `not in` with exactly one space")
            },
            _ => None,
        }
    }

    fn text_of(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The current token, for error messages; literals are not quoted, since they may be secrets.
    fn describe_current(&self) -> String {
        match self.current.kind {
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Number(_) => "a number".to_owned(),
            TokenKind::Datetime(_) => "a datetime".to_owned(),
            TokenKind::End => "end".to_owned(),
            // Probably meant as a string literal.
            TokenKind::Symbol(text) if text.starts_with('\'') => "a quoted symbol".to_owned(),
            _ => format!("`{}`", truncated(self.text_of(self.current.span))),
        }
    }
}

/// A name for error messages, truncated if very long.
pub(crate) fn truncated(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
