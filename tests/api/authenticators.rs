//! Passwords and certificates of identities: administration, rules, throttling and lockout.

mod lockout;
mod management;
mod password_sources;
mod password_throttle;
mod passwords;
mod renewal;
mod twin_certificates;
