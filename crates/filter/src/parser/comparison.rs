//! Comparisons: an operator and its operands.

use super::Parser;
use crate::error::SpannedError;
use crate::query::CompareOp;
use crate::token::{Keyword, TokenKind};
use crate::tree::{Comparison, Expression, FieldExpr, Literal, Literals, Operation};

impl<'t> Parser<'t> {
    /// Whether the current token is a comparison operator.
    pub(super) fn at_operator(&self) -> bool {
        matches!(
            self.current.kind,
            TokenKind::Compare(_)
                | TokenKind::Keyword(
                    Keyword::In
                        | Keyword::NotIn
                        | Keyword::Between
                        | Keyword::NotBetween
                        | Keyword::Contains
                        | Keyword::NotContains
                        | Keyword::Icontains
                        | Keyword::NotIcontains
                )
        )
    }

    /// The operator and operands after `field`.
    pub(super) fn comparison(
        &mut self,
        subject: FieldExpr<'t>,
    ) -> Result<Expression<'t>, SpannedError> {
        if !self.at_operator() {
            return Err(self.unexpected("an operator"));
        }
        // The grammar requires white space before lists and bounds only: `anyOf(s)contains "x"` is valid.
        if matches!(
            self.current.kind,
            TokenKind::Keyword(
                Keyword::In | Keyword::NotIn | Keyword::Between | Keyword::NotBetween
            )
        ) {
            self.expect_blank()?;
        }
        let token = self.advance()?;
        let operand = self.current.span;
        let (operation, span) = match token.kind {
            TokenKind::Compare(op) => (self.compare(op)?, operand),
            TokenKind::Keyword(Keyword::In) => (self.list(false)?, operand),
            TokenKind::Keyword(Keyword::NotIn) => (self.list(true)?, operand),
            TokenKind::Keyword(Keyword::Between) => (self.between(false)?, token.span),
            TokenKind::Keyword(Keyword::NotBetween) => (self.between(true)?, token.span),
            TokenKind::Keyword(Keyword::Contains) => (self.contains(false)?, token.span),
            TokenKind::Keyword(Keyword::NotContains) => (self.contains(true)?, token.span),
            TokenKind::Keyword(Keyword::Icontains) => (self.icontains(false)?, token.span),
            TokenKind::Keyword(Keyword::NotIcontains) => (self.icontains(true)?, token.span),
            // Unreachable after `at_operator`.
            _ => return Err(self.unexpected("an operator")),
        };
        Ok(Expression::Comparison(Comparison {
            field: subject,
            operation,
            span,
        }))
    }

    fn compare(&mut self, op: CompareOp) -> Result<Operation, SpannedError> {
        let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        let literal = if equality {
            self.literal(true, "a string, a number, a datetime, a boolean or `null`")?
        } else {
            self.literal(false, "a string, a number or a datetime")?
        };
        Ok(Operation::Compare(op, literal))
    }

    fn literal(&mut self, words: bool, expected: &'static str) -> Result<Literal, SpannedError> {
        let literal = match &mut self.current.kind {
            TokenKind::Text(text) => Literal::Text(std::mem::take(text)),
            TokenKind::Number(number) => Literal::Number(*number),
            TokenKind::Datetime(instant) => Literal::Datetime(*instant),
            TokenKind::Keyword(Keyword::True) if words => Literal::Boolean(true),
            TokenKind::Keyword(Keyword::False) if words => Literal::Boolean(false),
            TokenKind::Keyword(Keyword::Null) if words => Literal::Null,
            _ => return Err(self.unexpected(expected)),
        };
        self.advance()?;
        Ok(literal)
    }

    fn contains(&mut self, negated: bool) -> Result<Operation, SpannedError> {
        self.expect_blank()?;
        if matches!(self.current.kind, TokenKind::Datetime(_)) {
            return Err(self.unexpected("a string or a number"));
        }
        let needle = self.literal(false, "a string or a number")?;
        Ok(Operation::Contains {
            negated,
            ignore_case: false,
            needle,
        })
    }

    fn icontains(&mut self, negated: bool) -> Result<Operation, SpannedError> {
        self.expect_blank()?;
        if !matches!(self.current.kind, TokenKind::Text(_)) {
            return Err(self.unexpected("a string"));
        }
        let needle = self.literal(false, "a string")?;
        Ok(Operation::Contains {
            negated,
            ignore_case: true,
            needle,
        })
    }

    fn between(&mut self, negated: bool) -> Result<Operation, SpannedError> {
        self.expect_blank()?;
        let expected = "a number or a datetime";
        if matches!(self.current.kind, TokenKind::Text(_)) {
            return Err(self.unexpected(expected));
        }
        let mut bounds = Literals::starting_with(self.literal(false, expected)?)
            .ok_or_else(|| self.unexpected(expected))?;
        self.expect_keyword(Keyword::And, "`and`")?;
        self.expect_blank()?;
        self.push_literal(&mut bounds)?;
        Ok(Operation::Between { negated, bounds })
    }

    fn list(&mut self, negated: bool) -> Result<Operation, SpannedError> {
        if self.current.kind == TokenKind::ListOpen {
            self.expect_blank()?;
        }
        self.expect(&TokenKind::ListOpen, "`[`")?;
        let expected = "a string, a number or a datetime";
        let mut list = Literals::starting_with(self.literal(false, expected)?)
            .ok_or_else(|| self.unexpected(expected))?;
        while self.current.kind == TokenKind::Comma {
            self.advance()?;
            self.push_literal(&mut list)?;
        }
        self.expect(&TokenKind::ListClose, "a comma or `]`")?;
        Ok(Operation::In { negated, list })
    }

    /// Adds the current token to `list`, if it is of the same type.
    fn push_literal(&mut self, list: &mut Literals) -> Result<(), SpannedError> {
        match (list, &mut self.current.kind) {
            (Literals::Texts(list), TokenKind::Text(text)) => list.push(std::mem::take(text)),
            (Literals::Numbers(list), TokenKind::Number(number)) => list.push(*number),
            (Literals::Datetimes(list), TokenKind::Datetime(instant)) => list.push(*instant),
            (Literals::Texts(_), _) => return Err(self.unexpected("a string")),
            (Literals::Numbers(_), _) => return Err(self.unexpected("a number")),
            (Literals::Datetimes(_), _) => return Err(self.unexpected("a datetime")),
        }
        self.advance()?;
        Ok(())
    }
}

impl Literals {
    /// A list with one element; `None` for literals that lists cannot hold.
    fn starting_with(literal: Literal) -> Option<Self> {
        match literal {
            Literal::Text(text) => Some(Self::Texts(vec![text])),
            Literal::Number(number) => Some(Self::Numbers(vec![number])),
            Literal::Datetime(instant) => Some(Self::Datetimes(vec![instant])),
            Literal::Boolean(_) | Literal::Null => None,
        }
    }
}
