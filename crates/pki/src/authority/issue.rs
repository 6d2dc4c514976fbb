//! Issuing.

use std::time::Duration;

use der::{Encode as _, asn1::GeneralizedTime};
use jiff::{SignedDuration, Timestamp};
use portcullis_domain::{
    entropy::{Entropy, EntropyError},
    ids::IdentityId,
};
use x509_cert::{
    builder::{Builder as _, CertificateBuilder},
    ext::pkix::name::GeneralName,
    serial_number::SerialNumber,
    time::{Time, Validity},
};

use super::{
    Authority, AuthorityError, ServerNames,
    profile::{Kind, Profile},
    serial,
};
use crate::{
    certificate::{Certificate, CertificateError},
    csr::Csr,
    key::{CryptoError, IssuerKey, KeyType, PublicKey, SigningKey},
    spiffe::{SpiffeError, SpiffeId, SpiffePath, TrustDomain},
    subject::Subject,
};

const DAY: SignedDuration = SignedDuration::from_hours(24);
pub(super) const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);
const DECADE: SignedDuration = SignedDuration::from_hours(3650 * 24);
/// How far certificates are backdated, for clients whose clocks are behind.
const BACKDATED: SignedDuration = SignedDuration::from_mins(1);

/// A certificate could not be issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// There is no randomness for a serial number.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The library could not sign.
    #[error(transparent)]
    Crypto(#[from] CryptoError),
    /// An id or trust domain cannot stand in a SPIFFE name.
    #[error("the certificate cannot be given its SPIFFE name")]
    Spiffe(#[from] SpiffeError),
    /// The present instant lies outside of what certificates can express.
    #[error("the validity of the certificate cannot be expressed")]
    Validity,
    /// The certificate could not be encoded.
    #[error("the certificate cannot be encoded")]
    Encoding(#[from] der::Error),
    /// The certificate builder failed.
    #[error("the certificate cannot be built")]
    Builder(#[from] x509_cert::builder::Error),
    /// The new certificate could not be read back.
    #[error("the new certificate cannot be read back")]
    Certificate(#[from] CertificateError),
    /// The new certificate and its key do not make an authority.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

/// What is to be issued, apart from what the issuer decides.
pub(super) struct Order<'a> {
    pub(super) kind: Kind,
    pub(super) subject: &'a Subject,
    pub(super) key: &'a PublicKey,
    pub(super) names: Vec<GeneralName>,
    pub(super) lifetime: SignedDuration,
}

impl Authority {
    /// Makes a self-signed root that is valid for ten years and named
    /// `spiffe://<trust domain>`.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn make_root(
        key: SigningKey,
        subject: &Subject,
        domain: &TrustDomain,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Self, IssueError> {
        let name = SpiffeId::new(domain.clone(), SpiffePath::Domain)?;
        let order = Order {
            kind: Kind::Authority { path_length: None },
            subject,
            key: key.public_key(),
            names: vec![name.to_general_name()?],
            lifetime: DECADE,
        };
        let certificate = build(&order, None, &key, now, entropy)?;
        Ok(Self::new(vec![certificate], key)?)
    }

    /// Makes an authority below this one that is valid for ten years and issues leaves only.
    ///
    /// Its chain goes up to this authority's own.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn make_intermediate(
        &self,
        key: SigningKey,
        subject: &Subject,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Self, IssueError> {
        let order = Order {
            kind: Kind::Authority {
                path_length: Some(0),
            },
            subject,
            key: key.public_key(),
            names: vec![],
            lifetime: DECADE,
        };
        let certificate = self.issue(&order, now, entropy)?;
        let chain = std::iter::once(certificate)
            .chain(self.chain().cloned())
            .collect();
        Ok(Self::new(chain, key)?)
    }

    /// Issues a server certificate that is valid for one year.
    ///
    /// Enrollment tokens are signed with the key of this certificate, so a renewal brings the key
    /// of the old one; with a new key all tokens that are out would fail to verify.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_server_leaf(
        &self,
        key: &PublicKey,
        subject: &Subject,
        names: &ServerNames,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let names = names.to_general_names()?;
        let order = Order {
            kind: Kind::Server,
            subject,
            key,
            names,
            lifetime: YEAR,
        };
        self.issue(&order, now, entropy)
    }

    /// Issues the certificate by which the controller shows itself as a client, valid for one year.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_client_leaf(
        &self,
        key: &PublicKey,
        subject: &Subject,
        id: &SpiffeId,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let names = vec![id.to_general_name()?];
        let order = Order {
            kind: Kind::Client,
            subject,
            key,
            names,
            lifetime: YEAR,
        };
        self.issue(&order, now, entropy)
    }

    /// Issues the certificate of an identity, valid from one minute ago for one year from now.
    ///
    /// Its only alternative name is `spiffe://<trust domain>/identity/<id>`, whatever was asked
    /// for. Known attributes of the requested subject stay.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_identity(
        &self,
        csr: &Csr,
        domain: &TrustDomain,
        id: &IdentityId,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let name = SpiffeId::new(domain.clone(), SpiffePath::Identity(id.clone()))?;
        self.issue(&identity(csr, vec![name.to_general_name()?]), now, entropy)
    }

    /// Issues the successor of an identity's certificate: the alternative names of `current`, the
    /// rest as in [`issue_identity`](Self::issue_identity).
    ///
    /// The caller has verified that `current` is this network's own.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn renew_identity(
        &self,
        csr: &Csr,
        current: &Certificate,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        self.issue(&identity(csr, current.names().to_vec()), now, entropy)
    }

    /// Issues a certificate for one API session of an identity, valid for twelve hours, of which
    /// the first minute is over.
    ///
    /// The subject is the identity's id, whatever was asked for. `path` is
    /// [`SpiffePath::ApiSessionCertificate`].
    ///
    /// # Errors
    ///
    /// [`IssueError`]; a `path` of another kind is [`SpiffeError::Path`].
    pub fn issue_session_certificate(
        &self,
        csr: &Csr,
        domain: &TrustDomain,
        path: SpiffePath,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let SpiffePath::ApiSessionCertificate { identity, .. } = &path else {
            return Err(SpiffeError::Path.into());
        };
        let subject = Subject::new().common_name(identity.as_str());
        let name = SpiffeId::new(domain.clone(), path)?;
        let order = Order {
            kind: Kind::Identity,
            subject: &subject,
            key: csr.public_key(),
            names: vec![name.to_general_name()?],
            lifetime: DAY / 2 - BACKDATED,
        };
        self.issue(&order, now, entropy)
    }

    /// Issues a certificate that proves that the key of this authority is held: its common name is
    /// `token`, it is valid for an hour, and nobody has its key.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_proof(
        &self,
        token: &str,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let key = SigningKey::generate(KeyType::P256)?;
        let order = Order {
            kind: Kind::Client,
            subject: &Subject::new().common_name(token),
            key: key.public_key(),
            names: vec![],
            lifetime: DAY / 24,
        };
        self.issue(&order, now, entropy)
    }

    pub(super) fn issue(
        &self,
        order: &Order<'_>,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        build(order, Some(&self.certificate), &self.key, now, entropy)
    }
}

fn identity(csr: &Csr, names: Vec<GeneralName>) -> Order<'_> {
    Order {
        kind: Kind::Identity,
        subject: csr.subject(),
        key: csr.public_key(),
        names,
        lifetime: YEAR,
    }
}

/// Builds and signs; without an `issuer` the certificate names itself.
fn build(
    order: &Order<'_>,
    issuer: Option<&Certificate>,
    key: &SigningKey,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<Certificate, IssueError> {
    let spki = order.key.spki();
    let subject = order.subject.to_name()?;
    let profile = Profile::new(order.kind, subject, spki, order.names.clone(), issuer)?;
    let serial = SerialNumber::new(&serial::draw(entropy)?)?;
    let validity = validity(now, order.lifetime)?;
    let builder = CertificateBuilder::new(profile, serial, validity, spki.clone())?;
    let certificate = builder.build(&IssuerKey(key))?;
    Ok(Certificate::from_der(certificate.to_der()?)?)
}

fn validity(now: Timestamp, lifetime: SignedDuration) -> Result<Validity, IssueError> {
    let not_before = now.checked_sub(BACKDATED).or(Err(IssueError::Validity))?;
    let not_after = now.checked_add(lifetime).or(Err(IssueError::Validity))?;
    Ok(Validity::new(time(not_before)?, time(not_after)?))
}

/// The builder turns instants before 2050 into the older form of time, as RFC 5280 wants.
fn time(instant: Timestamp) -> Result<Time, IssueError> {
    let seconds = u64::try_from(instant.as_second()).or(Err(IssueError::Validity))?;
    let time = GeneralizedTime::from_unix_duration(Duration::from_secs(seconds));
    time.map(Time::GeneralTime).or(Err(IssueError::Validity))
}
