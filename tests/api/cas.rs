//! Third-party certificate authorities, and the logins that they vouch for.

mod logins;
mod losses;
mod management;
mod sessions;
mod verification;
