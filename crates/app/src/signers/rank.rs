//! What callers that are no administrators may not decide about external JWT signers.
//!
//! The tokens of a signer make whoever holds them any identity, and what it tells clients sends them to
//! where they log in. So others than administrators change what they please about drafts alone: signers
//! that were never enabled and that no policy names. Of all others they change what is for people, the
//! name and the tags. One that was disabled is no draft again: whoever enables it expects it to be what
//! it was.

use crate::error::AppError;
use crate::rank::{WaysIn, check_admin};
use portcullis_domain::access::Caller;
use portcullis_domain::signer::{Signer, SignerSpec};
use portcullis_domain::tags::Tags;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AUTH_POLICY, Found, Rows};

/// Whose tokens count decides who gets in as an administrator.
const ACCEPTED: &str = "only administrators may change which tokens are accepted";

/// Checks that a caller may make a signer.
pub(super) fn check_new(ways_in: WaysIn, caller: &Caller, signer: &Signer) -> Result<(), AppError> {
    if signer.spec.enabled {
        ways_in.check_of_everybody(caller, ACCEPTED)
    } else {
        Ok(())
    }
}

/// Checks that a caller may have a signer be what it becomes.
pub(super) fn check_change(
    rows: Rows<'_>,
    ways_in: WaysIn,
    caller: &Caller,
    (found, after): (&Found<Signer>, &Signer),
) -> Result<(), AppError> {
    let before = &found.entity;
    if before.keys == after.keys && counting(&before.spec) == counting(&after.spec) {
        return Ok(());
    }
    if after.spec.enabled {
        return ways_in.check_of_everybody(caller, ACCEPTED);
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
    if found.entity.is_draft && !is_named(rows, found)? {
        return Ok(());
    }
    check_admin(caller, rule)
}

/// Whether a policy names a signer.
fn is_named(rows: Rows<'_>, signer: &Found<Signer>) -> Result<bool, StoreError> {
    Ok(!rows.referrers(&signer.key, AUTH_POLICY, 1)?.is_empty())
}

/// What machines go by: all that is decided about a signer but what is for people.
fn counting(spec: &SignerSpec) -> SignerSpec {
    SignerSpec {
        name: String::new(),
        tags: Tags::default(),
        ..spec.clone()
    }
}
