//! How far an identity has come.

use portcullis_api::identity::{IdentityDetail, PendingEnrollment};
use portcullis_domain::clock::Timestamp;

/// The pending enrollments of an identity with their methods.
pub(crate) fn pending(
    identity: &IdentityDetail,
) -> impl Iterator<Item = (&'static str, &PendingEnrollment)> {
    let enrollments = &identity.enrollment;
    [
        ("ott", &enrollments.ott),
        ("ottca", &enrollments.ottca),
        ("updb", &enrollments.updb),
    ]
    .into_iter()
    .filter_map(|(method, enrollment)| Some((method, enrollment.as_ref()?)))
}

/// Says in a few words how far an identity has come.
pub(crate) fn shown(identity: &IdentityDetail, now: Timestamp) -> &'static str {
    let authenticators = &identity.authenticators;
    let can_log_in = authenticators.cert.is_some() || authenticators.updb.is_some();
    if identity.disabled {
        "disabled"
    } else if can_log_in {
        "enrolled"
    } else if pending(identity).any(|(_, enrollment)| enrollment.expires_at.0 > now) {
        "to be enrolled"
    } else if pending(identity).next().is_some() {
        "token expired"
    } else if identity.external_id.is_some() {
        // Whether that lets it in, its controller does not say.
        "external id"
    } else {
        "no credential"
    }
}
