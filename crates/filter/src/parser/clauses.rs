//! Whole queries: a condition, then `sort by`, `skip` and `limit` in this order, each optional.

use super::Parser;
use crate::error::SpannedError;
use crate::query::Direction;
use crate::token::{Keyword, TokenKind};
use crate::tree::{Count, LimitClause, Query, SortField};
use crate::value::Number;

impl<'t> Parser<'t> {
    /// A query with at least one of its clauses.
    pub(super) fn query(&mut self, depth: usize) -> Result<Query<'t>, SpannedError> {
        let begins_with_clause = [Keyword::Sort, Keyword::Skip, Keyword::Limit]
            .iter()
            .any(|keyword| self.at(*keyword));
        let expression = if begins_with_clause {
            None
        } else {
            Some(self.expression(depth)?)
        };
        // White space is required between two clauses, but not before the first one.
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

    /// Consumes the keyword of a clause, if present.
    fn clause(&mut self, keyword: Keyword, between: &mut bool) -> Result<bool, SpannedError> {
        if !self.at(keyword) {
            return Ok(false);
        }
        if *between {
            self.expect_blank()?;
        }
        *between = true;
        self.advance()?;
        self.expect_blank()?;
        Ok(true)
    }

    fn sort_clause(&mut self, between: &mut bool) -> Result<Vec<SortField<'t>>, SpannedError> {
        if !self.clause(Keyword::Sort, between)? {
            return Ok(Vec::new());
        }
        self.expect_keyword(Keyword::By, "`by`")?;
        self.expect_blank()?;
        self.sort_fields()
    }

    /// The fields after `sort by`.
    pub(super) fn sort_fields(&mut self) -> Result<Vec<SortField<'t>>, SpannedError> {
        let mut fields = vec![self.sort_field()?];
        while self.current.kind == TokenKind::Comma {
            self.advance()?;
            fields.push(self.sort_field()?);
        }
        Ok(fields)
    }

    fn sort_field(&mut self) -> Result<SortField<'t>, SpannedError> {
        let name = self.name("the name of a field to sort by")?;
        let direction = match self.current.kind {
            TokenKind::Keyword(Keyword::Asc) => Some(Direction::Ascending),
            TokenKind::Keyword(Keyword::Desc) => Some(Direction::Descending),
            _ => None,
        };
        self.follow = "`asc`, `desc`, a comma, `skip`, `limit` or the end";
        if direction.is_some() {
            self.expect_blank()?;
            self.advance()?;
            self.follow = "a comma, `skip`, `limit` or the end";
        }
        Ok(SortField {
            name,
            direction: direction.unwrap_or_default(),
        })
    }

    fn skip_clause(&mut self, between: &mut bool) -> Result<Option<Count>, SpannedError> {
        if !self.clause(Keyword::Skip, between)? {
            return Ok(None);
        }
        self.follow = "`limit` or the end";
        self.count("a number").map(Some)
    }

    fn limit_clause(&mut self, between: &mut bool) -> Result<Option<LimitClause>, SpannedError> {
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

    /// Parses `skip` and `limit` after the fields of a sort parameter.
    pub(super) fn paging(&mut self) -> Result<(), SpannedError> {
        let mut between = true;
        self.skip_clause(&mut between)?;
        self.limit_clause(&mut between)?;
        Ok(())
    }

    fn count(&mut self, expected: &'static str) -> Result<Count, SpannedError> {
        let TokenKind::Number(number) = self.current.kind else {
            return Err(self.unexpected(expected));
        };
        let span = self.advance()?.span;
        let written_as_integer = !self.text_of(span).contains(['.', 'e', 'E']);
        let value = match number {
            Number::Integer(value) => Some(value),
            // Counts beyond 64 bits are clamped, not refused.
            Number::Float(value) if written_as_integer && value > 0.0 => Some(i64::MAX),
            Number::Float(_) if written_as_integer => Some(i64::MIN),
            Number::Float(_) => None,
        };
        Ok(Count { value, span })
    }
}
