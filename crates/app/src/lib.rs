//! Use cases of the Portcullis controller.
//!
//! A use case takes the [`App`], the proof that its caller is authorized
//! ([`Permit`](portcullis_domain::access::Permit)) and its input, and returns an entity, a view or
//! an [`AppError`]. It prepares everything slow or random (hashes, signatures, ids), then submits
//! one transaction body to the store and waits until the result is durable and visible in the read
//! model. It knows nothing of HTTP or of the storage engine.
//!
//! Imports between the modules go one way, and `cargo xtask layers` holds the order:
//!
//! 1. What needs neither store nor `App`: errors, settings, the [`network`] with its certificates,
//!    the [`password`] pool, and `state`, whose parts own what a process remembers.
//! 2. `records` and `session_validity`: what follows from the records of one snapshot; and `event_output`,
//!    what follows from commits.
//! 3. [`App`], which holds all of this, reads snapshots and commits.
//! 4. What use cases share: `privilege`, drafts of credentials and enrollments, [`listing`],
//!    [`posture`], and [`managed`], the operations that all managed kinds have in common.
//! 5. The use cases, one module per resource: those that a login needs ([`identities`],
//!    [`sessions`], [`mfa`]) before those that create credentials ([`authenticators`],
//!    [`enrollments`]).
//! 6. What is made of several resources, or works on the store as a whole: [`administrator`] creates
//!    what has to exist before the first login; [`account_recovery`] restores access from the
//!    command line.

pub mod account_recovery;
mod action;
pub mod administrator;
mod app;
pub mod audit;
pub mod auth_policies;
pub mod authenticators;
mod blocking;
pub mod cas;
pub mod change_feed;
pub mod configs;
pub mod controllers;
pub mod database;
mod enrollment_records;
pub mod enrollments;
mod error;
mod event_output;
pub mod fabric;
#[cfg(test)]
mod fixture;
mod generational_cache;
pub mod health;
pub mod hosting;
pub mod identities;
pub mod listing;
mod live_network;
pub mod managed;
mod memo;
pub mod metrics;
pub mod mfa;
pub mod model_position;
pub mod monitoring;
pub mod network;
pub mod network_inspection;
mod new_password;
pub mod oidc;
pub mod password;
pub mod policies;
pub mod policy_advice;
pub mod posture;
pub mod posture_checks;
mod privilege;
pub mod read_model;
mod records;
mod redaction;
pub mod related;
pub mod revocations;
pub mod rights;
pub mod role_attributes;
pub mod router_keys;
pub mod routers;
pub mod service_sessions;
pub mod services;
mod session_revocation;
mod session_validity;
pub mod sessions;
mod settings;
pub mod signers;
pub mod signing_keys;
mod state;
pub mod terminators;
mod tokens;
mod verified_tokens;

pub use app::{App, AppParts};
pub use blocking::run_blocking;
pub use error::{
    AppError, AuthenticatorError, CsrDeniedError, EnrollmentError, NotAllowedError,
    ServiceSessionError, TooManyRequestsError,
};
pub use live_network::{LiveNetwork, NetworkCounts};
pub use settings::{OidcSettings, Settings};
