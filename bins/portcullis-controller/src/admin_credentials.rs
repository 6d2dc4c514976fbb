//! Validation of the administrator's name and password from the command line.

use crate::usage;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::IdentityName;
use portcullis_domain::username;

/// Validates a username.
pub(crate) fn validate_username(name: &str) -> anyhow::Result<()> {
    if !(4..=100).contains(&name.chars().count()) {
        return Err(usage::error("--username: must be 4 to 100 characters long"));
    }
    username::validate_username("username", name)
        .and_then(|()| IdentityName::new(name).map(drop))
        .map_err(|error| usage::error(format!("--username: {}", error.reason)))
}

/// Validates a password that `source`, an option or a variable, holds.
pub(crate) fn validate_password(source: &str, password: &str) -> anyhow::Result<()> {
    password_violation(password).map_or(Ok(()), |rule| {
        Err(usage::error(format!("{source}: {rule}")))
    })
}

/// The rule that a password violates, by the default policy of a new network.
pub(crate) fn password_violation(password: &str) -> Option<String> {
    let policy = AuthPolicy::default_policy(portcullis_system::env().now());
    let judged = policy.spec.primary.updb.validate_password(password);
    judged.err().map(|error| error.reason)
}
