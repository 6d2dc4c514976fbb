//! Entities, state machines and ports of the Portcullis controller.
//!
//! The rules of the network as plain values and functions: what an [`Identity`](identity::Identity)
//! is, when an [`Enrollment`](enrollment::Enrollment) can be redeemed, which factors an
//! [`ApiSession`](api_session::ApiSession) still lacks under its
//! [`AuthPolicy`](auth_policy::AuthPolicy), and who may do what ([`access`]). Time and randomness
//! come in through [`Clock`](clock::Clock) and [`Entropy`](entropy::Entropy); there is no I/O, no
//! async and no global state, so a program can embed the crate as it is.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
//! use portcullis_domain::ids::IdentityId;
//!
//! let spec = IdentitySpec::named(IdentityName::new("laptop")?);
//! let mut laptop = Identity::new(IdentityId::from_wire("x1"), spec, Timestamp::UNIX_EPOCH);
//! laptop.disable(None, Timestamp::UNIX_EPOCH);
//! assert!(laptop.is_disabled(Timestamp::UNIX_EPOCH));
//! # Ok::<(), portcullis_domain::FieldError>(())
//! ```

pub mod access;
pub mod api_session;
pub mod audit;
pub mod auth_policy;
pub mod authenticator;
pub mod ca;
pub mod change;
pub mod client_info;
pub mod clock;
pub mod compatibility;
pub mod config;
mod default_value;
pub mod enrollment;
pub mod entropy;
mod env;
pub mod error_sources;
pub mod fetch_rules;
mod field_error;
pub mod identity;
pub mod ids;
pub mod io_error;
pub mod ip_network;
mod kinds;
pub mod log_interval;
pub mod log_throttle;
pub mod managed;
pub mod mfa;
pub mod name;
pub mod oidc_session;
pub mod password_throttle;
mod patch;
pub mod peer;
pub mod permission;
pub mod policies;
pub mod posture;
pub mod posture_check;
pub mod quota;
pub mod rate_limit;
pub mod revocation;
pub mod roles;
pub mod router;
pub mod service;
pub mod session;
pub mod session_certificate;
pub mod signer;
pub mod tags;
pub mod terminal;
pub mod terminator;
pub mod token_bucket;
pub mod trace;
pub mod trust_generation;
pub mod username;
pub mod view;

pub use env::Env;
pub use field_error::FieldError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
