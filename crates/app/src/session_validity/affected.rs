//! Which sessions a change may make valid or not, other than that of the sessions themselves.

use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::signer::Signer;

/// Sessions that have to be judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AffectedSessions {
    None,
    /// Those of the identity with this record number.
    OwnedBy(RecordNumber),
    /// Those of many identities.
    All,
}

/// The sessions whose validity depends on what a change has changed.
pub(crate) fn affected_sessions(change: &Change) -> AffectedSessions {
    let all_if = |is_affected| {
        if is_affected {
            AffectedSessions::All
        } else {
            AffectedSessions::None
        }
    };
    match change {
        Change::Identity(change) if matters_of_identity(change) => {
            AffectedSessions::OwnedBy(change.number)
        },
        // The sessions that it opened end with it.
        Change::Authenticator(change) if change.entity.is_none() => match change.owner {
            Some(Owner::Identity(identity)) => AffectedSessions::OwnedBy(identity),
            Some(Owner::Router(_)) | None => AffectedSessions::None,
        },
        Change::AuthPolicy(change) => all_if(matters_of_policy(change)),
        Change::Ca(change) => all_if(matters_of_ca(change)),
        Change::Signer(change) => all_if(matters_of_signer(change)),
        _ => AffectedSessions::None,
    }
}

/// Whether anything changes that counts for logins. The sessions of an identity are removed with it,
/// and one that is new has none.
fn matters_of_identity(change: &EntityChange<Identity>) -> bool {
    match (&change.before, &change.entity) {
        (Some(before), Some(now)) => {
            before.disabled != now.disabled
                || before.kind != now.kind
                || before.spec.auth_policy != now.spec.auth_policy
                || before.has_admin_rights() != now.has_admin_rights()
        },
        _ => false,
    }
}

/// Nobody is under a policy that is created or removed.
fn matters_of_policy(change: &EntityChange<AuthPolicy>) -> bool {
    match (&change.before, &change.entity) {
        (Some(before), Some(now)) => {
            before.spec.primary != now.spec.primary || before.spec.secondary != now.spec.secondary
        },
        _ => false,
    }
}

fn matters_of_ca(change: &EntityChange<Ca>) -> bool {
    let terms = |ca: &Ca| {
        let has_claim = ca.spec.settings.external_id_claim.is_some();
        (ca.can_authenticate(), has_claim, ca.spec.claim_terms)
    };
    let before = change.before.as_deref();
    before.is_some_and(|before| Some(terms(before)) != change.entity.as_deref().map(terms))
}

fn matters_of_signer(change: &EntityChange<Signer>) -> bool {
    let terms = |signer: &Signer| (signer.spec.settings.enabled, signer.spec.terms);
    let before = change.before.as_deref();
    before.is_some_and(|before| Some(terms(before)) != change.entity.as_deref().map(terms))
}
