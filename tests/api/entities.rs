//! Entities that administrators manage: services, configurations, policies.

pub(crate) mod auth_policies;
mod client_services;
mod configs;
mod model;
mod policies;
mod role_attributes;
mod services;
