//! The name and password that a command line gives the administrator.

use crate::{system, usage};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::IdentityName;
use portcullis_domain::username::check_username;

/// Judges a name before anything is done with it.
pub(crate) fn check_name(name: &str) -> anyhow::Result<()> {
    if !(4..=100).contains(&name.chars().count()) {
        return Err(usage::error("--username: must be 4 to 100 characters long"));
    }
    check_username("username", name)
        .and_then(|()| IdentityName::new(name).map(drop))
        .map_err(|error| usage::error(format!("--username: {}", error.reason)))
}

/// Judges a password before anything is done with it.
pub(crate) fn check_password(password: &str) -> anyhow::Result<()> {
    broken_rule(password).map_or(Ok(()), |rule| {
        Err(usage::error(format!("--password: {rule}")))
    })
}

/// The rule that a password breaks; a new network has the default policy.
pub(crate) fn broken_rule(password: &str) -> Option<String> {
    let policy = AuthPolicy::default_policy(system::env().now());
    let judged = policy.primary.updb.check_password(password);
    judged.err().map(|error| error.reason)
}
