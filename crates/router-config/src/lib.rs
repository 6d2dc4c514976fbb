//! The router's configuration file.

pub mod codes;
mod effective;
mod finding;
pub mod openziti;
mod source;
pub mod table;
mod uri;

pub use crate::effective::{Effective, Setting, Source};
pub use crate::finding::{Effect, Finding, Stage, Verdict};
pub use crate::source::{LARGEST_FILE, Text};
