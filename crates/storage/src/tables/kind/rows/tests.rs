use super::*;

// These bytes are part of the file format.
const KIND_BYTES: &[(Kind, u8)] = &[
    (IDENTITY, 1),
    (AUTH_POLICY, 2),
    (ENROLLMENT, 3),
    (AUTHENTICATOR, 4),
    (API_SESSION, 5),
    (CA, 6),
    (SIGNER, 7),
    (SESSION_CERTIFICATE, 8),
    (MFA, 9),
    (CONFIG_TYPE, 10),
    (CONFIG, 11),
    (SERVICE, 12),
    (ROUTER, 13),
    (TERMINATOR, 14),
    (SERVICE_POLICY, 15),
    (EDGE_ROUTER_POLICY, 16),
    (SERVICE_EDGE_ROUTER_POLICY, 17),
    (POSTURE_CHECK, 18),
    (SESSION, 19),
    (REVOCATION, 20),
];
const INDEX_BYTES: &[(UniqueIndex, u8)] = &[
    (UniqueIndex::IdentityId, 1),
    (UniqueIndex::IdentityName, 2),
    (UniqueIndex::IdentityExternalId, 3),
    (UniqueIndex::EnrollmentId, 4),
    (UniqueIndex::EnrollmentToken, 5),
    (UniqueIndex::AuthenticatorId, 6),
    (UniqueIndex::AuthenticatorFingerprint, 7),
    (UniqueIndex::AuthenticatorUsername, 8),
    (UniqueIndex::ApiSessionToken, 9),
    (UniqueIndex::AuthPolicyId, 10),
    (UniqueIndex::AuthPolicyName, 11),
    (UniqueIndex::DefaultAdministrator, 12),
    (UniqueIndex::CaId, 13),
    (UniqueIndex::CaName, 14),
    (UniqueIndex::CaFingerprint, 15),
    (UniqueIndex::SignerId, 16),
    (UniqueIndex::SignerName, 17),
    (UniqueIndex::SignerIssuer, 18),
    (UniqueIndex::SignerKid, 19),
    (UniqueIndex::SignerFingerprint, 20),
    (UniqueIndex::SessionCertificateId, 21),
    (UniqueIndex::ConfigTypeId, 22),
    (UniqueIndex::ConfigTypeName, 23),
    (UniqueIndex::ConfigId, 24),
    (UniqueIndex::ConfigName, 25),
    (UniqueIndex::ServiceId, 26),
    (UniqueIndex::ServiceName, 27),
    (UniqueIndex::RouterId, 28),
    (UniqueIndex::RouterName, 29),
    (UniqueIndex::RouterFingerprint, 30),
    (UniqueIndex::TerminatorId, 31),
    (UniqueIndex::ServicePolicyId, 32),
    (UniqueIndex::ServicePolicyName, 33),
    (UniqueIndex::EdgeRouterPolicyId, 34),
    (UniqueIndex::EdgeRouterPolicyName, 35),
    (UniqueIndex::ServiceEdgeRouterPolicyId, 36),
    (UniqueIndex::ServiceEdgeRouterPolicyName, 37),
    (UniqueIndex::PostureCheckId, 38),
    (UniqueIndex::PostureCheckName, 39),
    (UniqueIndex::SessionId, 40),
    (UniqueIndex::SessionGrant, 41),
    (UniqueIndex::RevocationId, 42),
];

#[test]
fn next_free_bytes_are_documented() {
    let kind = KIND_BYTES.iter().map(|(_, byte)| byte).max().unwrap() + 1;
    let index = INDEX_BYTES.iter().map(|(_, byte)| byte).max().unwrap() + 1;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../domain/src/kinds.rs");
    let rows = std::fs::read_to_string(path).unwrap();
    let line = format!("/// Next free: kind {kind}, index {index}.");
    assert!(rows.contains(&line), "{line}");
}

#[test]
fn bytes_of_kinds_and_indexes_stay() {
    let kinds: Vec<_> = KIND_BYTES.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, KINDS);
    for (kind, byte) in KIND_BYTES {
        assert_eq!(kind.byte(), *byte);
    }
    for (index, byte) in INDEX_BYTES {
        assert_eq!(*index as u8, *byte, "{index:?}");
    }
    assert_eq!(INDEX_BYTES.len(), UniqueIndex::ALL.len());
}
