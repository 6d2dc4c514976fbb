//! Integrity checks of records and their secondary rows, and repair.
//!
//! Record counts suffice to detect a loss at startup; an inspection finds its cause by following
//! each unique value and each reference in both directions. Only rows that follow from an existing
//! record are repaired. Traces of a lost record are kept: absence is never permission.

mod finding;
mod index_row;
mod index_rows;
mod inspection;
mod repair;
mod secondary_rows;

pub use finding::{Finding, IntegrityError};
pub use inspection::{Inspection, inspect};
