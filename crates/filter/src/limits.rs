//! Bounds on the work that one query may cause.
//!
//! A query comes from whoever may list something, so its cost is bounded before any row is looked at:
//! the text bounds the parser, the depth bounds every recursion, the terms bound the work per row.

/// Largest text of a filter or sort, in bytes (64 KiB).
pub const MAX_BYTES: usize = 64 * 1024;

/// Deepest nesting: brackets, `not` (with brackets directly behind it), sub-queries, and each change between
/// `and` and `or` without brackets.
pub const MAX_DEPTH: usize = 100;

/// Most single tests in a query. Elements of one `in` list count as one: they are searched in a sorted list.
pub const MAX_TERMS: usize = 4096;

/// Most sub-queries in a query, nested ones included.
pub const MAX_SUBQUERIES: usize = 16;

/// Deepest nesting of sub-queries, since each level multiplies the rows to look at.
pub const MAX_SUBQUERY_DEPTH: usize = 3;

/// Most names shown in full in a message, in characters.
pub(crate) const MAX_SHOWN: usize = 64;
