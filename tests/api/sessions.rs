//! Logins, the sessions that they open, and what ends them.

mod api_sessions;
mod binding;
mod certificates;
mod clocks;
mod deactivation;
mod lifetime;
mod lives;
mod logins;
mod revocation_races;
mod revocations;
mod service_sessions;
