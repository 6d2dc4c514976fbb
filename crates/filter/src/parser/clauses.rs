//! Whole queries: a condition, then `sort by`, `skip` and `limit` in this order, each optional.

use super::Parser;
use crate::error::Fault;
use crate::query::Direction;
use crate::token::{Keyword, TokenKind};
use crate::tree::{Count, LimitClause, Query, SortField};
use crate::value::Number;

impl<'t> Parser<'t> {
    /// A query with at least one of its parts.
    pub(super) fn query(&mut self, depth: usize) -> Result<Query<'t>, Fault> {
        let begins_with_clause = [Keyword::Sort, Keyword::Skip, Keyword::Limit]
            .iter()
            .any(|keyword| self.at(*keyword));
        let expression = if begins_with_clause {
            None
        } else {
            Some(self.expression(depth)?)
        };
        // Between two parts there has to be a blank, before the first of them there need not be one.
        let mut between = expression.is_some();
        let sort = self.sort_clause(&mut between)?;
        let skip = self.skip_clause(&mut between)?;
        let limit = self.limit_clause(&mut between)?;
        Ok(Query {
            expression,
            sort,
            skip,
            limit,
        })
    }

    /// Moves past the keyword of a clause, if it is there.
    fn clause(&mut self, keyword: Keyword, between: &mut bool) -> Result<bool, Fault> {
        if !self.at(keyword) {
            return Ok(false);
        }
        if *between {
            self.blank()?;
        }
        *between = true;
        self.advance()?;
        self.blank()?;
        Ok(true)
    }

    fn sort_clause(&mut self, between: &mut bool) -> Result<Vec<SortField<'t>>, Fault> {
        if !self.clause(Keyword::Sort, between)? {
            return Ok(Vec::new());
        }
        self.expect_keyword(Keyword::By, "`by`")?;
        self.blank()?;
        self.sort_fields()
    }

    /// The fields behind `sort by`.
    pub(super) fn sort_fields(&mut self) -> Result<Vec<SortField<'t>>, Fault> {
        let mut fields = vec![self.sort_field()?];
        while self.current.kind == TokenKind::Comma {
            self.advance()?;
            fields.push(self.sort_field()?);
        }
        Ok(fields)
    }

    fn sort_field(&mut self) -> Result<SortField<'t>, Fault> {
        let name = self.name("the name of a field to sort by")?;
        let direction = match self.current.kind {
            TokenKind::Keyword(Keyword::Asc) => Some(Direction::Ascending),
            TokenKind::Keyword(Keyword::Desc) => Some(Direction::Descending),
            _ => None,
        };
        self.follow = "`asc`, `desc`, a comma, `skip`, `limit` or the end";
        if direction.is_some() {
            self.blank()?;
            self.advance()?;
            self.follow = "a comma, `skip`, `limit` or the end";
        }
        Ok(SortField {
            name,
            direction: direction.unwrap_or_default(),
        })
    }

    fn skip_clause(&mut self, between: &mut bool) -> Result<Option<Count>, Fault> {
        if !self.clause(Keyword::Skip, between)? {
            return Ok(None);
        }
        self.follow = "`limit` or the end";
        self.count("a number").map(Some)
    }

    fn limit_clause(&mut self, between: &mut bool) -> Result<Option<LimitClause>, Fault> {
        if !self.clause(Keyword::Limit, between)? {
            return Ok(None);
        }
        self.follow = "the end";
        if self.at(Keyword::None) {
            self.advance()?;
            return Ok(Some(LimitClause::None));
        }
        self.count("a number or `none`")
            .map(|count| Some(LimitClause::Rows(count)))
    }

    /// Reads `skip` and `limit` behind the fields of a sort parameter.
    pub(super) fn paging(&mut self) -> Result<(), Fault> {
        let mut between = true;
        self.skip_clause(&mut between)?;
        self.limit_clause(&mut between)?;
        Ok(())
    }

    fn count(&mut self, expected: &'static str) -> Result<Count, Fault> {
        let TokenKind::Number(number) = self.current.kind else {
            return Err(self.unexpected(expected));
        };
        let span = self.advance()?.span;
        let written_as_integer = !self.text_of(span).contains(['.', 'e', 'E']);
        let value = match number {
            Number::Integer(value) => Some(value),
            // No count is refused for its size: beyond 64 bits it is as good as the largest one.
            Number::Float(value) if written_as_integer && value > 0.0 => Some(i64::MAX),
            Number::Float(_) if written_as_integer => Some(i64::MIN),
            Number::Float(_) => None,
        };
        Ok(Count { value, span })
    }
}
