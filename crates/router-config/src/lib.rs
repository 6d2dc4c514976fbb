//! The router's configuration file.

mod check;
pub mod codes;
mod effective;
mod finding;
pub mod model;
pub mod openziti;
mod semantics;
mod source;
pub mod table;
mod uri;

pub use crate::check::{Options, Report, check};
pub use crate::effective::{Effective, Setting, Source};
pub use crate::finding::{Effect, Finding, Stage, Verdict};
pub use crate::source::{LARGEST_FILE, Text};
