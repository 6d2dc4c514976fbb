//! The real command line against the real controller.
#![expect(clippy::too_many_lines, reason = "tables of cases are long")]

mod authenticators;
mod authorities;
mod browser;
mod bulk_create;
mod bulk_delete;
mod bulk_full_disk;
mod completion;
mod credentials;
mod database;
mod deletion;
mod documented;
mod exit_codes;
mod fabric;
mod files;
mod identities;
mod lists;
mod mfa;
mod mfa_administration;
mod mfa_login;
mod mfa_support;
mod mfa_terminal;
mod oidc;
mod output;
mod policies;
mod policy_advisor;
mod posture_checks;
mod requests;
mod revocations;
mod router_config;
mod router_config_bad_input;
mod router_config_recorded;
mod router_config_reference;
mod router_config_support;
mod routers;
mod service_policies;
mod services;
mod session;
mod sessions;
mod signers;
mod tables;
mod tags;
mod terminal;
mod trust;
mod walk_through;

pub(crate) use session::Session;
