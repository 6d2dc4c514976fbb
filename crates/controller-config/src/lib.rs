//! The controller's configuration file.
//!
//! The format is OpenZiti's controller YAML, version 3, so that an existing file starts Portcullis.
//! [`read`] turns it into a [`ControllerConfig`] or names every mistake in one pass, each with line,
//! column, key path and what would be right. Keys that OpenZiti has and Portcullis does not need are
//! named in a warning; keys that neither has are errors. [`generate`] writes such a file.
//!
//! Nothing here touches the file system: whether what a file [names](Named) exists, and is what it
//! should be, is for the reader to find out. Relative paths are kept as written and mean what they
//! mean to the process, unless the file says `relativePaths: file`: then they start at its folder.
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

mod address;
mod audit;
mod cross_check;
mod ctrl;
mod edge;
mod folders;
mod generate;
mod identity;
mod limits;
mod named;
mod root;
mod store;
mod web;

pub use address::{AddressError, TransportAddress, TransportKind};
pub use audit::AuditConfig;
pub use ctrl::CtrlConfig;
pub use edge::{
    EdgeApi, EdgeConfig, Enrollment, ExternalJwtSigners, JwksFetch, Oidc, SigningCert, Totp,
    TotpCompatibility,
};
pub use folders::SourceText;
pub use generate::{GenerateError, Generated, HomeLayout, generate};
pub use identity::{CertificateAndKey, Identity, Material};
pub use limits::{ClientLimits, Share};
pub use named::{Named, NamedHost, NamedIdentity, NamedPair, NamedStore, NamedThings};
pub use root::{ControllerConfig, Outcome, codes, read, read_files};
pub use store::StoreLocation;
pub use web::{
    ApiKind, BindPoint, OidcOptions, SpaOptions, TlsVersion, WebApi, WebListener, WebOptions,
};
