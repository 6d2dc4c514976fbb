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
    NotFound = "NOT_FOUND", 404, "The resource does not exist or is gone";
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, "The resource does not take this method";
    CouldNotParseBody = "COULD_NOT_PARSE_BODY", 400, "The request body cannot be parsed";
    CouldNotReadBody = "COULD_NOT_READ_BODY", 500, "The request body could not be read to its end";
    CouldNotValidate = "COULD_NOT_VALIDATE", 400, "The request is not valid; the cause says what is wrong";
    InvalidField = "INVALID_FIELD", 400, "A member of the request has a value that is not allowed";
    InvalidFilter = "INVALID_FILTER", 400, "The filter cannot be understood";
    InvalidSortIdentifier = "INVALID_SORT_IDENTIFIER", 400, "The list cannot be sorted by this member";
    InvalidPagination = "INVALID_PAGINATION", 400, "The limit or offset is not valid";
    InvalidUuid = "INVALID_UUID", 400, "The text is no UUID";
    InvalidContentType = "INVALID_CONTENT_TYPE", 400, "The request body has a content type that is not taken here";
    UnsupportedMedia = "UNSUPPORTED_MEDIA", 415, "No answer can be given in a content type that the client accepts";
    RequestEntityTooLarge = "REQUEST_ENTITY_TOO_LARGE", 413, "The request body is too large";
    Unhandled = "UNHANDLED", 500, "The controller could not handle the request";
    Timeout = "TIMEOUT", 503, "The request took too long";
    Unauthorized = "UNAUTHORIZED", 401, "The session is missing, not valid or not entitled to this request";
    InvalidAuth = "INVALID_AUTH", 401, "The authentication failed";
    InvalidAuthMethod = "INVALID_AUTH_METHOD", 400, "There is no such authentication method";
    EntityCanNotBeDeleted = "ENTITY_CAN_NOT_BE_DELETED", 400, "This entity cannot be deleted";
    EntityCanNotBeUpdated = "ENTITY_CAN_NOT_BE_UPDATED", 400, "This entity cannot be updated";
    CanNotDeleteReferencedEntity = "CAN_NOT_DELETE_REFERENCED_ENTITY", 409, "The entity is in use and cannot be deleted";
    ReferencedEntityNotFound = "REFERENCED_ENTITY_NOT_FOUND", 400, "An entity named in the request does not exist";
    CanNotUpdateAuthenticator = "CAN_NOT_UPDATE_AUTHENTICATOR", 409, "The authenticator cannot be updated in this way";
    CanNotUpdateRouter = "CAN_NOT_UPDATE_ROUTER", 409, "The router cannot be updated in this way";
    InvalidAuthenticatorProperties = "INVALID_AUTHENTICATOR_PROPERTIES", 400, "The members given do not fit the method of the authenticator";
    MaxAuthenticatorMethodsReached = "MAX_AUTHENTICATOR_METHODS_REACHED", 409, "The identity has an authenticator of this method already";
    EnrollmentExists = "ENROLLMENT_EXISTS", 409, "The identity has an enrollment of this method already";
    EnrollmentExpired = "ENROLLMENT_EXPIRED", 400, "The enrollment has expired";
    EnrollmentCaNotValid = "ENROLLMENT_CA_NOT_VALID", 400, "The certificate authority of the enrollment is not valid for it";
    EnrollmentNoValidCas = "ENROLLMENT_NO_VALID_CAS", 400, "No certificate authority is enabled for this enrollment";
    EnrollmentIdentityAlreadyEnrolled = "ENROLLMENT_IDENTITY_ALREADY_ENROLLED", 409, "The identity is enrolled already";
    InvalidEnrollmentToken = "INVALID_ENROLLMENT_TOKEN", 400, "The enrollment token is not valid";
    InvalidEnrollMethod = "INVALID_ENROLL_METHOD", 400, "The enrollment is not completed by this method";
    InvalidEnrollmentNotAllowed = "INVALID_ENROLLMENT_NOT_ALLOWED", 409, "This enrollment is not allowed";
    InvalidEnrollmentAlreadyEnrolled = "INVALID_ENROLLMENT_ALREADY_ENROLLED", 410, "The enrollment has been completed already";
    FailedErReenrollment = "FAILED_ER_REENROLLMENT", 500, "The edge router could not be prepared for another enrollment";
    CaAlreadyVerified = "CA_ALREADY_VERIFIED", 409, "The certificate authority is verified already";
    CertFailedValidation = "CERT_FAILED_VALIDATION", 400, "The certificate presented could not be validated";
    CertInUse = "CERT_IN_USE", 409, "The certificate belongs to another authenticator";
    CouldNotProcessCsr = "COULD_NOT_PROCESS_CSR", 400, "The certificate request cannot be processed";
    MissingOrInvalidCsr = "MISSING_OR_INVALID_CSR", 400, "A certificate request is missing or not valid";
    CouldNotParsePemBlock = "COULD_NOT_PARSE_PEM_BLOCK", 400, "The PEM text cannot be parsed";
    CouldNotParseDerBlock = "COULD_NOT_PARSE_DER_BLOCK", 400, "The DER content of the PEM text cannot be parsed";
    CouldNotParseX509FromDer = "COULD_NOT_PARSE_x509_FROM_DER", 400, "The DER content is no X.509 certificate";
    CouldNotParseProxyCert = "COULD_NOT_PARSE_PROXY_CERT", 400, "The certificate passed on by a proxy cannot be parsed";
    ExpectedPemCertificate = "EXPECTED_PEM_CERTIFICATE", 400, "The PEM text holds no certificate";
    InvalidCertPem = "INVALID_CERT_PEM", 400, "The PEM text holds no valid certificate";
    InvalidClientCert = "INVALID_CLIENT_CERT", 400, "The client certificate is missing or not the one expected";
    InvalidCommonName = "INVALID_COMMON_NAME", 400, "The common name of the certificate is not the one expected";
    MissingCertClaim = "MISSING_CERT_CLAIM", 400, "The certificate lacks the claim that is to identify its holder";
    CertificateFailedValidation = "CERTIFICATE_FAILED_VALIDATION", 400, "The certificate given could not be validated";
    InvalidPosture = "INVALID_POSTURE", 409, "The posture of the client does not meet the policies of the service";
    NoEdgeRoutersAvailable = "NO_EDGE_ROUTERS_AVAILABLE", 400, "No edge router is available for the service";
    MfaExists = "MFA_EXISTS", 409, "An MFA enrollment exists already";
    MfaNotEnrolled = "MFA_NOT_ENROLLED", 409, "The identity is not enrolled in MFA";
    MfaEnrollmentNotStarted = "MFA_ENROLLMENT_NOT_STARTED", 404, "No MFA enrollment has been started";
    MfaInvalidToken = "MFA_INVALID_TOKEN", 400, "The MFA code is not valid";
    InvalidBackingTokenType = "INVALID_BACKING_TOKEN_TYPE", 400, "The session is not of the kind that this request needs";
    RateLimited = "RATE_LIMITED", 429, "The operation was requested too soon after the last time";
    ServerTooManyRequests = "SERVER_TOO_MANY_REQUESTS", 429, "Too many requests at the moment; try again later";
    ClusterNoLeader = "CLUSTER_NO_LEADER", 503, "The cluster has no leader at the moment";
    ServerNotRunningInHaMode = "SERVER_NOT_RUNNING_IN_HA_MODE", 400, "The controller is not part of a cluster";
    TransferLeadershipError = "TRANSFER_LEADERSHIP_ERROR", 500, "The leadership could not be transferred";
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

    #[test]
    fn statuses_are_errors_and_permission_is_never_403() {
        for code in Code::ALL {
            assert!((400..600).contains(&code.status()), "{}", code.name());
            assert_ne!(code.status(), 403, "{}", code.name());
        }
    }
}
