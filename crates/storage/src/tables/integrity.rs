//! Whether records and the rows beside them agree, row by row, and putting right what records tell.
//!
//! The census counts, which is enough to know at the start that something is lost. An inspection
//! says what: it follows each unique value and each reference in both directions. What it finds is
//! put right only where a record is there and says what the row has to be. What is lost with a
//! record stays as it is, traces included: absence is never permission.

mod beside;
mod finding;
mod inspection;
mod lead;
mod leading;
mod repair;

pub use finding::{Fault, Finding};
pub use inspection::{Inspection, inspect};
