//! Unique indexes.

/// A unique index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum UniqueIndex {
    /// Id of an identity.
    IdentityId = 1,
    /// Name of an identity.
    IdentityName = 2,
    /// External id of an identity, if set.
    IdentityExternalId = 3,
    /// Id of an enrollment.
    EnrollmentId = 4,
    /// Keyed hash of an enrollment's token.
    EnrollmentToken = 5,
    /// Id of an authenticator.
    AuthenticatorId = 6,
    /// Fingerprint of a certificate.
    AuthenticatorFingerprint = 7,
    /// Username of a password.
    AuthenticatorUsername = 8,
    /// Keyed hash of a session's token.
    ApiSessionToken = 9,
    /// Id of an authentication policy.
    AuthPolicyId = 10,
    /// Name of an authentication policy.
    AuthPolicyName = 11,
    /// The default administrator; the value is empty, so there is at most one.
    DefaultAdministrator = 12,
    /// Id of a third-party authority.
    CaId = 13,
    /// Name of a third-party authority.
    CaName = 14,
    /// Fingerprint of a third-party authority's certificate.
    CaFingerprint = 15,
    /// Id of an external signer.
    SignerId = 16,
    /// Name of an external signer.
    SignerName = 17,
    /// Issuer of an external signer.
    SignerIssuer = 18,
    /// Key id of an external signer, if set.
    SignerKid = 19,
    /// Fingerprint of the certificate of an external signer, if any.
    SignerFingerprint = 20,
    /// Id of a certificate of an API session.
    SessionCertificateId = 21,
    /// Id of a type of configurations.
    ConfigTypeId = 22,
    /// Name of a type of configurations.
    ConfigTypeName = 23,
    /// Id of a configuration.
    ConfigId = 24,
    /// Name of a configuration.
    ConfigName = 25,
    /// Id of a service.
    ServiceId = 26,
    /// Name of a service.
    ServiceName = 27,
    /// Id of a router.
    RouterId = 28,
    /// Name of a router.
    RouterName = 29,
    /// Fingerprint of a router's certificate, once it is enrolled.
    RouterFingerprint = 30,
    /// Id of a terminator.
    TerminatorId = 31,
    /// Id of a service policy.
    ServicePolicyId = 32,
    /// Name of a service policy.
    ServicePolicyName = 33,
    /// Id of an edge-router policy.
    EdgeRouterPolicyId = 34,
    /// Name of an edge-router policy.
    EdgeRouterPolicyName = 35,
    /// Id of a service-edge-router policy.
    ServiceEdgeRouterPolicyId = 36,
    /// Name of a service-edge-router policy.
    ServiceEdgeRouterPolicyName = 37,
    /// Id of a posture check.
    PostureCheckId = 38,
    /// Name of a posture check.
    PostureCheckName = 39,
    /// Id of a service session.
    SessionId = 40,
    /// API session, grant and service of a service session.
    SessionGrant = 41,
    /// Id of a revocation.
    RevocationId = 42,
}
