//! Contents of each type of certificate.

use const_oid::{
    AssociatedOid,
    db::rfc5280::{ID_KP_CLIENT_AUTH, ID_KP_SERVER_AUTH},
};
use der::{Encode, asn1::OctetString, referenced::OwnedToRef as _};
use spki::{SubjectPublicKeyInfoOwned, SubjectPublicKeyInfoRef};
use x509_cert::{
    TbsCertificate,
    builder::{self, profile::BuilderProfile},
    ext::{
        Extension,
        pkix::{
            AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
            SubjectAltName, SubjectKeyIdentifier, name::GeneralName,
        },
    },
    name::Name,
};

use crate::certificate::Certificate;

/// Types of certificates that an authority issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertificateType {
    /// A CA certificate, with the number of further CAs allowed below it.
    Authority {
        path_length: Option<u8>,
    },
    Server,
    /// The controller as a client of other controllers.
    Client,
    /// An identity or one of its sessions, or a router as a client.
    Identity,
    /// A router as a server.
    RouterServer,
}

/// Names and extensions of a certificate that is about to be built.
///
/// The builder's own profiles follow the rules of the public web PKI, which forbid much of what
/// this network needs, so everything is spelled out here.
pub(super) struct Profile {
    issuer: Name,
    subject: Name,
    extensions: Vec<Extension>,
}

impl Profile {
    /// `issuer` is `None` for a root, which names itself.
    pub(super) fn new(
        kind: CertificateType,
        subject: Name,
        key: &SubjectPublicKeyInfoOwned,
        names: Vec<GeneralName>,
        issuer: Option<&Certificate>,
    ) -> der::Result<Self> {
        let mut extensions = vec![key_usage(kind)?];
        extensions.extend(extended_key_usage(kind)?);
        if let CertificateType::Authority { path_length } = kind {
            let constraints = BasicConstraints {
                ca: true,
                path_len_constraint: path_length,
            };
            extensions.push(extension(true, &constraints)?);
            extensions.push(extension(
                false,
                &SubjectKeyIdentifier::try_from(key.owned_to_ref())?,
            )?);
        }
        if let Some(key_identifier) = issuer.and_then(subject_key_identifier) {
            let identifier = AuthorityKeyIdentifier {
                key_identifier: Some(key_identifier),
                ..Default::default()
            };
            extensions.push(extension(false, &identifier)?);
        }
        if !names.is_empty() {
            // RFC 5280 section 4.2.1.6: critical if the subject is empty.
            extensions.push(extension(subject.is_empty(), &SubjectAltName(names))?);
        }
        let issuer = issuer.map_or(&subject, |issuer| {
            issuer.parsed().tbs_certificate().subject()
        });
        Ok(Self {
            issuer: issuer.clone(),
            subject,
            extensions,
        })
    }
}

fn key_usage(kind: CertificateType) -> der::Result<Extension> {
    let usages = match kind {
        CertificateType::Authority { .. } => KeyUsages::KeyCertSign | KeyUsages::CRLSign,
        CertificateType::Server | CertificateType::Client => {
            KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment
        },
        CertificateType::Identity | CertificateType::RouterServer => {
            KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment | KeyUsages::DataEncipherment
        },
    };
    extension(true, &KeyUsage(usages))
}

fn extended_key_usage(kind: CertificateType) -> der::Result<Option<Extension>> {
    let purpose = match kind {
        CertificateType::Authority { .. } => return Ok(None),
        CertificateType::Server | CertificateType::RouterServer => ID_KP_SERVER_AUTH,
        CertificateType::Client | CertificateType::Identity => ID_KP_CLIENT_AUTH,
    };
    extension(false, &ExtendedKeyUsage(vec![purpose])).map(Some)
}

fn extension<T: Encode + AssociatedOid>(critical: bool, value: &T) -> der::Result<Extension> {
    let extn_value = OctetString::new(value.to_der()?)?;
    Ok(Extension {
        extn_id: T::OID,
        critical,
        extn_value,
    })
}

/// The subject key identifier of an issuer, if it has one. Without it, verifiers go by the name
/// alone.
fn subject_key_identifier(issuer: &Certificate) -> Option<OctetString> {
    let found = issuer
        .parsed()
        .tbs_certificate()
        .get_extension::<SubjectKeyIdentifier>();
    found.ok().flatten().map(|(_, identifier)| identifier.0)
}

impl BuilderProfile for Profile {
    fn get_issuer(&self, _subject: &Name) -> Name {
        self.issuer.clone()
    }

    fn get_subject(&self) -> Name {
        self.subject.clone()
    }

    fn build_extensions(
        &self,
        _key: SubjectPublicKeyInfoRef<'_>,
        _issuer_key: SubjectPublicKeyInfoRef<'_>,
        _certificate: &TbsCertificate,
    ) -> builder::Result<Vec<Extension>> {
        Ok(self.extensions.clone())
    }
}
