//! What the programs share at the terminal: help in groups, man pages and completion from their declared
//! command lines, types of keys as an option, and line breaks and colors in messages.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `text_width`, `wrap`, `narrow`,
//! `footer`, `color`, `completion`, `help`, `key_type`, `man`.

mod color;
pub mod completion;
mod footer;
mod help;
mod key_type;
pub mod man;
mod narrow;
pub mod text_width;
mod wrap;

pub use color::supports_color;
pub use help::{CommandGroup, arrange};
pub use key_type::KeyTypeArg;
pub use wrap::{fit, wrap};
