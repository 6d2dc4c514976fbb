//! The kinds of entities, one row each.
//!
//! What a layer needs to know of each kind it takes from these rows: a macro of that layer is handed
//! all of them by [`for_each_kind!`](crate::for_each_kind).

/// Hands the rows of all kinds to the macro `$table`.
///
/// A row has, in this order:
///
/// - the constant and the byte of its records. The byte is part of the file format and never reused;
/// - the entity and its path in this crate;
/// - `root`, or `owned` if its records lie under an identity or a router;
/// - `plain`, or `sealed` if secrets of it are stored in another form;
/// - the type and the shape of its ids (`docs/glossary.md`);
/// - its name in errors, and its collection on the APIs;
/// - its unique indexes, each with its byte, which is never reused either, and where its values come
///   from: `id`, with the member if clients may choose it; `name`; `member` with the member of the
///   APIs; or `generated`. The values of `EnrollmentToken` and `ApiSessionToken` are hashes of tokens; that of
///   `DefaultAdministrator` is empty, so that there is at most one;
/// - the specification, if the entity is [`Managed`](crate::managed::Managed).
#[macro_export]
macro_rules! for_each_kind {
    ($table:ident) => {
        $table! {
            /// Identities.
            IDENTITY = 1, Identity(identity::Identity), root, plain, IdentityId(short), "identity", "identities",
                [IdentityId = 1 (id), IdentityName = 2 (member "name"), IdentityExternalId = 3 (member "externalId"), DefaultAdministrator = 12 (generated)],
                ();
            /// Authentication policies.
            AUTH_POLICY = 2, AuthPolicy(auth_policy::AuthPolicy), root, plain, AuthPolicyId(long), "auth policy", "auth-policies",
                [AuthPolicyId = 10 (id), AuthPolicyName = 11 (member "name")],
                ();
            /// Enrollments, of an identity or a router that is to obtain a credential.
            ENROLLMENT = 3, Enrollment(enrollment::Enrollment), owned, sealed, EnrollmentId(short), "enrollment", "enrollments",
                [EnrollmentId = 4 (id), EnrollmentToken = 5 (generated)],
                ();
            /// Authenticators, of an identity.
            AUTHENTICATOR = 4, Authenticator(authenticator::Authenticator), owned, plain, AuthenticatorId(short), "authenticator", "authenticators",
                [AuthenticatorId = 6 (id), AuthenticatorFingerprint = 7 (member "certFingerprint"), AuthenticatorUsername = 8 (member "updbUsername")],
                ();
            /// API sessions, of an identity.
            API_SESSION = 5, ApiSession(api_session::ApiSession), owned, plain, ApiSessionId(cuid), "API session", "api-sessions",
                [ApiSessionToken = 9 (generated)],
                ();
            /// Third-party CAs.
            CA = 6, Ca(ca::Ca), root, plain, CaId(long), "CA", "cas",
                [CaId = 13 (id), CaName = 14 (member "name"), CaFingerprint = 15 (member "certPem")],
                ();
            /// External JWT signers.
            SIGNER = 7, Signer(signer::Signer), root, plain, SignerId(long), "external JWT signer", "external-jwt-signers",
                [SignerId = 16 (id), SignerName = 17 (member "name"), SignerIssuer = 18 (member "issuer"), SignerKid = 19 (member "kid"), SignerFingerprint = 20 (member "fingerprint")],
                ();
            /// Certificates of API sessions, of the identity of the session.
            SESSION_CERTIFICATE = 8, SessionCertificate(session_certificate::SessionCertificate), owned, plain, SessionCertificateId(short), "session certificate", "api-session-certificates",
                [SessionCertificateId = 21 (id)],
                ();
            /// TOTP enrollments, of an identity.
            MFA = 9, Mfa(mfa::Mfa), owned, sealed, MfaId(short), "MFA enrollment", "mfas",
                [],
                ();
            /// Configuration types.
            CONFIG_TYPE = 10, ConfigType(config::ConfigType), root, plain, ConfigTypeId(long), "config type", "config-types",
                [ConfigTypeId = 22 (id), ConfigTypeName = 23 (name)],
                (config::ConfigTypeSpec);
            /// Configurations.
            CONFIG = 11, Config(config::Config), root, plain, ConfigId(long), "config", "configs",
                [ConfigId = 24 (id), ConfigName = 25 (name)],
                (config::ConfigSpec);
            /// Services.
            SERVICE = 12, Service(service::Service), root, plain, ServiceId(long), "service", "services",
                [ServiceId = 26 (id), ServiceName = 27 (name)],
                (service::ServiceSpec);
            /// Routers. Clients may choose the id of a fabric router.
            ROUTER = 13, Router(router::Router), root, plain, RouterId(short), "router", "routers",
                [RouterId = 28 (id "id"), RouterName = 29 (name), RouterFingerprint = 30 (member "fingerprint")],
                (router::RouterSpec);
            /// Terminators.
            TERMINATOR = 14, Terminator(terminator::Terminator), root, plain, TerminatorId(long), "terminator", "terminators",
                [TerminatorId = 31 (id)],
                (terminator::TerminatorSpec);
            /// Service policies.
            SERVICE_POLICY = 15, ServicePolicy(policies::ServicePolicy), root, plain, ServicePolicyId(long), "service policy", "service-policies",
                [ServicePolicyId = 32 (id), ServicePolicyName = 33 (name)],
                (policies::ServicePolicySpec);
            /// Edge-router policies.
            EDGE_ROUTER_POLICY = 16, EdgeRouterPolicy(policies::EdgeRouterPolicy), root, plain, EdgeRouterPolicyId(long), "edge router policy", "edge-router-policies",
                [EdgeRouterPolicyId = 34 (id), EdgeRouterPolicyName = 35 (name)],
                (policies::EdgeRouterPolicySpec);
            /// Service-edge-router policies.
            SERVICE_EDGE_ROUTER_POLICY = 17, ServiceEdgeRouterPolicy(policies::ServiceEdgeRouterPolicy), root, plain, ServiceEdgeRouterPolicyId(long), "service edge router policy", "service-edge-router-policies",
                [ServiceEdgeRouterPolicyId = 36 (id), ServiceEdgeRouterPolicyName = 37 (name)],
                (policies::ServiceEdgeRouterPolicySpec);
            /// Posture checks.
            POSTURE_CHECK = 18, PostureCheck(posture_check::PostureCheck), root, plain, PostureCheckId(long), "posture check", "posture-checks",
                [PostureCheckId = 38 (id), PostureCheckName = 39 (name)],
                (posture_check::PostureCheckSpec);
            /// Service sessions, of the identity of their API session.
            SESSION = 19, Session(session::Session), owned, plain, SessionId(cuid), "session", "sessions",
                [SessionId = 40 (id), SessionGrant = 41 (generated)],
                ();
            /// Revocations. One with a chosen id replaces the previous one.
            REVOCATION = 20, Revocation(revocation::Revocation), root, plain, RevocationId(long), "revocation", "revocations",
                [RevocationId = 42 (id)],
                (revocation::RevocationSpec);
        }
    };
}
