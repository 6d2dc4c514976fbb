//! Tables of the keys of configuration files, and what follows from them.
//!
//! A file is a type that implements [`ConfigFile`]; its [`ROOT`](ConfigFile::ROOT) holds one [`Key`] per
//! key of the file, section by section. Whoever reads the file takes keys and bounds from the rows, and
//! these are made from them: [explanations](explain()), the [JSON Schema](schema()) for editors, the
//! sections of the [reference page](reference_sections), and the [effective values](EffectiveConfig) with
//! their sources.
//!
//! # Examples
//!
//! ```
//! use portcullis_key_table::{ConfigFile, Format, Key, KeyGroup, ValueType, explain};
//! use portcullis_yaml::SourceLocation;
//!
//! #[derive(Clone, Copy, Debug)]
//! struct Service;
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq)]
//! struct Path;
//!
//! impl Format for Path {
//!     fn describe(self) -> &'static str {
//!         "a path"
//!     }
//! }
//!
//! impl ConfigFile for Service {
//!     type Format = Path;
//!     type Rule = ();
//!     const NO_RULE: () = ();
//!     const ROOT: KeyGroup<Self> =
//!         &[Key::new("log", ValueType::String(Path), "Where the log goes.").example("/var/log/x")];
//!     const TITLE: &'static str = "Service configuration";
//!     const DESCRIPTION: &'static str = "Configuration file of the service.";
//! }
//!
//! assert_eq!(explain::<Service>("log")?[0].value_format, "a path");
//! let error = explain::<Service>("logs").expect_err("there is no such key");
//! assert_eq!(error.to_string(), "the file has no key `logs`; did you mean `log`?");
//! # Ok::<(), portcullis_key_table::PathError>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `json`, `key`; `effective`, `lookup`; `explain`,
//! `render`, `schema`, `completion`; `reference`, `text`.

mod completion;
mod effective;
mod explain;
mod json;
mod key;
mod lookup;
mod reference;
mod render;
mod schema;
pub mod text;

pub use crate::completion::complete_path;
pub use crate::effective::{EffectiveConfig, Setting, Source};
pub use crate::explain::{Explanation, explain, sections};
pub use crate::json::{parse_value, to_json};
pub use crate::key::{
    BindingVariant, ConfigFile, Format, HOUR, Key, KeyGroup, KeyState, MILLISECOND, MINUTE, SECOND,
    Unit, ValueType,
};
pub use crate::lookup::{KeyMatch, PathError, find_paths, resolve, visit_keys};
pub use crate::reference::reference_sections;
pub use crate::schema::schema;
