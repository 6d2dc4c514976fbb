//! Limits on the cost of a query.
//!
//! Queries come from any caller that may list something, so their cost is bounded before any row is
//! evaluated: the length bounds the parser, the depth bounds recursion, the terms bound the work per row.

/// Maximum length of a filter or sort text, in bytes (64 KiB).
pub const MAX_BYTES: usize = 64 * 1024;

/// Maximum nesting: parentheses, `not` (together with parentheses immediately after it), sub-queries, and
/// each change between `and` and `or` without parentheses.
pub const MAX_DEPTH: usize = 100;

/// Maximum number of tests in a query. An `in` list counts as one, since it is searched as a sorted list.
pub const MAX_TERMS: usize = 4096;

/// Maximum number of sub-queries in a query, including nested ones.
pub const MAX_SUBQUERIES: usize = 16;

/// Maximum nesting of sub-queries, since each level multiplies the number of rows.
pub const MAX_SUBQUERY_DEPTH: usize = 3;

/// Maximum length of a name in an error message, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 64;
