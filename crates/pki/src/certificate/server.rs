//! Server certificates.

use rustls_pki_types::ServerName;
use x509_cert::ext::pkix::ExtendedKeyUsage;

use super::Certificate;

impl Certificate {
    /// Whether TLS clients that connect to `host`, a name or an address, accept the certificate for
    /// that host (RFC 9525). The common name does not count.
    pub fn covers_host(&self, host: &str) -> bool {
        let Ok(host) = ServerName::try_from(host) else {
            return false;
        };
        let Ok(leaf) = webpki::EndEntityCert::try_from(&self.der) else {
            return false;
        };
        leaf.verify_is_valid_for_subject_name(&host).is_ok()
    }

    /// Whether the extended key usage includes server authentication.
    pub fn has_server_auth_usage(&self) -> bool {
        let usages = self
            .parsed
            .tbs_certificate()
            .get_extension::<ExtendedKeyUsage>();
        let Ok(Some((_, usages))) = usages else {
            return false;
        };
        usages
            .0
            .contains(&const_oid::db::rfc5280::ID_KP_SERVER_AUTH)
    }
}
