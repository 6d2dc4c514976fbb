//! Whom the network trusts to vouch for identities.

use super::super::{Described, Unit};
use super::plain;

pub(super) const CAS: Described = Described {
    secret: &["verification_token"],
    silent: &["claim_terms"],
    names: &[
        ("pem", "certPem"),
        ("is_auto_enrollment_enabled", "isAutoCaEnrollmentEnabled"),
        ("is_ott_enrollment_enabled", "isOttCaEnrollmentEnabled"),
    ],
    ..plain("ca")
};

pub(super) const SIGNERS: Described = Described {
    silent: &["terms"],
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
        ("keys.certificate.not_before", Unit::Second),
        ("keys.certificate.not_after", Unit::Second),
    ],
    ..plain("external-jwt-signer")
};
