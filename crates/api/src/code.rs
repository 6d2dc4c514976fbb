//! Error codes.

/// Declares error codes with wire name, default HTTP status and message.
macro_rules! error_codes {
    ($($variant:ident = $name:literal, $status:literal, $message:literal;)*) => {
        /// An error code. Clients compare its name; the message is for people.
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

            /// The default HTTP status. Some responses have another one, such as 415 and 406 with
            /// [`Code::CouldNotValidate`].
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$variant => $status,)*
                }
            }

            /// The human-readable message.
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$variant => $message,)*
                }
            }
        }
    };
}

error_codes! {
    NotFound = "NOT_FOUND", 404, "Nothing was found under this path or id";
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, "This path does not support the HTTP method of the request";
    CouldNotParseBody = "COULD_NOT_PARSE_BODY", 400, "The request body is malformed; check its syntax and the types of its fields";
    CouldNotReadBody = "COULD_NOT_READ_BODY", 400, "The connection broke before the request body was complete; send the request again";
    CouldNotValidate = "COULD_NOT_VALIDATE", 400, "The request is not valid";
    InvalidField = "INVALID_FIELD", 400, "A field of the request has an invalid value";
    InvalidFilter = "INVALID_FILTER", 400, "The filter is not valid";
    InvalidSortIdentifier = "INVALID_SORT_IDENTIFIER", 400, "The list cannot be sorted by this field; use one of those in meta.filterableFields of its answers";
    UnsupportedMedia = "UNSUPPORTED_MEDIA", 415, "The response is not available in a content type that the client accepts; send Accept: application/json";
    RequestEntityTooLarge = "REQUEST_ENTITY_TOO_LARGE", 413, "The request body is too large; split it into several requests";
    Unhandled = "UNHANDLED", 500, "The controller failed to handle the request; its log has the details under this request id";
    Timeout = "TIMEOUT", 503, "The request could not be completed in time; try again";
    Unauthorized = "UNAUTHORIZED", 401, "The session is missing, expired or lacks permission for this request; log in again or ask an administrator for access";
    InvalidAuth = "INVALID_AUTH", 401, "Authentication failed; check the credentials, and that the identity is enabled and may log in this way";
    EntityCanNotBeDeleted = "ENTITY_CAN_NOT_BE_DELETED", 400, "This entity cannot be deleted, because the controller manages it";
    EntityCanNotBeUpdated = "ENTITY_CAN_NOT_BE_UPDATED", 400, "This entity cannot be updated, because the controller manages it";
    CanNotDeleteReferencedEntity = "CAN_NOT_DELETE_REFERENCED_ENTITY", 409, "The entity is still in use and cannot be deleted; remove what refers to it first";
    CanNotUpdateAuthenticator = "CAN_NOT_UPDATE_AUTHENTICATOR", 409, "The authenticator cannot be updated this way; check its method and its owner";
    CanNotUpdateRouter = "CAN_NOT_UPDATE_ROUTER", 409, "The router cannot be updated this way; use the API for its kind of router";
    MaxAuthenticatorMethodsReached = "MAX_AUTHENTICATOR_METHODS_REACHED", 409, "The identity already has an authenticator of this method; update or delete that one";
    EnrollmentExists = "ENROLLMENT_EXISTS", 409, "The identity already has an enrollment of this method; refresh or delete that one";
    EnrollmentExpired = "ENROLLMENT_EXPIRED", 400, "The enrollment has expired; ask an administrator to refresh it";
    EnrollmentCaNotValid = "ENROLLMENT_CA_NOT_VALID", 400, "The CA of this enrollment is not verified or not enabled for enrollment; ask an administrator to verify and enable it";
    EnrollmentNoValidCas = "ENROLLMENT_NO_VALID_CAS", 400, "No CA is verified and enabled for this enrollment; ask an administrator to verify and enable one";
    EnrollmentIdentityAlreadyEnrolled = "ENROLLMENT_IDENTITY_ALREADY_ENROLLED", 409, "The identity is already enrolled; log in, or ask an administrator to reset its authenticator";
    InvalidEnrollmentToken = "INVALID_ENROLLMENT_TOKEN", 400, "The enrollment token is unknown or was already used; ask an administrator for a new one";
    InvalidEnrollMethod = "INVALID_ENROLL_METHOD", 400, "This token is for another enrollment method; use the one named in the token";
    InvalidEnrollmentNotAllowed = "INVALID_ENROLLMENT_NOT_ALLOWED", 409, "Enrolling this way is not enabled; ask an administrator";
    CaAlreadyVerified = "CA_ALREADY_VERIFIED", 409, "The CA is already verified; nothing more is needed";
    CertFailedValidation = "CERT_FAILED_VALIDATION", 400, "The client certificate failed validation; check who issued it and when it expires";
    CertInUse = "CERT_IN_USE", 409, "The certificate is already used by another authenticator; use another certificate";
    CouldNotProcessCsr = "COULD_NOT_PROCESS_CSR", 400, "The certificate signing request (CSR) could not be processed";
    MissingOrInvalidCsr = "MISSING_OR_INVALID_CSR", 400, "The certificate signing request (CSR) is missing or invalid; send a PEM block CERTIFICATE REQUEST";
    CouldNotParsePemBlock = "COULD_NOT_PARSE_PEM_BLOCK", 400, "The value is not a PEM certificate; send exactly one, starting with -----BEGIN CERTIFICATE-----";
    CouldNotParseDerBlock = "COULD_NOT_PARSE_DER_BLOCK", 400, "The PEM block does not contain a valid certificate; send exactly one PEM certificate";
    ExpectedPemCertificate = "EXPECTED_PEM_CERTIFICATE", 400, "The value is not a PEM certificate; send exactly one, starting with -----BEGIN CERTIFICATE-----";
    InvalidCertPem = "INVALID_CERT_PEM", 400, "The value is not one valid PEM certificate; send exactly one, starting with -----BEGIN CERTIFICATE-----";
    InvalidClientCert = "INVALID_CLIENT_CERT", 400, "The client certificate is missing or is not the expected one; present the certificate that was just issued";
    InvalidCommonName = "INVALID_COMMON_NAME", 400, "The common name of the certificate is not the expected one; it must be the verification token of the CA";
    MissingCertClaim = "MISSING_CERT_CLAIM", 400, "The certificate lacks the value that its CA's externalIdClaim selects; add it to the certificate or correct the claim";
    CertificateFailedValidation = "CERTIFICATE_FAILED_VALIDATION", 400, "The certificate was not issued by this CA, has expired, or is not valid yet";
    InvalidPosture = "INVALID_POSTURE", 409, "The device does not pass the posture checks that the service requires";
    NoEdgeRoutersAvailable = "NO_EDGE_ROUTERS_AVAILABLE", 400, "No online edge router is available to this identity for this service; check the routers and the edge router policies";
    MfaExists = "MFA_EXISTS", 409, "The identity already has an MFA enrollment; remove it before starting another one";
    MfaNotEnrolled = "MFA_NOT_ENROLLED", 409, "The identity is not enrolled in MFA; enroll it with POST current-identity/mfa first";
    MfaInvalidToken = "MFA_INVALID_TOKEN", 400, "The MFA code is wrong, expired or already used; enter a new one";
    InvalidBackingTokenType = "INVALID_BACKING_TOKEN_TYPE", 400, "This operation is not available to this kind of session; log in through OIDC";
    RateLimited = "RATE_LIMITED", 429, "This operation was requested too soon after the last time; wait before trying again";
    ServerTooManyRequests = "SERVER_TOO_MANY_REQUESTS", 429, "Too many requests or attempts; wait before trying again";
    ServerNotRunningInHaMode = "SERVER_NOT_RUNNING_IN_HA_MODE", 400, "The controller is not part of a cluster";

    // Sent by OpenZiti's controller only. Clients know them, and the published descriptions name them.
    InvalidPagination = "INVALID_PAGINATION", 400, "The limit or offset is invalid; both must be whole numbers";
    InvalidUuid = "INVALID_UUID", 400, "The value is not a UUID; write it like 123e4567-e89b-12d3-a456-426614174000";
    InvalidContentType = "INVALID_CONTENT_TYPE", 400, "The content type of the request body is not supported here; send application/json";
    InvalidAuthMethod = "INVALID_AUTH_METHOD", 400, "Unknown authentication method; use password, cert or ext-jwt";
    ReferencedEntityNotFound = "REFERENCED_ENTITY_NOT_FOUND", 400, "The request refers to an entity that does not exist; create it first or correct the id";
    InvalidAuthenticatorProperties = "INVALID_AUTHENTICATOR_PROPERTIES", 400, "These fields do not belong to this authentication method; send only the fields of updb or of cert";
    InvalidEnrollmentAlreadyEnrolled = "INVALID_ENROLLMENT_ALREADY_ENROLLED", 410, "The enrollment was already completed; ask an administrator for a new one if you no longer have the result";
    FailedErReenrollment = "FAILED_ER_REENROLLMENT", 500, "The edge router could not be prepared for re-enrollment; try again";
    CouldNotParseX509FromDer = "COULD_NOT_PARSE_x509_FROM_DER", 400, "The PEM block does not contain an X.509 certificate; send exactly one PEM certificate";
    CouldNotParseProxyCert = "COULD_NOT_PARSE_PROXY_CERT", 400, "The certificate forwarded by the proxy could not be parsed; check the proxy's settings";
    MfaEnrollmentNotStarted = "MFA_ENROLLMENT_NOT_STARTED", 404, "MFA enrollment has not been started; start it with POST current-identity/mfa";
    ClusterNoLeader = "CLUSTER_NO_LEADER", 503, "The cluster currently has no leader; try again later";
    TransferLeadershipError = "TRANSFER_LEADERSHIP_ERROR", 500, "Leadership could not be transferred; check that the target controller has a vote, then try again";
}

impl Code {
    /// Finds a code by its wire name.
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
