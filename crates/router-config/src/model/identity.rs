//! Sections `identity` and `csr`.

use crate::model::section::config_section;

config_section! {
    /// Section `identity`: sources of certificates and keys.
    Identity {
        /// Client certificate.
        cert: value<String> = "cert",
        /// Key of `cert`.
        key: value<String> = "key",
        /// Server certificate.
        server_cert: value<String> = "server_cert",
        /// Key of `server_cert`.
        server_key: value<String> = "server_key",
        /// Trusted certificates.
        ca: value<String> = "ca",
        /// Further server certificates.
        alt_server_certs: list<Self> = "alt_server_certs",
    }
}

config_section! {
    /// Section `csr`: contents of certificate requests.
    Csr {
        country: value<String> = "country",
        /// State or province.
        province: value<String> = "province",
        locality: value<String> = "locality",
        organization: value<String> = "organization",
        organizational_unit: value<String> = "organizationalUnit",
        /// Host names.
        dns: value<Vec<String>> = "sans.dns",
        ip: value<Vec<String>> = "sans.ip",
        uri: value<Vec<String>> = "sans.uri",
        email: value<Vec<String>> = "sans.email",
    }
}
