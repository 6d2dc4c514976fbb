//! Query language for filtering, sorting and paging lists.
//!
//! A kind of row declares its [`symbols!`] once, as an enum and a [`Schema`], and provides their values
//! through [`Row`]. [`Listing::from_parameters`] then turns the parameters of a request into a predicate, an
//! order and a page; [`Listing::select`] applies all three to rows in memory, and [`Predicate`] is public for
//! query planners with an index.
//!
//! ```
//! use portcullis_filter::{Listing, Parameters, Row, Value, symbols};
//!
//! symbols! {
//!     enum RouterSymbol;
//!     static ROUTERS: Schema::new;
//!     Name => string("name"),
//!     Cost => integer("cost"),
//! }
//!
//! struct Router(&'static str, i64);
//!
//! impl Row for Router {
//!     type Symbol = RouterSymbol;
//!
//!     fn value(&self, symbol: RouterSymbol) -> Value<'_> {
//!         match symbol {
//!             RouterSymbol::Name => self.0.into(),
//!             RouterSymbol::Cost => self.1.into(),
//!         }
//!     }
//! }
//!
//! let routers = [Router("ams", 10), Router("ber", 30), Router("cdg", 20)];
//! let parameters = Parameters { filter: Some("cost >= 20 sort by cost"), ..Default::default() };
//! let page = Listing::from_parameters(&ROUTERS, &parameters)?.select(&routers);
//!
//! assert_eq!(page.total, 2);
//! assert_eq!(page.rows.iter().map(|router| router.0).collect::<Vec<_>>(), ["cdg", "ber"]);
//! # Ok::<(), portcullis_filter::ListingError>(())
//! ```
//!
//! The language is that of OpenZiti's list endpoints, with a few corrections that accept more or make
//! results reliable; only unknown characters are refused here but accepted there. There is no precedence:
//! `and`, `or` and `not` extend as far to the right as possible. Every query is bounded ([`MAX_BYTES`],
//! [`MAX_DEPTH`], [`MAX_TERMS`]) before it is evaluated.
//!
//! The crate uses neither I/O nor a clock, and does not plan over indexes.

mod check;
mod compose;
mod display;
mod error;
mod evaluate;
mod fold;
mod lexer;
mod limits;
mod listing;
mod nearest;
mod order;
mod page;
mod parser;
mod query;
mod row;
mod schema;
mod span;
mod symbols;
mod token;
mod tree;
mod value;

pub use error::{Problem, QueryError};
pub use limits::{MAX_BYTES, MAX_DEPTH, MAX_SUBQUERIES, MAX_SUBQUERY_DEPTH, MAX_TERMS};
pub use listing::{Listing, ListingError, Parameters, Selection};
pub use order::Order;
pub use page::{Limit, Offset, Page};
pub use query::{
    Collection, CompareOp, Comparison, Direction, FieldExpr, Predicate, Query, SortKey, Test,
    parse_sort,
};
pub use row::{AnyRow, Row, VisitElement, VisitRow};
pub use schema::{Schema, Symbol, SymbolId, SymbolKind, TargetSchema, ValueType};
pub use span::{Location, Span};
pub use symbols::{EntitySymbol, OwnSymbols, Symbols};
pub use value::{Number, Value};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
