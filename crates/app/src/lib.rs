//! Use cases of the Portcullis controller.
//!
//! A use case takes the [`App`], the proof that its caller may do this
//! ([`Permit`](portcullis_domain::access::Permit)) and its input, and answers an entity, a view or
//! an [`AppError`]. It prepares what is slow or random (hashes, signatures, ids), then hands one
//! body to the store and waits until that is durable and the read model shows it. It knows nothing
//! of HTTP and nothing of the engine underneath.
//!
//! One module per resource: [`identities`], [`enrollments`], [`sessions`], [`mfa`]; [`administrator`]
//! makes what must exist before anybody can log in, [`rescue`] lets in whom nobody else can.

mod action;
pub mod administrator;
mod app;
mod aside;
pub mod audit;
pub mod auth_policies;
pub mod authenticators;
pub mod cas;
pub mod configs;
pub mod controllers;
pub mod database;
pub mod enrollments;
mod error;
pub mod fabric;
pub mod health;
pub mod identities;
pub mod listing;
pub mod managed;
pub mod mfa;
pub mod network;
pub mod password;
pub mod policies;
pub mod policy_advice;
pub mod posture;
pub mod posture_checks;
mod rank;
pub mod read_model;
mod recent;
pub mod related;
mod remembered;
pub mod rescue;
pub mod revocations;
pub mod role_attributes;
pub mod routers;
pub mod service_sessions;
pub mod services;
pub mod sessions;
pub mod signers;
pub mod terminators;

pub use app::{App, Parts, Settings};
pub use aside::aside;
pub use error::AppError;
