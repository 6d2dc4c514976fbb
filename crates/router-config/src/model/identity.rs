//! Certificates and keys, and the request for them.

use crate::model::part::part;

part! {
    /// Where certificates and keys are found.
    Identity {
        /// Certificate as a client.
        cert: value<String> = "cert",
        /// Its key.
        key: value<String> = "key",
        /// Certificate as a server.
        server_cert: value<String> = "server_cert",
        /// Its key.
        server_key: value<String> = "server_key",
        /// Trusted certificates.
        ca: value<String> = "ca",
        /// Further server certificates.
        alt_server_certs: list<Self> = "alt_server_certs",
    }
}

part! {
    /// What is asked for in certificates.
    Csr {
        /// Country.
        country: value<String> = "country",
        /// State or province.
        province: value<String> = "province",
        /// Town.
        locality: value<String> = "locality",
        /// Organization.
        organization: value<String> = "organization",
        /// Part of it.
        organizational_unit: value<String> = "organizationalUnit",
        /// Host names.
        dns: value<Vec<String>> = "sans.dns",
        /// IP addresses.
        ip: value<Vec<String>> = "sans.ip",
        /// URIs.
        uri: value<Vec<String>> = "sans.uri",
        /// Mail addresses.
        email: value<Vec<String>> = "sans.email",
    }
}
