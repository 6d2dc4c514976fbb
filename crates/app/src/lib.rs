//! Use cases of the Portcullis controller.
//!
//! A use case takes the [`App`], the proof that its caller is authorized
//! ([`Permit`](portcullis_domain::access::Permit)) and its input, and returns an entity, a view or
//! an [`AppError`]. It prepares everything slow or random (hashes, signatures, ids), then submits
//! one transaction body to the store and waits until the result is durable and visible in the read
//! model. It knows nothing of HTTP or of the storage engine.
//!
//! One module per resource: [`identities`], [`enrollments`], [`sessions`], [`mfa`].
//! [`administrator`] creates what has to exist before the first login; [`account_recovery`]
//! restores access from the command line.

pub mod account_recovery;
mod action;
pub mod administrator;
mod app;
pub mod audit;
pub mod auth_policies;
pub mod authenticators;
mod blocking;
pub mod cas;
pub mod configs;
pub mod controllers;
pub mod database;
pub mod enrollments;
mod error;
pub mod fabric;
mod generational_cache;
pub mod health;
pub mod identities;
pub mod listing;
pub mod managed;
mod memo;
pub mod mfa;
pub mod network;
pub mod password;
pub mod policies;
pub mod policy_advice;
pub mod posture;
pub mod posture_checks;
mod privilege;
pub mod read_model;
pub mod related;
pub mod revocations;
pub mod role_attributes;
pub mod routers;
pub mod service_sessions;
pub mod services;
pub mod sessions;
pub mod signers;
pub mod terminators;

pub use app::{App, AppParts, Settings};
pub use blocking::run_blocking;
pub use error::AppError;
