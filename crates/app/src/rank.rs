//! Who stands above whom: what a caller may do to identities, and to what lets identities in.
//!
//! Whoever decides how somebody gets in can get in as that somebody. So everything that opens a way in
//! asks [`WaysIn`], whichever resource it belongs to.

mod fresh_factor;

pub(crate) use fresh_factor::FreshFactor;

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::Identity;

/// Whether a caller may hold the means to become `identity`: it must not gain by it.
pub(crate) fn outranks(caller: &Caller, identity: &Identity) -> bool {
    caller.is_admin
        || (!identity.has_admin_rights()
            && identity
                .spec
                .permissions
                .as_ref()
                .is_none_or(|held| caller.permissions.covers(held)))
}

/// Checks that a caller is an administrator; `rule` says what administrators alone may do.
pub(crate) fn check_admin(caller: &Caller, rule: &'static str) -> Result<(), AppError> {
    if caller.is_admin {
        Ok(())
    } else {
        denied(rule)
    }
}

/// Checks that a caller may change or remove an identity: administrators alone touch one of them.
pub(crate) fn check_touchable(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if !identity.has_admin_rights() {
        return Ok(());
    }
    check_admin(caller, "only administrators may change an administrator")
}

/// Checks that a caller may grant rights: administrators alone do.
pub(crate) fn check_grants(caller: &Caller, is_granting: bool) -> Result<(), AppError> {
    if !is_granting {
        return Ok(());
    }
    check_admin(
        caller,
        "only administrators may grant admin rights or permissions",
    )
}

/// Checks that a caller may decide how an identity gets in; see [`WaysIn::check`], which also asks for
/// a fresh factor.
pub(crate) fn check_way_in(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if outranks(caller, identity) {
        Ok(())
    } else {
        denied(
            "the identity has permissions that you lack; only administrators may enroll it or change \
             how it authenticates",
        )
    }
}

/// Whether a change lets an identity do more than before.
pub(crate) fn rises(before: &Identity, after: &Identity) -> bool {
    let permissions = |identity: &Identity| identity.spec.permissions.clone().unwrap_or_default();
    (after.has_admin_rights() && !before.has_admin_rights())
        || !permissions(before).covers(&permissions(after))
}

/// Whether an identity has any rights on the management API.
fn has_rights(identity: &Identity) -> bool {
    let permissions = identity.spec.permissions.as_ref();
    identity.has_admin_rights() || permissions.is_some_and(|held| !held.is_empty())
}

fn denied(rule: &'static str) -> Result<(), AppError> {
    Err(AppError::Denied { rule: Some(rule) })
}

/// Judges who may open ways in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaysIn {
    fresh_factor: FreshFactor,
}

impl WaysIn {
    /// As the configuration says.
    pub(crate) fn of(app: &App) -> Self {
        Self {
            fresh_factor: FreshFactor::of(app),
        }
    }

    /// Checks that a caller may open or close a way in as `identity`.
    ///
    /// Nobody but administrators does so for itself: whoever steals a session would stay in, or shed
    /// what the policy demands.
    pub(crate) fn check(self, caller: &Caller, identity: &Identity) -> Result<(), AppError> {
        check_way_in(caller, identity)?;
        if caller.identity == identity.id && !caller.is_admin {
            return denied(
                "only administrators may change by the management API how they authenticate \
                 themselves; ask an administrator",
            );
        }
        self.check_freshness(caller, identity)
    }

    /// Checks that a caller may decide about what lets in whoever it names, administrators among them;
    /// `rule` says what administrators alone may do.
    pub(crate) fn check_of_everybody(
        self,
        caller: &Caller,
        rule: &'static str,
    ) -> Result<(), AppError> {
        check_admin(caller, rule)?;
        self.fresh_factor.check(caller)
    }

    /// Checks that the caller's factor is fresh if `identity` has any rights.
    pub(crate) fn check_freshness(
        self,
        caller: &Caller,
        identity: &Identity,
    ) -> Result<(), AppError> {
        if has_rights(identity) {
            self.fresh_factor.check(caller)
        } else {
            Ok(())
        }
    }

    /// Checks that the caller's factor is fresh if it has any rights: what it does makes something
    /// count as a factor of its own.
    pub(crate) fn check_own_factor(self, caller: &Caller) -> Result<(), AppError> {
        if caller.is_admin || !caller.permissions.is_empty() {
            self.fresh_factor.check(caller)
        } else {
            Ok(())
        }
    }
}
