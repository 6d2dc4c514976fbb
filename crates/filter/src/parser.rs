//! Words to an untyped tree, by recursive descent.
//!
//! The language has no precedence: `and`, `or` and `not` all reach as far to the right as they can, so
//! `a and b or c` is `a and (b or c)` and `not a and b` is `not (a and b)`. Every recursion counts towards
//! the depth, so no text can exhaust the stack.

mod clauses;
mod comparison;
mod expression;

use crate::error::{Fault, Problem};
use crate::lexer::Lexer;
use crate::limits::{MAX_BYTES, MAX_DEPTH, MAX_SHOWN, MAX_TERMS};
use crate::query::CompareOp;
use crate::span::Span;
use crate::token::{Keyword, Token, TokenKind};
use crate::tree::{Name, Query, SortField};

/// Reads a whole query.
pub(crate) fn query(text: &str) -> Result<Query<'_>, Fault> {
    let mut parser = Parser::new(text)?;
    let query = parser.query(0)?;
    parser.end()?;
    Ok(query)
}

/// Reads what follows "sort by"; `skip` and `limit` behind it are read and dropped.
pub(crate) fn sort(text: &str) -> Result<Vec<SortField<'_>>, Fault> {
    let mut parser = Parser::new(text)?;
    let fields = parser.sort_fields()?;
    parser.paging()?;
    parser.end()?;
    Ok(fields)
}

/// What may follow a condition.
const AFTER_CONDITION: &str = "`and`, `or`, `sort by`, `skip`, `limit` or the end";

/// One word of lookahead over the text, and the counters of the bounds.
struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    current: Token<'t>,
    /// Whether the word before the current one is a sign of comparison.
    after_sign: bool,
    /// What may come next when the query does not end here.
    follow: &'static str,
    terms: usize,
    subqueries: usize,
    /// Sub-queries that are open at the moment.
    open_subqueries: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Fault> {
        if text.len() > MAX_BYTES {
            let problem = Problem::TooLong { bytes: text.len() };
            return Err(Fault::new(Span::new(0, 0), problem));
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

    /// Moves on by one word and yields the one that was current.
    fn advance(&mut self) -> Result<Token<'t>, Fault> {
        let next = self.lexer.next()?;
        self.after_sign = matches!(self.current.kind, TokenKind::Compare(_));
        Ok(std::mem::replace(&mut self.current, next))
    }

    fn at(&self, keyword: Keyword) -> bool {
        self.current.kind == TokenKind::Keyword(keyword)
    }

    /// Requires a blank before the current word.
    fn blank(&self) -> Result<(), Fault> {
        if self.current.blank_before || self.current.kind == TokenKind::End {
            return Ok(());
        }
        let before = self.describe_current();
        Err(self.fault(Problem::BlankNeeded { before }))
    }

    /// Requires a word and moves past it.
    fn expect(&mut self, kind: &TokenKind<'_>, expected: &'static str) -> Result<Span, Fault> {
        if self.current.kind != *kind {
            return Err(self.unexpected(expected));
        }
        Ok(self.advance()?.span)
    }

    /// Requires a keyword with a blank before it, and moves past it.
    fn expect_keyword(&mut self, keyword: Keyword, expected: &'static str) -> Result<(), Fault> {
        if !self.at(keyword) {
            return Err(self.unexpected(expected));
        }
        self.blank()?;
        self.advance()?;
        Ok(())
    }

    /// Requires the bracket that touches the name of a function.
    fn open_function(&mut self, function: &'static str) -> Result<(), Fault> {
        if self.current.kind == TokenKind::Open && self.current.blank_before {
            return Err(self.fault(Problem::BlankNotAllowed { function }));
        }
        self.expect(&TokenKind::Open, "`(`")?;
        Ok(())
    }

    fn close(&mut self) -> Result<Span, Fault> {
        self.expect(&TokenKind::Close, "`)`")
    }

    fn name(&mut self, expected: &'static str) -> Result<Name<'t>, Fault> {
        let TokenKind::Symbol(text) = self.current.kind else {
            return Err(self.unexpected(expected));
        };
        let span = self.advance()?.span;
        Ok(Name { text, span })
    }

    fn end(&self) -> Result<(), Fault> {
        match self.current.kind {
            TokenKind::End => Ok(()),
            _ => Err(self.unexpected(self.follow)),
        }
    }

    /// The depth one level further in.
    fn deeper(&self, depth: usize) -> Result<usize, Fault> {
        if depth < MAX_DEPTH {
            Ok(depth + 1)
        } else {
            Err(self.fault(Problem::TooDeep))
        }
    }

    /// Counts one more test.
    fn count_term(&mut self) -> Result<(), Fault> {
        self.terms += 1;
        if self.terms <= MAX_TERMS {
            Ok(())
        } else {
            Err(self.fault(Problem::TooManyTerms))
        }
    }

    fn fault(&self, problem: Problem) -> Fault {
        Fault::new(self.current.span, problem)
    }

    fn unexpected(&self, expected: &'static str) -> Fault {
        let found = self.describe_current();
        self.fault(Problem::Unexpected {
            found,
            expected,
            hint: self.slip(),
        })
    }

    /// What is probably meant by a word that has no place here.
    fn slip(&self) -> Option<&'static str> {
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

    /// The current word for a message; literals stay unsaid, since they may be secrets.
    fn describe_current(&self) -> String {
        match self.current.kind {
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Number(_) => "a number".to_owned(),
            TokenKind::Datetime(_) => "a datetime".to_owned(),
            TokenKind::End => "end".to_owned(),
            // Quoted words are what somebody meant as a literal.
            TokenKind::Symbol(text) if text.starts_with('\'') => "a quoted symbol".to_owned(),
            _ => format!("`{}`", shown(self.text_of(self.current.span))),
        }
    }
}

/// A name for a message, cut when it is very long.
pub(crate) fn shown(name: &str) -> String {
    match name.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
