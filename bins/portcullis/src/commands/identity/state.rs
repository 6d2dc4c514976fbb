//! Enrollment state of identities.

use portcullis_api::identity::{IdentityDetail, PendingEnrollment};
use portcullis_domain::clock::Timestamp;

/// Pending enrollments with their methods.
pub(crate) fn pending_enrollments(
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

/// Describes the enrollment state.
pub(crate) fn display(identity: &IdentityDetail, now: Timestamp) -> &'static str {
    let authenticators = &identity.authenticators;
    let can_log_in = authenticators.cert.is_some() || authenticators.updb.is_some();
    if identity.disabled {
        "disabled"
    } else if can_log_in {
        "enrolled"
    } else if pending_enrollments(identity).any(|(_, enrollment)| enrollment.expires_at.0 > now) {
        "not enrolled"
    } else if pending_enrollments(identity).next().is_some() {
        "token expired"
    } else if identity.external_id.is_some() {
        // Whether it can log in this way is not part of the response.
        "external id"
    } else {
        "no credential"
    }
}
