//! What the programs make of their declared command lines: help in groups, man pages and completion.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `completion`, `help`, `footer`; `man`.

pub mod completion;
mod footer;
mod help;
pub mod man;

pub use help::{CommandGroup, arrange};
