//! The discovery document (OpenID Connect Discovery section 3, RFC 8414).
//!
//! It names what works, and nothing else: OpenZiti's document lists flows that its server refuses.

use crate::algorithm::SigningAlgorithm;
use crate::issuer::Issuer;
use crate::scope::Scope;
use crate::token_request::TOKEN_EXCHANGE;
use serde::Serialize;

/// Path of the document below the issuer.
pub const PATH: &str = "/.well-known/openid-configuration";

/// Paths of endpoints below the issuer.
pub mod endpoint {
    pub const AUTHORIZATION: &str = "/authorize";
    /// Where a complete login is sent for its code.
    pub const CALLBACK: &str = "/authorize/callback";
    pub const TOKEN: &str = "/oauth/token";
    pub const INTROSPECTION: &str = "/oauth/introspect";
    pub const USER_INFO: &str = "/userinfo";
    pub const REVOCATION: &str = "/revoke";
    pub const END_SESSION: &str = "/end_session";
    pub const KEYS: &str = "/keys";
    pub const PASSWORD: &str = "/login/password";
    pub const CERTIFICATE: &str = "/login/cert";
    pub const EXTERNAL_JWT: &str = "/login/ext-jwt";
    pub const TOTP: &str = "/login/totp";
    pub const TOTP_ENROLLMENT: &str = "/login/totp/enroll";
    pub const TOTP_VERIFICATION: &str = "/login/totp/enroll/verify";
    pub const AUTH_QUERIES: &str = "/login/auth-queries";
}

/// The document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Discovery {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub introspection_endpoint: String,
    pub userinfo_endpoint: String,
    pub revocation_endpoint: String,
    pub end_session_endpoint: String,
    pub jwks_uri: String,
    pub scopes_supported: [&'static str; 3],
    pub response_types_supported: [&'static str; 1],
    pub response_modes_supported: [&'static str; 1],
    pub grant_types_supported: [&'static str; 3],
    pub subject_types_supported: [&'static str; 1],
    pub id_token_signing_alg_values_supported: Vec<SigningAlgorithm>,
    pub token_endpoint_auth_methods_supported: [&'static str; 1],
    pub revocation_endpoint_auth_methods_supported: [&'static str; 1],
    pub introspection_endpoint_auth_methods_supported: [&'static str; 1],
    pub claims_supported: [&'static str; 14],
    pub code_challenge_methods_supported: [&'static str; 1],
    pub ui_locales_supported: [&'static str; 1],
    pub request_parameter_supported: bool,
    pub request_uri_parameter_supported: bool,
    pub openziti_endpoints: OpenZitiEndpoints,
}

/// Endpoints of logins, for clients without a browser; an extension of OpenZiti.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenZitiEndpoints {
    pub password: String,
    pub cert: String,
    pub ext_jwt: String,
    pub totp: String,
    pub totp_enroll: String,
    pub totp_enroll_verify: String,
    pub auth_queries: String,
}

/// Public clients.
const NO_AUTHENTICATION: [&str; 1] = ["none"];

impl Discovery {
    /// The document at this issuer, whose ID tokens are signed with one of `algorithms`.
    pub fn new(issuer: &Issuer, algorithms: Vec<SigningAlgorithm>) -> Self {
        let at = |path| issuer.endpoint(path);
        Self {
            issuer: issuer.to_string(),
            authorization_endpoint: at(endpoint::AUTHORIZATION),
            token_endpoint: at(endpoint::TOKEN),
            introspection_endpoint: at(endpoint::INTROSPECTION),
            userinfo_endpoint: at(endpoint::USER_INFO),
            revocation_endpoint: at(endpoint::REVOCATION),
            end_session_endpoint: at(endpoint::END_SESSION),
            jwks_uri: at(endpoint::KEYS),
            scopes_supported: Scope::ALL.map(Scope::name),
            response_types_supported: ["code"],
            response_modes_supported: ["query"],
            grant_types_supported: ["authorization_code", "refresh_token", TOKEN_EXCHANGE],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: algorithms,
            token_endpoint_auth_methods_supported: NO_AUTHENTICATION,
            revocation_endpoint_auth_methods_supported: NO_AUTHENTICATION,
            introspection_endpoint_auth_methods_supported: NO_AUTHENTICATION,
            claims_supported: [
                "iss",
                "sub",
                "aud",
                "exp",
                "iat",
                "auth_time",
                "nonce",
                "amr",
                "azp",
                "at_hash",
                "c_hash",
                "name",
                "z_eid",
                "z_ia",
            ],
            code_challenge_methods_supported: ["S256"],
            ui_locales_supported: ["en"],
            request_parameter_supported: false,
            request_uri_parameter_supported: false,
            openziti_endpoints: OpenZitiEndpoints {
                password: at(endpoint::PASSWORD),
                cert: at(endpoint::CERTIFICATE),
                ext_jwt: at(endpoint::EXTERNAL_JWT),
                totp: at(endpoint::TOTP),
                totp_enroll: at(endpoint::TOTP_ENROLLMENT),
                totp_enroll_verify: at(endpoint::TOTP_VERIFICATION),
                auth_queries: at(endpoint::AUTH_QUERIES),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issuer::Issuers;
    use serde_json::json;

    #[test]
    fn document_names_what_works() {
        let issuers = Issuers::new(["ctrl.test"], &[1280]);
        let issuer = issuers.of_host("ctrl.test:1280").unwrap();
        let document = Discovery::new(issuer, vec![SigningAlgorithm::Es256]);
        let document = serde_json::to_value(document).unwrap();
        let base = "https://ctrl.test:1280/oidc";
        assert_eq!(document["issuer"], base);
        for (member, value) in [
            ("authorization_endpoint", json!(format!("{base}/authorize"))),
            ("token_endpoint", json!(format!("{base}/oauth/token"))),
            ("jwks_uri", json!(format!("{base}/keys"))),
            (
                "scopes_supported",
                json!(["openid", "profile", "offline_access"]),
            ),
            ("response_types_supported", json!(["code"])),
            ("id_token_signing_alg_values_supported", json!(["ES256"])),
            ("token_endpoint_auth_methods_supported", json!(["none"])),
            ("code_challenge_methods_supported", json!(["S256"])),
            (
                "openziti_endpoints",
                json!({
                    "password": format!("{base}/login/password"),
                    "cert": format!("{base}/login/cert"),
                    "ext_jwt": format!("{base}/login/ext-jwt"),
                    "totp": format!("{base}/login/totp"),
                    "totp_enroll": format!("{base}/login/totp/enroll"),
                    "totp_enroll_verify": format!("{base}/login/totp/enroll/verify"),
                    "auth_queries": format!("{base}/login/auth-queries"),
                }),
            ),
        ] {
            assert_eq!(document[member], value, "{member}");
        }
        let text = document.to_string();
        for absent in [
            "implicit",
            "device",
            "client_credentials",
            "client_secret",
            "plain",
        ] {
            assert!(!text.contains(absent), "{absent}");
        }
    }
}
