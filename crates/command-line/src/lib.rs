//! What the programs share at the terminal: help in groups, man pages and completion from their declared
//! command lines, and line breaks in messages.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `text_width`, `wrap`, `narrow`, `footer`, `completion`, `help`, `man`.

pub mod completion;
mod footer;
mod help;
pub mod man;
mod narrow;
pub mod text_width;
mod wrap;

pub use help::{CommandGroup, arrange};
pub use wrap::{fit, wrap};
