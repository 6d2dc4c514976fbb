//! Reading configuration files: a YAML tree that knows where everything was written.
//!
//! The dialect is the one that OpenZiti's programs read, YAML 1.1 as `yaml.v2` for Go understands it:
//! `yes` is a boolean, `017` is fifteen, of two equal keys the last one counts. Files written for the
//! original therefore mean the same here.
//!
//! Start from [`parse`], which gives a [`Document`]; [`expand_environment`] puts variables in place,
//! [`overlay`] lays one file over another, and [`Section`] walks the tree while [`Diagnostics`]
//! collects every mistake instead of stopping at the first. What the keys mean, and how a diagnostic
//! is drawn on a terminal, is left to others.
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
//! assert_eq!((split.key.place.line, split.key.place.column), (2, 3));
//! # Ok::<(), portcullis_yaml::ParseError>(())
//! ```

mod compose;
mod decode;
mod diagnostic;
mod environment;
mod error;
mod limits;
mod nearest;
mod node;
mod overlay;
mod path;
mod place;
mod read;
mod scalar;
mod secret;
pub mod syntax;

pub use compose::{Document, is_parsing, parse};
pub use decode::decode;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use environment::{Variable, expand, expand_environment};
pub use error::{ParseError, ParseErrorKind};
pub use limits::Limits;
pub use nearest::nearest;
pub use node::{Entry, Kind, Map, Node, Value};
pub use overlay::overlay;
pub use path::{KeyPath, Segment};
pub use place::{Place, SourceId, Span};
pub use read::{Field, Key, Section, codes};
pub use secret::{holds_secret, is_encoded, is_secret_name, without_secrets};
