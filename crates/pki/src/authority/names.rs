//! Host names and addresses in server certificates.

use std::net::IpAddr;

use der::asn1::{Ia5String, OctetString};
use rustls_pki_types::DnsName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::spiffe::SpiffeId;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is neither a host name nor an IP address")]
pub struct ServerNamesError {
    pub name: String,
}

/// Subject alternative names of a server certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerNames {
    hosts: Vec<String>,
    addresses: Vec<IpAddr>,
    spiffe: Option<SpiffeId>,
    uris: Vec<String>,
    emails: Vec<String>,
}

impl ServerNames {
    /// Sorts strings into host names and addresses and drops duplicates.
    ///
    /// # Errors
    ///
    /// [`ServerNamesError`] with the first string that is neither.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_pki::ServerNames;
    ///
    /// let names = ServerNames::parse(["ctrl.example.test", "localhost", "127.0.0.1", "::1"]);
    /// assert!(names.is_ok());
    /// assert!(ServerNames::parse(["not a host"]).is_err());
    /// ```
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, ServerNamesError> {
        let mut sorted = Self::default();
        for name in names {
            sorted.add(name)?;
        }
        Ok(sorted)
    }

    /// Adds a host name or address.
    ///
    /// # Errors
    ///
    /// [`ServerNamesError`] if it is neither.
    pub fn add(&mut self, name: &str) -> Result<(), ServerNamesError> {
        if let Ok(address) = name.parse::<IpAddr>() {
            if !self.addresses.contains(&address) {
                self.addresses.push(address);
            }
        } else if DnsName::try_from(name).is_ok() {
            let host = name.to_ascii_lowercase();
            if !self.hosts.contains(&host) {
                self.hosts.push(host);
            }
        } else {
            return Err(ServerNamesError {
                name: name.to_owned(),
            });
        }
        Ok(())
    }

    /// Adds the SPIFFE ID of the server.
    #[must_use]
    pub fn with_spiffe(mut self, id: SpiffeId) -> Self {
        self.spiffe = Some(id);
        self
    }

    /// Adds a URI.
    #[must_use]
    pub fn with_uri(mut self, uri: &str) -> Self {
        self.uris.push(uri.to_owned());
        self
    }

    /// Adds an email address.
    #[must_use]
    pub fn with_email(mut self, address: &str) -> Self {
        self.emails.push(address.to_owned());
        self
    }

    pub(crate) fn to_general_names(&self) -> der::Result<Vec<GeneralName>> {
        let hosts = self
            .hosts
            .iter()
            .map(|host| Ok(GeneralName::DnsName(Ia5String::new(host)?)));
        let addresses = self.addresses.iter().map(|address| {
            let octets = match address {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            };
            Ok(GeneralName::IpAddress(OctetString::new(octets)?))
        });
        let spiffe = self.spiffe.iter().map(SpiffeId::to_general_name);
        let uris = (self.uris.iter())
            .map(|uri| Ok(GeneralName::UniformResourceIdentifier(Ia5String::new(uri)?)));
        let emails = self.emails.iter();
        let emails = emails.map(|address| Ok(GeneralName::Rfc822Name(Ia5String::new(address)?)));
        let others = spiffe.chain(uris).chain(emails);
        hosts.chain(addresses).chain(others).collect()
    }
}
