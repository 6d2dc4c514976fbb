//! Issuing certificates.

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
    profile::{CertificateType, Profile},
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
/// How far certificates are backdated, for clients whose clocks run behind.
const BACKDATE: SignedDuration = SignedDuration::from_mins(1);

/// A certificate could not be issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// No randomness is available for a serial number.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The cryptographic library could not sign.
    #[error(transparent)]
    Crypto(#[from] CryptoError),
    /// An id or trust domain cannot be part of a SPIFFE ID.
    #[error("the certificate cannot be given its SPIFFE name")]
    Spiffe(#[from] SpiffeError),
    /// The current time is outside the range that certificates can express.
    #[error("the validity of the certificate cannot be expressed")]
    Validity,
    #[error("the certificate cannot be encoded")]
    Encoding(#[from] der::Error),
    #[error("the certificate cannot be built")]
    Builder(#[from] x509_cert::builder::Error),
    /// The new certificate could not be parsed.
    #[error("the new certificate cannot be read back")]
    Certificate(#[from] CertificateError),
    /// The new certificate and its key do not form an authority.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

/// Contents of a certificate to be issued, apart from what the issuer decides.
pub(super) struct CertificateParams<'a> {
    pub(super) kind: CertificateType,
    pub(super) subject: &'a Subject,
    pub(super) key: &'a PublicKey,
    pub(super) names: Vec<GeneralName>,
    pub(super) lifetime: SignedDuration,
}

impl Authority {
    /// Creates a self-signed root that is valid for ten years and named
    /// `spiffe://<trust domain>`.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn create_root(
        key: SigningKey,
        subject: &Subject,
        domain: &TrustDomain,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Self, IssueError> {
        let name = SpiffeId::new(domain.clone(), SpiffePath::Domain)?;
        let params = CertificateParams {
            kind: CertificateType::Authority { path_length: None },
            subject,
            key: key.public_key(),
            names: vec![name.to_general_name()?],
            lifetime: DECADE,
        };
        let certificate = build(&params, None, &key, now, entropy)?;
        Ok(Self::new(vec![certificate], key)?)
    }

    /// Creates an authority below this one that is valid for ten years and can issue leaves only.
    ///
    /// Its chain ends with this authority's own chain.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn create_intermediate(
        &self,
        key: SigningKey,
        subject: &Subject,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Self, IssueError> {
        let params = CertificateParams {
            kind: CertificateType::Authority {
                path_length: Some(0),
            },
            subject,
            key: key.public_key(),
            names: vec![],
            lifetime: DECADE,
        };
        let certificate = self.issue(&params, now, entropy)?;
        let chain = std::iter::once(certificate)
            .chain(self.chain().cloned())
            .collect();
        Ok(Self::new(chain, key)?)
    }

    /// Issues a server certificate that is valid for one year.
    ///
    /// Enrollment tokens are signed with the key of this certificate, so a renewal keeps the key;
    /// with a new key, all outstanding tokens would fail to verify.
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
        let params = CertificateParams {
            kind: CertificateType::Server,
            subject,
            key,
            names,
            lifetime: YEAR,
        };
        self.issue(&params, now, entropy)
    }

    /// Issues the certificate that the controller presents as a client, valid for one year.
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
        let params = CertificateParams {
            kind: CertificateType::Client,
            subject,
            key,
            names,
            lifetime: YEAR,
        };
        self.issue(&params, now, entropy)
    }

    /// Issues the certificate of an identity, valid from one minute ago for one year from now.
    ///
    /// Its only alternative name is `spiffe://<trust domain>/identity/<id>`, whatever the CSR asks
    /// for. Known attributes of the requested subject are kept.
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
        self.issue(
            &identity_params(csr, vec![name.to_general_name()?]),
            now,
            entropy,
        )
    }

    /// Issues the successor of an identity's certificate, with the alternative names of `current` and
    /// otherwise like [`issue_identity`](Self::issue_identity).
    ///
    /// The caller has verified that `current` was issued by this network.
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
        self.issue(
            &identity_params(csr, current.names().to_vec()),
            now,
            entropy,
        )
    }

    /// Issues a certificate for one API session of an identity, valid for `lifetime`, the first minute
    /// of which is in the past.
    ///
    /// The subject is the identity's id, whatever the CSR asks for. `path` must be
    /// [`SpiffePath::ApiSessionCertificate`].
    ///
    /// # Errors
    ///
    /// [`IssueError`]; [`SpiffeError::Path`] for any other `path`.
    pub fn issue_session_certificate(
        &self,
        csr: &Csr,
        domain: &TrustDomain,
        path: SpiffePath,
        lifetime: SignedDuration,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let SpiffePath::ApiSessionCertificate { identity, .. } = &path else {
            return Err(SpiffeError::Path.into());
        };
        let subject = Subject::new().common_name(identity.as_str());
        let name = SpiffeId::new(domain.clone(), path)?;
        let params = CertificateParams {
            kind: CertificateType::Identity,
            subject: &subject,
            key: csr.public_key(),
            names: vec![name.to_general_name()?],
            lifetime: lifetime - BACKDATE,
        };
        self.issue(&params, now, entropy)
    }

    /// Issues a certificate that proves possession of this authority's key: its common name is
    /// `token`, it is valid for an hour, and its own private key is discarded.
    ///
    /// # Errors
    ///
    /// [`IssueError`].
    pub fn issue_verification_certificate(
        &self,
        token: &str,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        let key = SigningKey::generate(KeyType::P256)?;
        let params = CertificateParams {
            kind: CertificateType::Client,
            subject: &Subject::new().common_name(token),
            key: key.public_key(),
            names: vec![],
            lifetime: DAY / 24,
        };
        self.issue(&params, now, entropy)
    }

    pub(super) fn issue(
        &self,
        params: &CertificateParams<'_>,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Certificate, IssueError> {
        build(params, Some(&self.certificate), &self.key, now, entropy)
    }
}

fn identity_params(csr: &Csr, names: Vec<GeneralName>) -> CertificateParams<'_> {
    CertificateParams {
        kind: CertificateType::Identity,
        subject: csr.subject(),
        key: csr.public_key(),
        names,
        lifetime: YEAR,
    }
}

/// Builds and signs a certificate; without an `issuer` it is self-signed.
fn build(
    params: &CertificateParams<'_>,
    issuer: Option<&Certificate>,
    key: &SigningKey,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<Certificate, IssueError> {
    let spki = params.key.spki();
    let subject = params.subject.to_name()?;
    let profile = Profile::new(params.kind, subject, spki, params.names.clone(), issuer)?;
    let serial = SerialNumber::new(&serial::generate(entropy)?)?;
    let validity = validity(now, params.lifetime)?;
    let builder = CertificateBuilder::new(profile, serial, validity, spki.clone())?;
    let certificate = builder.build(&IssuerKey(key))?;
    Ok(Certificate::from_der(certificate.to_der()?)?)
}

fn validity(now: Timestamp, lifetime: SignedDuration) -> Result<Validity, IssueError> {
    let not_before = now.checked_sub(BACKDATE).or(Err(IssueError::Validity))?;
    let not_after = now.checked_add(lifetime).or(Err(IssueError::Validity))?;
    Ok(Validity::new(time(not_before)?, time(not_after)?))
}

/// The builder encodes times before 2050 as `UTCTime`, as RFC 5280 requires.
fn time(instant: Timestamp) -> Result<Time, IssueError> {
    let seconds = u64::try_from(instant.as_second()).or(Err(IssueError::Validity))?;
    let time = GeneralizedTime::from_unix_duration(Duration::from_secs(seconds));
    time.map(Time::GeneralTime).or(Err(IssueError::Validity))
}
