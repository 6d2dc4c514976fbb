//! Typed requests, one module per resource.

mod access;
mod authenticators;
mod cas;
mod database;
mod edge_routers;
mod enroll;
mod enrollments;
pub(crate) mod entities;
mod identities;
pub(crate) mod login;
mod network;
pub(crate) mod oidc;
mod own_authenticators;
mod own_mfa;
pub(crate) mod role_attributes;
mod sessions;
mod signers;
