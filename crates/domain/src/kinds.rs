//! The kinds of entities, one row each.
//!
//! What a layer needs to know of each kind it takes from these rows: a macro of that layer is handed
//! all of them by [`for_each_kind!`](crate::for_each_kind).

/// Hands the rows of all kinds to the macro `$table`, whose pattern names the columns that it needs
/// and skips those after them by `$($rest:tt)*`.
///
/// Next free: kind 21, index 43. The bytes of indexes are not in the order of the rows.
///
/// A row has, in this order:
///
/// - `kind`: the constant and the byte of its records. The byte is part of the file format and never
///   reused;
/// - `entity` and its path in this crate;
/// - `id`: the type and the shape of its ids (`docs/glossary.md`);
/// - `spec`: the specification, if the entity is [`Managed`](crate::managed::Managed);
/// - `collection` on the APIs;
/// - `name`: in permissions and in the audit trail;
/// - `subject` of permissions: `granted` if identities can be granted them, which publishes five new
///   ones, such as `config` and `config.create`, `.read`, `.update` and `.delete`; `ungranted` if only
///   administrators have them; empty for kinds without any;
/// - `noun`: its name in errors;
/// - `stored`: `root`, or `owned` if its records lie under an identity or a router; `plain`, or
///   `sealed` if secrets of it are stored in another form; `whole` if the audit trail may show all
///   members as they are stored, or `described` if the audit schemas say how; `unreferring` if it is
///   managed, names no others and has no unique member but its name, or `referring`;
/// - `unique`: its unique indexes, each with its byte, which is never reused either, and where its
///   values come from: `id`, with the member if clients may choose it; `name`; `member` with the
///   member of the APIs, or `setting` if the specification has it among its settings; or
///   `generated`. The values of `EnrollmentToken` and `ApiSessionToken` are hashes of tokens; that of
///   `DefaultAdministrator` is empty, so that there is at most one.
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
                collection: "identities",
                name: "identity",
                subject: (Identity granted),
                noun: "identity",
                stored: (root plain described referring),
                unique: [IdentityId = 1 (id), IdentityName = 2 (name), IdentityExternalId = 3 (member "externalId"), DefaultAdministrator = 12 (generated)],
            }
            {
                /// Authentication policies.
                kind: AUTH_POLICY = 2,
                entity: AuthPolicy(auth_policy::AuthPolicy),
                id: AuthPolicyId(long),
                spec: (auth_policy::AuthPolicySpec),
                collection: "auth-policies",
                name: "auth-policy",
                subject: (AuthPolicy granted),
                noun: "auth policy",
                stored: (root plain whole referring),
                unique: [AuthPolicyId = 10 (id), AuthPolicyName = 11 (name)],
            }
            {
                /// Enrollments, of an identity or a router that is to obtain a credential.
                kind: ENROLLMENT = 3,
                entity: Enrollment(enrollment::Enrollment),
                id: EnrollmentId(short),
                spec: (),
                collection: "enrollments",
                name: "enrollment",
                subject: (Enrollment granted),
                noun: "enrollment",
                stored: (owned sealed described referring),
                unique: [EnrollmentId = 4 (id), EnrollmentToken = 5 (generated)],
            }
            {
                /// Authenticators, of an identity.
                kind: AUTHENTICATOR = 4,
                entity: Authenticator(authenticator::Authenticator),
                id: AuthenticatorId(short),
                spec: (),
                collection: "authenticators",
                name: "authenticator",
                subject: (Authenticator ungranted),
                noun: "authenticator",
                stored: (owned plain described referring),
                unique: [AuthenticatorId = 6 (id), AuthenticatorFingerprint = 7 (member "certFingerprint"), AuthenticatorUsername = 8 (member "updbUsername")],
            }
            {
                /// API sessions, of an identity.
                kind: API_SESSION = 5,
                entity: ApiSession(api_session::ApiSession),
                id: ApiSessionId(cuid),
                spec: (),
                collection: "api-sessions",
                name: "api-session",
                subject: (),
                noun: "API session",
                stored: (owned plain described referring),
                unique: [ApiSessionToken = 9 (generated)],
            }
            {
                /// Third-party CAs.
                kind: CA = 6,
                entity: Ca(ca::Ca),
                id: CaId(long),
                spec: (ca::CaSpec),
                collection: "cas",
                name: "ca",
                subject: (Ca granted),
                noun: "CA",
                stored: (root plain described referring),
                unique: [CaId = 13 (id), CaName = 14 (setting "name"), CaFingerprint = 15 (member "certPem")],
            }
            {
                /// External JWT signers.
                kind: SIGNER = 7,
                entity: Signer(signer::Signer),
                id: SignerId(long),
                spec: (signer::SignerSpec),
                collection: "external-jwt-signers",
                name: "external-jwt-signer",
                subject: (ExternalJwtSigner granted),
                noun: "external JWT signer",
                stored: (root plain described referring),
                unique: [SignerId = 16 (id), SignerName = 17 (setting "name"), SignerIssuer = 18 (member "issuer"), SignerKid = 19 (member "kid"), SignerFingerprint = 20 (member "fingerprint")],
            }
            {
                /// Certificates of API sessions, of the identity of the session.
                kind: SESSION_CERTIFICATE = 8,
                entity: SessionCertificate(session_certificate::SessionCertificate),
                id: SessionCertificateId(short),
                spec: (),
                collection: "api-session-certificates",
                name: "api-session-certificate",
                subject: (),
                noun: "session certificate",
                stored: (owned plain described referring),
                unique: [SessionCertificateId = 21 (id)],
            }
            {
                /// TOTP enrollments, of an identity.
                kind: MFA = 9,
                entity: Mfa(mfa::Mfa),
                id: MfaId(short),
                spec: (),
                collection: "mfas",
                name: "mfa",
                subject: (),
                noun: "MFA enrollment",
                stored: (owned sealed described referring),
                unique: [],
            }
            {
                /// Configuration types.
                kind: CONFIG_TYPE = 10,
                entity: ConfigType(config::ConfigType),
                id: ConfigTypeId(long),
                spec: (config::ConfigTypeSpec),
                collection: "config-types",
                name: "config-type",
                subject: (ConfigType granted),
                noun: "config type",
                stored: (root plain described unreferring),
                unique: [ConfigTypeId = 22 (id), ConfigTypeName = 23 (name)],
            }
            {
                /// Configurations.
                kind: CONFIG = 11,
                entity: Config(config::Config),
                id: ConfigId(long),
                spec: (config::ConfigSpec),
                collection: "configs",
                name: "config",
                subject: (Config granted),
                noun: "config",
                stored: (root plain described referring),
                unique: [ConfigId = 24 (id), ConfigName = 25 (name)],
            }
            {
                /// Services.
                kind: SERVICE = 12,
                entity: Service(service::Service),
                id: ServiceId(long),
                spec: (service::ServiceSpec),
                collection: "services",
                name: "service",
                subject: (Service granted),
                noun: "service",
                stored: (root plain whole referring),
                unique: [ServiceId = 26 (id), ServiceName = 27 (name)],
            }
            {
                /// Routers. Clients may choose the id of a fabric router.
                kind: ROUTER = 13,
                entity: Router(router::Router),
                id: RouterId(short),
                spec: (router::RouterSpec),
                collection: "routers",
                name: "router",
                subject: (Router granted),
                noun: "router",
                stored: (root plain described referring),
                unique: [RouterId = 28 (id "id"), RouterName = 29 (name), RouterFingerprint = 30 (member "fingerprint")],
            }
            {
                /// Terminators.
                kind: TERMINATOR = 14,
                entity: Terminator(terminator::Terminator),
                id: TerminatorId(long),
                spec: (terminator::TerminatorSpec),
                collection: "terminators",
                name: "terminator",
                subject: (Terminator granted),
                noun: "terminator",
                stored: (root plain described referring),
                unique: [TerminatorId = 31 (id)],
            }
            {
                /// Service policies.
                kind: SERVICE_POLICY = 15,
                entity: ServicePolicy(policies::ServicePolicy),
                id: ServicePolicyId(long),
                spec: (policies::ServicePolicySpec),
                collection: "service-policies",
                name: "service-policy",
                subject: (ServicePolicy granted),
                noun: "service policy",
                stored: (root plain whole referring),
                unique: [ServicePolicyId = 32 (id), ServicePolicyName = 33 (name)],
            }
            {
                /// Edge-router policies.
                kind: EDGE_ROUTER_POLICY = 16,
                entity: EdgeRouterPolicy(policies::EdgeRouterPolicy),
                id: EdgeRouterPolicyId(long),
                spec: (policies::EdgeRouterPolicySpec),
                collection: "edge-router-policies",
                name: "edge-router-policy",
                subject: (EdgeRouterPolicy granted),
                noun: "edge router policy",
                stored: (root plain whole referring),
                unique: [EdgeRouterPolicyId = 34 (id), EdgeRouterPolicyName = 35 (name)],
            }
            {
                /// Service-edge-router policies.
                kind: SERVICE_EDGE_ROUTER_POLICY = 17,
                entity: ServiceEdgeRouterPolicy(policies::ServiceEdgeRouterPolicy),
                id: ServiceEdgeRouterPolicyId(long),
                spec: (policies::ServiceEdgeRouterPolicySpec),
                collection: "service-edge-router-policies",
                name: "service-edge-router-policy",
                subject: (ServiceEdgeRouterPolicy granted),
                noun: "service edge router policy",
                stored: (root plain whole referring),
                unique: [ServiceEdgeRouterPolicyId = 36 (id), ServiceEdgeRouterPolicyName = 37 (name)],
            }
            {
                /// Posture checks.
                kind: POSTURE_CHECK = 18,
                entity: PostureCheck(posture_check::PostureCheck),
                id: PostureCheckId(long),
                spec: (posture_check::PostureCheckSpec),
                collection: "posture-checks",
                name: "posture-check",
                subject: (PostureCheck granted),
                noun: "posture check",
                stored: (root plain described referring),
                unique: [PostureCheckId = 38 (id), PostureCheckName = 39 (name)],
            }
            {
                /// Service sessions, of the identity of their API session.
                kind: SESSION = 19,
                entity: Session(session::Session),
                id: SessionId(cuid),
                spec: (),
                collection: "sessions",
                name: "session",
                subject: (),
                noun: "session",
                stored: (owned plain described referring),
                unique: [SessionId = 40 (id), SessionGrant = 41 (generated)],
            }
            {
                /// Revocations. One with a chosen id replaces the previous one.
                // It is `unreferring`, since its target need not exist.
                kind: REVOCATION = 20,
                entity: Revocation(revocation::Revocation),
                id: RevocationId(long),
                spec: (revocation::RevocationSpec),
                collection: "revocations",
                name: "revocation",
                subject: (Revocation ungranted),
                noun: "revocation",
                stored: (root plain described unreferring),
                unique: [RevocationId = 42 (id)],
            }
        }
    };
}
