//! Parser and generator for the controller's configuration file.
//!
//! The format is OpenZiti's controller YAML, version 3, so that an existing file starts Portcullis.
//! [`read`] turns it into a [`ControllerConfig`] or reports every mistake in one pass, each with line,
//! column, key path and a fix. Keys of OpenZiti that Portcullis does not use get a warning; unknown keys
//! are errors. [`generate`] writes such a file.
//!
//! Nothing here touches the file system: the caller checks whether [referenced](PemReference) files exist
//! and are valid. Relative paths start at the working directory of the process, unless the file says
//! `relativePaths: file`: then they start at its folder.
//!
//! # Examples
//!
//! ```
//! use portcullis_controller_config::read;
//!
//! let outcome = read(&["v: 3\ndbs: ctrl.db\n"], &|_| None);
//!
//! assert!(outcome.config.is_none());
//! let first = &outcome.diagnostics[0];
//! assert_eq!((first.line, first.code), (1, "missing-key"));
//! assert!(outcome.diagnostics.iter().any(|d| d.help.as_deref() == Some("did you mean `db`?")));
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `address`, `codes`, `durations`, `fractions`,
//! `generate`, `items`, `keys`, `relative_paths`; `limits`, `audit`, `log`, `ctrl`, `identity`, `network`, `otlp`,
//! `store`;
//! `edge`, `events`, `references`; `reachability`, `web`; `cross_check`; `root`; `effective`, `explain`.

mod address;
mod audit;
pub mod codes;
mod cross_check;
mod ctrl;
mod durations;
mod edge;
mod effective;
mod events;
mod explain;
mod fractions;
mod generate;
mod identity;
mod items;
mod keys;
mod limits;
mod log;
mod network;
mod otlp;
mod reachability;
mod references;
mod relative_paths;
mod root;
mod store;
mod web;

pub use address::{AddressError, TransportAddress, TransportProtocol};
pub use audit::AuditConfig;
pub use ctrl::CtrlConfig;
pub use edge::{
    EdgeApiConfig, EdgeConfig, EnrollmentConfig, ExternalJwtSignersConfig, OidcConfig,
    SigningCertConfig, TotpCompatibility, TotpConfig,
};
pub use effective::{EffectiveOutcome, effective};
pub use events::{EventFileConfig, EventOutput, EventSinkConfig, EventsConfig, MIN_WAITING_EVENTS};
pub use explain::{explain, reference_page, schema};
pub use generate::{GenerateError, GenerateOptions, HomeLayout, generate};
pub use identity::{CertKeyConfig, IdentityConfig, PemSource};
pub use keys::{ControllerFile, StringFormat};
pub use limits::{ClientLimit, ClientLimits};
pub use log::LogConfig;
pub use network::{NetworkConfig, SmartReroutingConfig};
pub use otlp::{OtlpConfig, SecretText};
pub use references::{
    AddressReference, BindPointReference, CertKeyReference, ExternalReferences, IdentityReferences,
    LogFilterReference, LoginHostReference, PemReference, RedirectUriReference,
    SharedHostReference, StoreReference, WebAppReference,
};
pub use relative_paths::SourceText;
pub use root::{ControllerConfig, ReadOutcome, read, read_files};
pub use store::StoreLocation;
pub use web::{
    ApiKind, BindPoint, MetricsOptions, OidcOptions, SpaOptions, TlsVersion, WebApi, WebListener,
    WebOptions,
};
