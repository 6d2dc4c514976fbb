//! Conditions: `and`, `or`, `not`, parentheses and single tests.

use super::{AFTER_CONDITION, Parser};
use crate::error::{Problem, SpannedError};
use crate::limits::{MAX_SUBQUERIES, MAX_SUBQUERY_DEPTH};
use crate::token::{Keyword, TokenKind};
use crate::tree::{Collection, Expression, FieldExpr};

impl<'t> Parser<'t> {
    /// An operand and the `and` and `or` chain after it.
    pub(super) fn expression(&mut self, depth: usize) -> Result<Expression<'t>, SpannedError> {
        let first = self.operand(depth)?;
        self.chain(first, depth)
    }

    /// Collects the operands of one operator; from the other operator on, the rest of the expression becomes
    /// part of the last operand.
    fn chain(
        &mut self,
        first: Expression<'t>,
        depth: usize,
    ) -> Result<Expression<'t>, SpannedError> {
        let Some(operator) = self.connective() else {
            return Ok(first);
        };
        let mut operands = vec![first];
        loop {
            self.expect_keyword(operator, "`and` or `or`")?;
            self.expect_blank()?;
            let operand = self.operand(depth)?;
            match self.connective() {
                Some(next) if next == operator => operands.push(operand),
                Some(_) => {
                    let depth = self.descend(depth)?;
                    operands.push(self.chain(operand, depth)?);
                    break;
                },
                None => {
                    operands.push(operand);
                    break;
                },
            }
        }
        Ok(match operator {
            Keyword::And => Expression::And(operands),
            _ => Expression::Or(operands),
        })
    }

    fn connective(&self) -> Option<Keyword> {
        match self.current.kind {
            TokenKind::Keyword(keyword @ (Keyword::And | Keyword::Or)) => Some(keyword),
            _ => None,
        }
    }

    fn operand(&mut self, depth: usize) -> Result<Expression<'t>, SpannedError> {
        match self.current.kind {
            TokenKind::Open => {
                let depth = self.descend(depth)?;
                self.group(depth)
            },
            TokenKind::Keyword(Keyword::Not) => {
                let depth = self.descend(depth)?;
                self.advance()?;
                self.expect_blank()?;
                // Parentheses after `not` are the same level: they delimit its operand.
                let first = if self.current.kind == TokenKind::Open {
                    self.group(depth)?
                } else {
                    self.operand(depth)?
                };
                Ok(Expression::Not(Box::new(self.chain(first, depth)?)))
            },
            _ => {
                self.count_term()?;
                self.follow = AFTER_CONDITION;
                self.term(depth)
            },
        }
    }

    /// A condition in parentheses.
    fn group(&mut self, depth: usize) -> Result<Expression<'t>, SpannedError> {
        self.advance()?;
        let inner = self.expression(depth)?;
        self.close()?;
        self.follow = AFTER_CONDITION;
        Ok(inner)
    }

    fn term(&mut self, depth: usize) -> Result<Expression<'t>, SpannedError> {
        match self.current.kind {
            TokenKind::Symbol(_) => {
                let name = self.name("a symbol")?;
                if self.at_operator() {
                    return self.comparison(FieldExpr::Symbol(name));
                }
                self.follow = "an operator, `and`, `or` or the end";
                Ok(Expression::Symbol(name))
            },
            TokenKind::Keyword(Keyword::True | Keyword::False) => {
                let value = self.at(Keyword::True);
                self.advance()?;
                Ok(Expression::Constant(value))
            },
            TokenKind::Keyword(Keyword::IsEmpty) => {
                self.advance()?;
                self.open_function("isEmpty")?;
                let collection = self.collection(depth)?;
                self.close()?;
                Ok(Expression::IsEmpty(collection))
            },
            TokenKind::Keyword(Keyword::AnyOf | Keyword::AllOf | Keyword::Count) => {
                let subject = self.set_function(depth)?;
                self.comparison(subject)
            },
            _ => Err(self.unexpected("a condition")),
        }
    }

    fn set_function(&mut self, depth: usize) -> Result<FieldExpr<'t>, SpannedError> {
        let function = self.advance()?.kind;
        let subject = match function {
            TokenKind::Keyword(Keyword::AnyOf) => {
                self.open_function("anyOf")?;
                FieldExpr::AnyOf(self.name("the name of a set")?)
            },
            TokenKind::Keyword(Keyword::AllOf) => {
                self.open_function("allOf")?;
                FieldExpr::AllOf(self.name("the name of a set")?)
            },
            _ => {
                self.open_function("count")?;
                FieldExpr::Count(self.collection(depth)?)
            },
        };
        self.close()?;
        Ok(subject)
    }

    /// The argument of `count(...)` and `isEmpty(...)`.
    fn collection(&mut self, depth: usize) -> Result<Collection<'t>, SpannedError> {
        if !self.at(Keyword::From) {
            return Ok(Collection::Symbol(
                self.name("the name of a set or `from`")?,
            ));
        }
        self.subqueries += 1;
        self.open_subqueries += 1;
        if self.subqueries > MAX_SUBQUERIES || self.open_subqueries > MAX_SUBQUERY_DEPTH {
            return Err(self.error(Problem::TooManySubqueries));
        }
        let depth = self.descend(depth)?;
        self.advance()?;
        self.expect_blank()?;
        let name = self.name("the name of a set")?;
        self.expect_keyword(Keyword::Where, "`where`")?;
        self.expect_blank()?;
        let query = self.query(depth)?;
        self.open_subqueries -= 1;
        Ok(Collection::SubQuery(name, Box::new(query)))
    }
}
