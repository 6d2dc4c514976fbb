//! Audit schemas of third-party authorities and signers.

use super::super::{AuditSchema, TimeUnit};
use super::with_noun;

pub(super) const CAS: AuditSchema = AuditSchema {
    secret: &["verification_token"],
    ignored: &["claim_terms"],
    names: &[
        ("pem", "certPem"),
        ("is_auto_enrollment_enabled", "isAutoCaEnrollmentEnabled"),
        ("is_ott_enrollment_enabled", "isOttCaEnrollmentEnabled"),
    ],
    ..with_noun("ca")
};

pub(super) const SIGNERS: AuditSchema = AuditSchema {
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
    ..with_noun("external-jwt-signer")
};
