//! Typed requests, one module per resource.

mod access;
mod api_sessions;
mod auth_policies;
mod authenticators;
mod cas;
mod database;
mod edge_routers;
mod enroll;
mod enrollments;
pub(crate) mod entities;
mod identities;
mod network;
mod own_authenticators;
mod own_mfa;
mod revocations;
pub(crate) mod role_attributes;
mod sessions;
mod signers;
