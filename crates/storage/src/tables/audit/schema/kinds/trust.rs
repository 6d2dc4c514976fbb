//! Audit schemas of third-party authorities and signers.

use super::super::{AuditSchema, TimeUnit};
use super::PLAIN;

pub(super) const CA: AuditSchema = AuditSchema {
    secret: &["verification_token"],
    ignored: &["claim_terms"],
    names: &[
        ("pem", "certPem"),
        ("is_auto_enrollment_enabled", "isAutoCaEnrollmentEnabled"),
        ("is_ott_enrollment_enabled", "isOttCaEnrollmentEnabled"),
    ],
    ..PLAIN
};

pub(super) const SIGNER: AuditSchema = AuditSchema {
    ignored: &["terms"],
    names: &[
        ("keys", ""),
        ("keys.certificate", ""),
        ("keys.certificate.pem", "certPem"),
        ("keys.key_set", "jwksEndpoint"),
        ("enrollment", ""),
        ("enrollment.to_cert", "enrollToCertEnabled"),
        ("enrollment.to_token", "enrollToTokenEnabled"),
        ("enrollment.auth_policy", "enrollAuthPolicyId"),
        ("enrollment.name_selector", "enrollNameClaimsSelector"),
        (
            "enrollment.attribute_selector",
            "enrollAttributeClaimsSelector",
        ),
    ],
    times: &[
        ("keys.certificate.not_before", TimeUnit::Second),
        ("keys.certificate.not_after", TimeUnit::Second),
    ],
    ..PLAIN
};
