//! Restrictions for callers who are not administrators.
//!
//! Tokens of a signer authenticate their holder as any identity, and clients log in where its
//! settings send them. Callers other than administrators may therefore change drafts only: signers
//! that were never enabled and that no policy references. Of all others they may change the name
//! and the tags. A disabled signer is not a draft again, since whoever enables it expects it to be
//! unchanged.

use crate::error::AppError;
use crate::privilege::{CredentialGuard, check_admin};
use portcullis_domain::access::Caller;
use portcullis_domain::signer::{Signer, SignerSettings};
use portcullis_domain::tags::Tags;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AUTH_POLICY, Found, Rows};

/// Accepted tokens decide who can log in as an administrator.
const ACCEPTED_TOKENS_RULE: &str = "only administrators may change which tokens are accepted";

/// Checks that a caller may create a signer.
pub(super) fn check_new(
    credential_guard: CredentialGuard,
    caller: &Caller,
    signer: &Signer,
) -> Result<(), AppError> {
    if signer.spec.settings.enabled {
        credential_guard.check_for_all(caller, ACCEPTED_TOKENS_RULE)
    } else {
        Ok(())
    }
}

/// Checks that a caller may change a signer.
pub(super) fn check_change(
    rows: Rows<'_>,
    credential_guard: CredentialGuard,
    caller: &Caller,
    (found, after): (&Found<Signer>, &Signer),
) -> Result<(), AppError> {
    let (before, after) = (&found.entity.spec, &after.spec);
    if before.keys == after.keys
        && functional_part(&before.settings) == functional_part(&after.settings)
    {
        return Ok(());
    }
    if after.settings.enabled {
        return credential_guard.check_for_all(caller, ACCEPTED_TOKENS_RULE);
    }
    check_draft(
        rows,
        caller,
        found,
        "only administrators may change or disable an external JWT signer that was enabled before or \
         that an auth policy names; others may change its name and tags",
    )
}

/// Checks that a caller may delete a signer.
pub(super) fn check_removal(
    rows: Rows<'_>,
    caller: &Caller,
    found: &Found<Signer>,
) -> Result<(), AppError> {
    check_draft(
        rows,
        caller,
        found,
        "only administrators may delete an external JWT signer that was enabled before",
    )
}

fn check_draft(
    rows: Rows<'_>,
    caller: &Caller,
    found: &Found<Signer>,
    rule: &'static str,
) -> Result<(), AppError> {
    if found.entity.spec.is_draft && !is_referenced(rows, found)? {
        return Ok(());
    }
    check_admin(caller, rule)
}

/// Whether a policy references a signer.
fn is_referenced(rows: Rows<'_>, signer: &Found<Signer>) -> Result<bool, StoreError> {
    Ok(!rows.referrers(&signer.key, AUTH_POLICY, 1)?.is_empty())
}

/// The settings without what is only for people, name and tags.
fn functional_part(settings: &SignerSettings) -> SignerSettings {
    SignerSettings {
        name: String::new(),
        tags: Tags::default(),
        ..settings.clone()
    }
}
