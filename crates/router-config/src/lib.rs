//! Parser, checker, documentation and generator for the router's configuration file.
//!
//! The file is YAML with fourteen documented sections and a few more. The OpenZiti router ignores
//! unknown keys, and some mistakes end it with a stack trace; this crate finds every mistake in one
//! pass, with its position and a fix. It accesses neither files nor the network: bytes in, findings
//! out. Findings never contain private keys, PINs or passwords from the file.
//!
//! There are two verdicts. [`check`] validates a file against the specification: it is strict, and
//! lenient only where the meaning is certain. [`openziti::evaluate`] predicts what `ziti router run` of
//! OpenZiti 2.1 does with the file: accept, refuse or crash, and in which stage. [`load_tolerantly`] joins
//! them for a router that starts with whatever OpenZiti's router starts with.
//!
//! Everything else comes from the same [`table`] of keys: the typed [`model`], the
//! [effective values](EffectiveConfig) with their sources, the JSON [`schema`](schema()), the
//! [explanations](explain()), the [reference page](reference_page()). [`mod@generate`] writes a commented file.
//!
//! It has few dependencies and builds within a minute, so that any program can embed it.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones:
//!
//! 1. vocabulary: `binding`, `codes`, `environment`, `model_file`, `network`, `pem`, `place`, `uri`, `pem_source`
//! 2. the definition of the file: `table`
//! 3. what follows from it: `finding`, `model`, `schema`, `explain`, `output`
//! 4. verdicts: `source`, `semantics`, `check`, `openziti`, and `tolerance`, which joins them
//! 5. `generate`, which checks what it writes
//!
//! # Examples
//!
//! ```
//! use portcullis_router_config::openziti::{Machine, evaluate};
//! use portcullis_router_config::{CheckOptions, SourceFile, Verdict, check};
//!
//! let file = b"v: 3\nidentity: {cert: r.cert, server_cert: r.cert, key: r.key, ca: r.cas}\n\
//!     ctrl: {endpoint: tls:ctrl.example.test:6262, defaultRequestTimeout: 5}\n\
//!     csr: {sans: {dns: [r.example.test]}}\n";
//! let text = SourceFile::new("router.yml", file);
//! let report = check(&text, &CheckOptions::new());
//! assert_eq!(report.verdict, Verdict::Refuse);
//! let first = &report.findings.iter().find(|f| f.diagnostic.code == "wrong-type").expect("one");
//! assert_eq!(first.diagnostic.path.dotted(), "ctrl.defaultRequestTimeout");
//! assert_eq!(first.diagnostic.line, 3);
//! let evaluation = evaluate(&text, &Machine::new());
//! assert_eq!(evaluation.verdict, Verdict::Crash);
//! ```

mod binding;
mod check;
pub mod codes;
mod environment;
mod explain;
mod finding;
pub mod generate;
pub mod model;
mod model_file;
mod network;
pub mod openziti;
mod output;
mod pem;
mod pem_source;
mod place;
mod schema;
mod semantics;
mod source;
pub mod table;
mod tolerance;
mod uri;

pub use portcullis_key_table::{EffectiveConfig, Explanation, Setting, Source};
pub use portcullis_yaml::{Diagnostic, KeyPath, Severity, Span, is_parsing};

pub use crate::binding::Binding;
pub use crate::check::{CheckOptions, LoadedConfig, Report, check, load};
pub use crate::environment::Environment;
pub use crate::explain::{explain, reference_page};
pub use crate::finding::{Effect, Finding, Stage, Verdict};
pub use crate::model_file::default_model_file;
pub use crate::output::report_json;
pub use crate::pem_source::{PemSource, parse_pem_source};
pub use crate::schema::schema;
pub use crate::source::{MAX_FILE_SIZE, SourceFile, file_too_large};
pub use crate::tolerance::load_tolerantly;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
