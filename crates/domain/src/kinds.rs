//! The kinds of entities, one row each.
//!
//! What a layer needs to know of each kind it takes from these rows: a macro of that layer is handed
//! all of them by [`for_each_kind!`](crate::for_each_kind).

/// Hands the rows of all kinds to the macro `$table`, whose pattern names the columns that it needs
/// and skips those after them by `$($rest:tt)*`.
///
/// A row has, in this order:
///
/// - `kind`: the constant and the byte of its records. The byte is part of the file format and never
///   reused;
/// - `entity` and its path in this crate;
/// - `id`: the type and the shape of its ids (`docs/glossary.md`);
/// - `spec`: the specification, if the entity is [`Managed`](crate::managed::Managed);
/// - `name`: in permissions and in the audit trail;
/// - `noun`: its name in errors;
/// - `collection` on the APIs;
/// - `subject` of permissions, if there are any: `granted` to identities, or only administrators';
/// - `stored`: `root`, or `owned` if its records lie under an identity or a router; `plain`, or
///   `sealed` if secrets of it are stored in another form; `whole` if the audit trail may show all
///   members as they are stored, or `described` if the audit schemas say how; `unreferring` if it is
///   managed and names no others, or `referring`;
/// - `unique`: its unique indexes, each with its byte, which is never reused either, and where its
///   values come from: `id`, with the member if clients may choose it; `name`; `member` with the
///   member of the APIs; or `generated`. The values of `EnrollmentToken` and `ApiSessionToken` are
///   hashes of tokens; that of `DefaultAdministrator` is empty, so that there is at most one.
#[macro_export]
macro_rules! for_each_kind {
    ($table:ident) => {
        $table! {
            {
                /// Identities.
                kind: IDENTITY = 1,
                entity: Identity(identity::Identity),
                id: IdentityId(short),
                spec: (),
                name: "identity",
                noun: "identity",
                collection: "identities",
                subject: (Identity granted),
                stored: (root plain described referring),
                unique: [IdentityId = 1 (id), IdentityName = 2 (member "name"), IdentityExternalId = 3 (member "externalId"), DefaultAdministrator = 12 (generated)],
            }
            {
                /// Authentication policies.
                kind: AUTH_POLICY = 2,
                entity: AuthPolicy(auth_policy::AuthPolicy),
                id: AuthPolicyId(long),
                spec: (),
                name: "auth-policy",
                noun: "auth policy",
                collection: "auth-policies",
                subject: (AuthPolicy granted),
                stored: (root plain whole referring),
                unique: [AuthPolicyId = 10 (id), AuthPolicyName = 11 (member "name")],
            }
            {
                /// Enrollments, of an identity or a router that is to obtain a credential.
                kind: ENROLLMENT = 3,
                entity: Enrollment(enrollment::Enrollment),
                id: EnrollmentId(short),
                spec: (),
                name: "enrollment",
                noun: "enrollment",
                collection: "enrollments",
                subject: (Enrollment granted),
                stored: (owned sealed described referring),
                unique: [EnrollmentId = 4 (id), EnrollmentToken = 5 (generated)],
            }
            {
                /// Authenticators, of an identity.
                kind: AUTHENTICATOR = 4,
                entity: Authenticator(authenticator::Authenticator),
                id: AuthenticatorId(short),
                spec: (),
                name: "authenticator",
                noun: "authenticator",
                collection: "authenticators",
                subject: (Authenticator ungranted),
                stored: (owned plain described referring),
                unique: [AuthenticatorId = 6 (id), AuthenticatorFingerprint = 7 (member "certFingerprint"), AuthenticatorUsername = 8 (member "updbUsername")],
            }
            {
                /// API sessions, of an identity.
                kind: API_SESSION = 5,
                entity: ApiSession(api_session::ApiSession),
                id: ApiSessionId(cuid),
                spec: (),
                name: "api-session",
                noun: "API session",
                collection: "api-sessions",
                subject: (),
                stored: (owned plain described referring),
                unique: [ApiSessionToken = 9 (generated)],
            }
            {
                /// Third-party CAs.
                kind: CA = 6,
                entity: Ca(ca::Ca),
                id: CaId(long),
                spec: (),
                name: "ca",
                noun: "CA",
                collection: "cas",
                subject: (Ca granted),
                stored: (root plain described referring),
                unique: [CaId = 13 (id), CaName = 14 (member "name"), CaFingerprint = 15 (member "certPem")],
            }
            {
                /// External JWT signers.
                kind: SIGNER = 7,
                entity: Signer(signer::Signer),
                id: SignerId(long),
                spec: (),
                name: "external-jwt-signer",
                noun: "external JWT signer",
                collection: "external-jwt-signers",
                subject: (ExternalJwtSigner granted),
                stored: (root plain described referring),
                unique: [SignerId = 16 (id), SignerName = 17 (member "name"), SignerIssuer = 18 (member "issuer"), SignerKid = 19 (member "kid"), SignerFingerprint = 20 (member "fingerprint")],
            }
            {
                /// Certificates of API sessions, of the identity of the session.
                kind: SESSION_CERTIFICATE = 8,
                entity: SessionCertificate(session_certificate::SessionCertificate),
                id: SessionCertificateId(short),
                spec: (),
                name: "api-session-certificate",
                noun: "session certificate",
                collection: "api-session-certificates",
                subject: (),
                stored: (owned plain described referring),
                unique: [SessionCertificateId = 21 (id)],
            }
            {
                /// TOTP enrollments, of an identity.
                kind: MFA = 9,
                entity: Mfa(mfa::Mfa),
                id: MfaId(short),
                spec: (),
                name: "mfa",
                noun: "MFA enrollment",
                collection: "mfas",
                subject: (),
                stored: (owned sealed described referring),
                unique: [],
            }
            {
                /// Configuration types.
                kind: CONFIG_TYPE = 10,
                entity: ConfigType(config::ConfigType),
                id: ConfigTypeId(long),
                spec: (config::ConfigTypeSpec),
                name: "config-type",
                noun: "config type",
                collection: "config-types",
                subject: (ConfigType granted),
                stored: (root plain described unreferring),
                unique: [ConfigTypeId = 22 (id), ConfigTypeName = 23 (name)],
            }
            {
                /// Configurations.
                kind: CONFIG = 11,
                entity: Config(config::Config),
                id: ConfigId(long),
                spec: (config::ConfigSpec),
                name: "config",
                noun: "config",
                collection: "configs",
                subject: (Config granted),
                stored: (root plain described referring),
                unique: [ConfigId = 24 (id), ConfigName = 25 (name)],
            }
            {
                /// Services.
                kind: SERVICE = 12,
                entity: Service(service::Service),
                id: ServiceId(long),
                spec: (service::ServiceSpec),
                name: "service",
                noun: "service",
                collection: "services",
                subject: (Service granted),
                stored: (root plain whole referring),
                unique: [ServiceId = 26 (id), ServiceName = 27 (name)],
            }
            {
                /// Routers. Clients may choose the id of a fabric router.
                kind: ROUTER = 13,
                entity: Router(router::Router),
                id: RouterId(short),
                spec: (router::RouterSpec),
                name: "router",
                noun: "router",
                collection: "routers",
                subject: (Router granted),
                stored: (root plain described referring),
                unique: [RouterId = 28 (id "id"), RouterName = 29 (name), RouterFingerprint = 30 (member "fingerprint")],
            }
            {
                /// Terminators.
                kind: TERMINATOR = 14,
                entity: Terminator(terminator::Terminator),
                id: TerminatorId(long),
                spec: (terminator::TerminatorSpec),
                name: "terminator",
                noun: "terminator",
                collection: "terminators",
                subject: (Terminator granted),
                stored: (root plain described referring),
                unique: [TerminatorId = 31 (id)],
            }
            {
                /// Service policies.
                kind: SERVICE_POLICY = 15,
                entity: ServicePolicy(policies::ServicePolicy),
                id: ServicePolicyId(long),
                spec: (policies::ServicePolicySpec),
                name: "service-policy",
                noun: "service policy",
                collection: "service-policies",
                subject: (ServicePolicy granted),
                stored: (root plain whole referring),
                unique: [ServicePolicyId = 32 (id), ServicePolicyName = 33 (name)],
            }
            {
                /// Edge-router policies.
                kind: EDGE_ROUTER_POLICY = 16,
                entity: EdgeRouterPolicy(policies::EdgeRouterPolicy),
                id: EdgeRouterPolicyId(long),
                spec: (policies::EdgeRouterPolicySpec),
                name: "edge-router-policy",
                noun: "edge router policy",
                collection: "edge-router-policies",
                subject: (EdgeRouterPolicy granted),
                stored: (root plain whole referring),
                unique: [EdgeRouterPolicyId = 34 (id), EdgeRouterPolicyName = 35 (name)],
            }
            {
                /// Service-edge-router policies.
                kind: SERVICE_EDGE_ROUTER_POLICY = 17,
                entity: ServiceEdgeRouterPolicy(policies::ServiceEdgeRouterPolicy),
                id: ServiceEdgeRouterPolicyId(long),
                spec: (policies::ServiceEdgeRouterPolicySpec),
                name: "service-edge-router-policy",
                noun: "service edge router policy",
                collection: "service-edge-router-policies",
                subject: (ServiceEdgeRouterPolicy granted),
                stored: (root plain whole referring),
                unique: [ServiceEdgeRouterPolicyId = 36 (id), ServiceEdgeRouterPolicyName = 37 (name)],
            }
            {
                /// Posture checks.
                kind: POSTURE_CHECK = 18,
                entity: PostureCheck(posture_check::PostureCheck),
                id: PostureCheckId(long),
                spec: (posture_check::PostureCheckSpec),
                name: "posture-check",
                noun: "posture check",
                collection: "posture-checks",
                subject: (PostureCheck granted),
                stored: (root plain described referring),
                unique: [PostureCheckId = 38 (id), PostureCheckName = 39 (name)],
            }
            {
                /// Service sessions, of the identity of their API session.
                kind: SESSION = 19,
                entity: Session(session::Session),
                id: SessionId(cuid),
                spec: (),
                name: "session",
                noun: "session",
                collection: "sessions",
                subject: (),
                stored: (owned plain described referring),
                unique: [SessionId = 40 (id), SessionGrant = 41 (generated)],
            }
            {
                /// Revocations. One with a chosen id replaces the previous one.
                kind: REVOCATION = 20,
                entity: Revocation(revocation::Revocation),
                id: RevocationId(long),
                spec: (revocation::RevocationSpec),
                name: "revocation",
                noun: "revocation",
                collection: "revocations",
                subject: (Revocation ungranted),
                stored: (root plain described unreferring),
                unique: [RevocationId = 42 (id)],
            }
        }
    };
}
