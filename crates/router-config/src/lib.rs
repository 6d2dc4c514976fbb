//! The router's configuration file: understood, checked, explained, generated.
//!
//! A router's file is YAML with fourteen documented sections and a few more. OpenZiti router ignores
//! what it does not know, and some mistakes end it with a stack trace; this crate finds every mistake in
//! one pass, with its place and its cure. It reads no file and no network: bytes in, findings out. Private
//! keys, PINs and passwords that stand in the bytes are in no finding.
//!
//! There are two verdicts. [`check`] holds a file against the specification: it is strict, and tolerant
//! only where the meaning is certain. [`openziti::judge`] says what `ziti router run` of OpenZiti 2.1
//! does with it: accept, refuse or crash, and in which stage.
//!
//! Everything else comes from the same [`table`] of keys: the typed [`model`], the
//! [effective values](Effective) with their sources, the JSON [`schema`](schema()), the
//! [explanations](explain()), the [reference page](reference()). [`mod@generate`] writes a commented file.
//!
//! It needs few packages and is built within a minute, so that any program can embed it.
//!
//! # Examples
//!
//! ```
//! use portcullis_router_config::openziti::{Machine, judge};
//! use portcullis_router_config::{Options, Text, Verdict, check};
//!
//! let file = b"v: 3\nidentity: {cert: r.cert, server_cert: r.cert, key: r.key, ca: r.cas}\n\
//!     ctrl: {endpoint: tls:ctrl.example.test:6262, defaultRequestTimeout: 5}\n\
//!     csr: {sans: {dns: [r.example.test]}}\n";
//! let text = Text::new("router.yml", file);
//!
//! let report = check(&text, Options::default(), &|_| None);
//! assert_eq!(report.verdict, Verdict::Refuse);
//! let first = &report.findings.iter().find(|f| f.diagnostic.code == "wrong-type").expect("one");
//! assert_eq!(first.diagnostic.path.dotted(), "ctrl.defaultRequestTimeout");
//! assert_eq!(first.diagnostic.line, 3);
//!
//! let judgement = judge(&text, &Machine::default(), &|_| None);
//! assert_eq!(judgement.verdict, Verdict::Crash);
//! ```

mod check;
pub mod codes;
mod effective;
mod explain;
mod finding;
pub mod generate;
pub mod model;
pub mod openziti;
mod pem;
mod schema;
mod semantics;
mod show;
mod source;
pub mod table;
mod uri;

pub use portcullis_yaml::{Diagnostic, KeyPath, Severity, Span, is_parsing};

pub use crate::check::{Loaded, Options, Report, check, load};
pub use crate::effective::{Effective, Setting, Source};
pub use crate::explain::{Explanation, explain, reference};
pub use crate::finding::{Effect, Finding, Stage, Verdict};
pub use crate::schema::schema;
pub use crate::show::report_json;
pub use crate::source::{LARGEST_FILE, Text, too_large};
