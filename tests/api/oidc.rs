//! Logins by OpenID Connect.

mod bad_input;
mod browser;
mod clock;
mod factors;
mod login;
mod refresh;
mod renewal;
mod revocation;
mod tokens;
