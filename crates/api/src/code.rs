//! The codes by which errors are told apart.

/// Declares the codes with the name on the wire, the usual status and a message.
macro_rules! codes {
    ($($variant:ident = $name:literal, $status:literal, $message:literal;)*) => {
        /// The kind of an error. Clients compare its name and read nothing into the message.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $(
                #[doc = concat!($message, ".")]
                $variant,
            )*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The HTTP status that goes with it unless the circumstances demand another one, as
            /// 415 and 406 do with [`Code::CouldNotValidate`].
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$variant => $status,)*
                }
            }

            /// What it means, in words for a person.
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$variant => $message,)*
                }
            }
        }
    };
}

codes! {
    NotFound = "NOT_FOUND", 404, "The requested resource does not exist";
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, "The resource does not support this HTTP method";
    CouldNotParseBody = "COULD_NOT_PARSE_BODY", 400, "The request body could not be parsed";
    CouldNotReadBody = "COULD_NOT_READ_BODY", 500, "The request body could not be read completely";
    CouldNotValidate = "COULD_NOT_VALIDATE", 400, "The request is invalid; see the cause for the field and what is wrong with it";
    InvalidField = "INVALID_FIELD", 400, "A field of the request has an invalid value; see the cause";
    InvalidFilter = "INVALID_FILTER", 400, "The filter is invalid; see the cause";
    InvalidSortIdentifier = "INVALID_SORT_IDENTIFIER", 400, "The list cannot be sorted by this field";
    InvalidPagination = "INVALID_PAGINATION", 400, "The limit or offset is invalid";
    InvalidUuid = "INVALID_UUID", 400, "The value is not a UUID";
    InvalidContentType = "INVALID_CONTENT_TYPE", 400, "The content type of the request body is not supported here";
    UnsupportedMedia = "UNSUPPORTED_MEDIA", 415, "The response is not available in any content type that the client accepts";
    RequestEntityTooLarge = "REQUEST_ENTITY_TOO_LARGE", 413, "The request body is too large";
    Unhandled = "UNHANDLED", 500, "The controller failed to handle the request; its log has the details under this request id";
    Timeout = "TIMEOUT", 503, "The request took too long; try again";
    Unauthorized = "UNAUTHORIZED", 401, "The session is missing, expired or lacks permission for this request; log in again or ask an administrator for access";
    InvalidAuth = "INVALID_AUTH", 401, "Authentication failed; check the credentials, and that the identity is enabled and may log in this way";
    InvalidAuthMethod = "INVALID_AUTH_METHOD", 400, "Unknown authentication method; use password, cert or ext-jwt";
    EntityCanNotBeDeleted = "ENTITY_CAN_NOT_BE_DELETED", 400, "This entity cannot be deleted";
    EntityCanNotBeUpdated = "ENTITY_CAN_NOT_BE_UPDATED", 400, "This entity cannot be updated";
    CanNotDeleteReferencedEntity = "CAN_NOT_DELETE_REFERENCED_ENTITY", 409, "The entity is still in use and cannot be deleted; remove what refers to it first";
    ReferencedEntityNotFound = "REFERENCED_ENTITY_NOT_FOUND", 400, "The request refers to an entity that does not exist";
    CanNotUpdateAuthenticator = "CAN_NOT_UPDATE_AUTHENTICATOR", 409, "The authenticator cannot be updated this way; check its method and its owner";
    CanNotUpdateRouter = "CAN_NOT_UPDATE_ROUTER", 409, "The router cannot be updated this way";
    InvalidAuthenticatorProperties = "INVALID_AUTHENTICATOR_PROPERTIES", 400, "The fields given do not fit the method of the authenticator";
    MaxAuthenticatorMethodsReached = "MAX_AUTHENTICATOR_METHODS_REACHED", 409, "The identity already has an authenticator of this method; update or delete that one";
    EnrollmentExists = "ENROLLMENT_EXISTS", 409, "The identity already has an enrollment of this method; refresh or delete that one";
    EnrollmentExpired = "ENROLLMENT_EXPIRED", 400, "The enrollment has expired; ask an administrator to refresh it";
    EnrollmentCaNotValid = "ENROLLMENT_CA_NOT_VALID", 400, "The certificate authority of this enrollment is not verified, or not enabled for enrollment";
    EnrollmentNoValidCas = "ENROLLMENT_NO_VALID_CAS", 400, "No certificate authority is verified and enabled for this enrollment";
    EnrollmentIdentityAlreadyEnrolled = "ENROLLMENT_IDENTITY_ALREADY_ENROLLED", 409, "The identity is already enrolled";
    InvalidEnrollmentToken = "INVALID_ENROLLMENT_TOKEN", 400, "The enrollment token is unknown or was already used; ask an administrator for a new one";
    InvalidEnrollMethod = "INVALID_ENROLL_METHOD", 400, "The enrollment has to be completed by another method";
    InvalidEnrollmentNotAllowed = "INVALID_ENROLLMENT_NOT_ALLOWED", 409, "This enrollment is not allowed";
    InvalidEnrollmentAlreadyEnrolled = "INVALID_ENROLLMENT_ALREADY_ENROLLED", 410, "The enrollment was already completed";
    FailedErReenrollment = "FAILED_ER_REENROLLMENT", 500, "The edge router could not be prepared for re-enrollment";
    CaAlreadyVerified = "CA_ALREADY_VERIFIED", 409, "The certificate authority is already verified";
    CertFailedValidation = "CERT_FAILED_VALIDATION", 400, "The client certificate failed validation; check who issued it and when it expires";
    CertInUse = "CERT_IN_USE", 409, "The certificate is already used by another authenticator";
    CouldNotProcessCsr = "COULD_NOT_PROCESS_CSR", 400, "The certificate signing request (CSR) could not be processed";
    MissingOrInvalidCsr = "MISSING_OR_INVALID_CSR", 400, "The certificate signing request (CSR) is missing or invalid";
    CouldNotParsePemBlock = "COULD_NOT_PARSE_PEM_BLOCK", 400, "The PEM could not be parsed";
    CouldNotParseDerBlock = "COULD_NOT_PARSE_DER_BLOCK", 400, "The DER inside the PEM could not be parsed";
    CouldNotParseX509FromDer = "COULD_NOT_PARSE_x509_FROM_DER", 400, "The DER is not an X.509 certificate";
    CouldNotParseProxyCert = "COULD_NOT_PARSE_PROXY_CERT", 400, "The certificate forwarded by the proxy could not be parsed";
    ExpectedPemCertificate = "EXPECTED_PEM_CERTIFICATE", 400, "Expected exactly one PEM certificate";
    InvalidCertPem = "INVALID_CERT_PEM", 400, "The PEM does not contain a valid certificate";
    InvalidClientCert = "INVALID_CLIENT_CERT", 400, "The client certificate is missing or is not the expected one";
    InvalidCommonName = "INVALID_COMMON_NAME", 400, "The common name of the certificate is not the expected one";
    MissingCertClaim = "MISSING_CERT_CLAIM", 400, "The certificate lacks the claim that identifies its holder";
    CertificateFailedValidation = "CERTIFICATE_FAILED_VALIDATION", 400, "The certificate failed validation";
    InvalidPosture = "INVALID_POSTURE", 409, "The device does not pass the posture checks that the service requires; see the cause";
    NoEdgeRoutersAvailable = "NO_EDGE_ROUTERS_AVAILABLE", 400, "No online edge router is available to this identity for this service; check the routers and the edge router policies";
    MfaExists = "MFA_EXISTS", 409, "The identity already has an MFA enrollment";
    MfaNotEnrolled = "MFA_NOT_ENROLLED", 409, "The identity is not enrolled in MFA";
    MfaEnrollmentNotStarted = "MFA_ENROLLMENT_NOT_STARTED", 404, "MFA enrollment has not been started";
    MfaInvalidToken = "MFA_INVALID_TOKEN", 400, "The MFA code is wrong or was already used; wait for the next code";
    InvalidBackingTokenType = "INVALID_BACKING_TOKEN_TYPE", 400, "This operation is not available to this kind of session";
    RateLimited = "RATE_LIMITED", 429, "This operation was requested too soon after the last time; wait before trying again";
    ServerTooManyRequests = "SERVER_TOO_MANY_REQUESTS", 429, "Too many requests or attempts; wait before trying again";
    ClusterNoLeader = "CLUSTER_NO_LEADER", 503, "The cluster currently has no leader; try again later";
    ServerNotRunningInHaMode = "SERVER_NOT_RUNNING_IN_HA_MODE", 400, "The controller is not part of a cluster";
    TransferLeadershipError = "TRANSFER_LEADERSHIP_ERROR", 500, "Leadership could not be transferred";
}

impl Code {
    /// Finds the code of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_found() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(*code));
        }
        assert_eq!(Code::from_name("not_found"), None);
    }

    /// They end up in terminals and consoles, some in the middle of a sentence.
    #[test]
    fn messages_are_short_sentences_without_a_full_stop() {
        for code in Code::ALL {
            let message = code.message();
            assert!((20..=140).contains(&message.len()), "{message}");
            assert!(message.starts_with(char::is_uppercase), "{message}");
            assert!(!message.ends_with('.'), "{message}");
            for word in [" member", "index", " none", "duplicate"] {
                assert!(!message.contains(word), "{message}");
            }
        }
    }

    #[test]
    fn statuses_are_errors_and_permission_is_never_403() {
        for code in Code::ALL {
            assert!((400..600).contains(&code.status()), "{}", code.name());
            assert_ne!(code.status(), 403, "{}", code.name());
        }
    }
}
