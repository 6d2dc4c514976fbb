//! YAML parser for configuration files that records the location of every key and value.
//!
//! The dialect is that of OpenZiti's programs, YAML 1.1 as implemented by `yaml.v2` for Go: `yes`
//! is a boolean, `017` is fifteen, and the last of two equal keys wins. Files written for the
//! original therefore mean the same here.
//!
//! Start from [`parse`], which returns a [`Document`]; [`expand_environment`] expands variables,
//! [`overlay`] merges one file over another, and [`Section`] reads the tree while [`Diagnostics`]
//! collects all mistakes instead of stopping at the first. The meaning of the keys, and rendering
//! diagnostics on a terminal, are left to the programs.
//!
//! # Examples
//!
//! ```
//! use portcullis_yaml::{Limits, SourceId, parse};
//!
//! let document = parse("link:\n  split: no\n", SourceId::default(), &Limits::default())?;
//! let link = document.root.as_map().and_then(|map| map.get("link")).expect("key is there");
//! let split = link.value.as_map().and_then(|map| map.get("split")).expect("key is there");
//!
//! assert_eq!(split.value.as_bool(), Some(false));
//! assert_eq!((split.key.location.line, split.key.location.column), (2, 3));
//! # Ok::<(), portcullis_yaml::ParseError>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `codes`, `limits`, `location`, `nearest`,
//! `redaction`, `syntax`; `node`, `path`; `overlay`, `scalar`, `diagnostic`; `error`, `decode`,
//! `environment`, `section`; `program`, `compose`.

pub mod codes;
mod compose;
mod decode;
mod diagnostic;
mod environment;
mod error;
mod limits;
mod location;
mod nearest;
mod node;
mod overlay;
mod path;
mod program;
mod redaction;
mod scalar;
mod section;
pub mod syntax;

pub use compose::{Document, is_parsing, parse};
pub use decode::decode;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use environment::{expand, expand_environment};
pub use error::{ParseError, ParseErrorKind};
pub use limits::Limits;
pub use location::{SourceId, SourceLocation, Span};
pub use nearest::nearest;
pub use node::{Entry, Map, Node, NodeType, Value, Variable};
pub use overlay::overlay;
pub use path::{KeyPath, Segment};
pub use program::Program;
pub use redaction::{contains_secret, is_base64_key, is_secret_name, redact_secrets};
pub use section::{Field, Key, KnownKey, Section};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
