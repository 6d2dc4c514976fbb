//! Server certificates.

use rustls_pki_types::ServerName;
use std::net::IpAddr;
use x509_cert::ext::pkix::{ExtendedKeyUsage, name::GeneralName};

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

    /// The host names and addresses among the alternative names, as text.
    pub fn host_names(&self) -> impl Iterator<Item = String> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::DnsName(host) => Some(host.as_str().to_owned()),
            GeneralName::IpAddress(bytes) => Some(to_address(bytes.as_bytes())?.to_string()),
            _ => None,
        })
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

pub(super) fn to_address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from))
        .ok()
}
