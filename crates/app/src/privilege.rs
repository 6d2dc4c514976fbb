//! Protection against privilege escalation: what callers may do to identities and their
//! credentials.
//!
//! Whoever controls the credentials of an identity can act as that identity. So every operation on
//! credentials, of whatever resource, checks with the [`CredentialGuard`].

mod enrollment_owner;
mod fresh_factor;

pub(crate) use enrollment_owner::EnrollmentOwner;
pub(crate) use fresh_factor::FreshFactor;

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::Identity;

/// Whether a caller may obtain credentials for `identity`: it must not gain privileges by it.
pub(crate) fn can_impersonate(caller: &Caller, identity: &Identity) -> bool {
    caller.is_admin
        || (!identity.has_admin_rights()
            && identity
                .spec
                .permissions
                .as_ref()
                .is_none_or(|held| caller.permissions.covers(held)))
}

/// Checks that a caller is an administrator; `rule` is the reason for others.
pub(crate) fn check_admin(caller: &Caller, rule: &'static str) -> Result<(), AppError> {
    if caller.is_admin {
        Ok(())
    } else {
        denied(rule)
    }
}

/// Checks that a caller may modify or delete an identity; only administrators may for
/// administrators.
pub(crate) fn check_may_modify(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if !identity.has_admin_rights() {
        return Ok(());
    }
    check_admin(caller, "only administrators may change an administrator")
}

/// Checks that a caller may grant privileges, which is for administrators only.
pub(crate) fn check_may_grant(caller: &Caller, is_granting: bool) -> Result<(), AppError> {
    if !is_granting {
        return Ok(());
    }
    check_admin(
        caller,
        "only administrators may grant admin rights or permissions",
    )
}

/// Checks that a caller may manage the credentials of an identity. [`CredentialGuard::check`] also
/// requires a fresh factor.
pub(crate) fn check_may_impersonate(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if can_impersonate(caller, identity) {
        Ok(())
    } else {
        denied(
            "the identity has permissions that you lack; only administrators may enroll it or change \
             how it authenticates",
        )
    }
}

/// Whether a change gives an identity more privileges.
pub(crate) fn gains_privileges(before: &Identity, after: &Identity) -> bool {
    let permissions = |identity: &Identity| identity.spec.permissions.clone().unwrap_or_default();
    (after.has_admin_rights() && !before.has_admin_rights())
        || !permissions(before).covers(&permissions(after))
}

/// Whether an identity has any privileges on the management API.
fn has_privileges(identity: &Identity) -> bool {
    let permissions = identity.spec.permissions.as_ref();
    identity.has_admin_rights() || permissions.is_some_and(|held| !held.is_empty())
}

fn denied(rule: &'static str) -> Result<(), AppError> {
    Err(AppError::Denied { rule: Some(rule) })
}

/// Checks who may manage credentials.
#[derive(Debug, Clone, Copy)]
pub struct CredentialGuard {
    fresh_factor: FreshFactor,
}

impl CredentialGuard {
    /// Reads the configured limits.
    pub(crate) fn new(app: &App) -> Self {
        Self {
            fresh_factor: FreshFactor::new(app),
        }
    }

    /// Checks that a caller may add or remove credentials of `identity`.
    ///
    /// Only administrators may do so for themselves: whoever steals a session could otherwise keep
    /// access, or drop the factors that the policy requires.
    pub(crate) fn check(self, caller: &Caller, identity: &Identity) -> Result<(), AppError> {
        check_may_impersonate(caller, identity)?;
        if caller.identity == identity.id && !caller.is_admin {
            return denied(
                "only administrators may change by the management API how they authenticate \
                 themselves; ask an administrator",
            );
        }
        self.check_freshness(caller, identity)
    }

    /// Checks that a caller may change what authenticates any number of identities, administrators
    /// among them; `rule` is the reason for callers who are no administrators.
    pub(crate) fn check_for_all(self, caller: &Caller, rule: &'static str) -> Result<(), AppError> {
        check_admin(caller, rule)?;
        self.fresh_factor.check(caller)
    }

    /// Requires a fresh factor if `identity` has privileges.
    pub(crate) fn check_freshness(
        self,
        caller: &Caller,
        identity: &Identity,
    ) -> Result<(), AppError> {
        if has_privileges(identity) {
            self.fresh_factor.check(caller)
        } else {
            Ok(())
        }
    }

    /// Requires a fresh factor if the caller has privileges, for operations that add a factor of
    /// its own.
    pub(crate) fn check_own_factor(self, caller: &Caller) -> Result<(), AppError> {
        if caller.is_admin || !caller.permissions.is_empty() {
            self.fresh_factor.check(caller)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
