//! What the controller is to its network: the authority that issues, the anchors that are trusted,
//! the key that signs enrollment tokens, and the addresses under which it is known.

use crate::error::AppError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ControllerId;
use portcullis_pki::{
    Authority, Certificate, CertificateError, ChainError, Csr, CsrError, Fingerprint, IssueError,
    JwtError, JwtSigner, ReservedNames, SpiffeId, SpiffePath, TrustAnchors, TrustDomain, Validity,
    VerifyAt, certificates_to_pem, pkcs7,
};
use std::sync::{Arc, PoisonError, RwLock};

mod leaf_key;
mod lifetime;
mod verdicts;

pub use leaf_key::leaf_key;
use lifetime::lifetime;
use verdicts::Verdicts;

/// What is decided about the network when the controller starts.
pub struct NetworkSettings {
    /// The trust domain of SPIFFE ids.
    pub trust_domain: TrustDomain,
    /// The authority that signs certificates of identities.
    pub signing: Authority,
    /// Certificates whose holders may vouch for clients: roots, and intermediates that clients
    /// may leave out.
    pub roots: Vec<Certificate>,
    /// Everything that clients are to trust.
    pub bundle: Vec<Certificate>,
    /// Host and port of the client API, as clients are to reach it.
    pub api_address: String,
    /// Addresses of the control plane, as routers are to reach it.
    pub control_addresses: Vec<String>,
    /// The controller itself.
    pub controller: Controller,
    /// The key and certificate served at `api_address`.
    pub jwt_signer: JwtSigner,
    /// Under which names the controller is reached.
    pub hosts: OwnHosts,
    /// All server certificates of the controller; their names are its own.
    pub served_certificates: Vec<Certificate>,
}

/// The hosts under which the controller is reached, as its configuration names them.
#[derive(Debug, Clone, Default)]
pub struct OwnHosts {
    /// Host names and IP addresses.
    pub names: Vec<String>,
    /// Those that routers on the same host may have in their certificates too.
    pub shared: Vec<String>,
}

/// The controller as its clients see it.
#[derive(Debug, Clone)]
pub struct Controller {
    /// Its id.
    pub id: ControllerId,
    /// Its name.
    pub name: String,
    /// The certificate that it serves.
    pub certificate: Certificate,
    /// Since when it has been running.
    pub started_at: Timestamp,
}

/// The network that the controller serves.
pub struct Network {
    trust_domain: TrustDomain,
    signing: Authority,
    roots: TrustAnchors,
    with_intermediates: TrustAnchors,
    bundle: String,
    bundle_pem: String,
    api_address: String,
    control_addresses: Vec<String>,
    hosts: OwnHosts,
    served: RwLock<Arc<Served>>,
    verdicts: Verdicts,
}

/// What changes when the certificate of the listener is renewed.
#[derive(Debug)]
pub struct Served {
    /// The controller.
    pub controller: Controller,
    /// Signs enrollment tokens.
    pub jwt_signer: JwtSigner,
    /// The token that proves which network this is.
    pub network_jwt: String,
    /// The names that no certificate of others may bear.
    pub reserved_names: ReservedNames,
}

/// A client's chain that leads to the network's authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoodChain {
    /// Fingerprint of the leaf.
    pub fingerprint: Fingerprint,
    /// When the leaf is valid, and all that vouches for it.
    pub validity: Validity,
    /// Whether the client left out an intermediate.
    pub is_improper: bool,
    /// Whose it is, as its SPIFFE name in this network says; none without such a name.
    pub issued_to: Option<Arc<SpiffePath>>,
}

/// A client's chain was not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadChain {
    /// There is none.
    #[error("no certificate was presented")]
    Missing,
    /// It cannot be read.
    #[error("a certificate cannot be read")]
    Unreadable(#[from] CertificateError),
    /// It does not lead to the network's authority.
    #[error("the certificate is of another authority")]
    Foreign(#[from] ChainError),
}

impl Network {
    /// Makes everything ready that is used again and again.
    ///
    /// `network_id` is a random UUID, the id of the network's own token.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when a certificate cannot be used as an anchor or a token not be signed.
    pub fn new(settings: NetworkSettings, network_id: &str) -> Result<Self, NetworkError> {
        let mut all = settings.roots.clone();
        for certificate in settings
            .signing
            .chain()
            .filter(|certificate| certificate.is_ca())
        {
            if !all.contains(certificate) {
                all.push(certificate.clone());
            }
        }
        let served = Served::new(
            settings.controller,
            settings.jwt_signer,
            &settings.api_address,
            network_id,
            settings.hosts.reserve(&settings.served_certificates),
        )?;
        Ok(Self {
            trust_domain: settings.trust_domain,
            roots: TrustAnchors::new(settings.roots)?,
            with_intermediates: TrustAnchors::new(all)?,
            bundle: pkcs7::write_base64(&settings.bundle)
                .map_err(|error| NetworkError::Bundle(error.to_string()))?,
            bundle_pem: certificates_to_pem(settings.bundle.iter().filter(|one| one.is_ca())),
            signing: settings.signing,
            api_address: settings.api_address,
            control_addresses: settings.control_addresses,
            hosts: settings.hosts,
            served: RwLock::new(Arc::new(served)),
            verdicts: Verdicts::default(),
        })
    }

    /// The trust domain of SPIFFE ids.
    pub fn trust_domain(&self) -> &TrustDomain {
        &self.trust_domain
    }

    /// The authority that signs certificates of identities.
    pub fn signing(&self) -> &Authority {
        &self.signing
    }

    /// Base64 of the PKCS#7 bundle that clients are to trust.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }

    /// The authorities among what clients are to trust, PEM.
    pub fn bundle_pem(&self) -> &str {
        &self.bundle_pem
    }

    /// Host and port of the client API.
    pub fn api_address(&self) -> &str {
        &self.api_address
    }

    /// Addresses of the control plane.
    pub fn control_addresses(&self) -> &[String] {
        &self.control_addresses
    }

    /// `https://` and the address: the issuer of enrollment tokens.
    pub fn issuer(&self) -> String {
        format!("https://{}", self.api_address)
    }

    /// What follows from the certificate that is served now.
    pub fn served(&self) -> Arc<Served> {
        Arc::clone(&self.served.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads a request for a certificate of an identity.
    ///
    /// # Errors
    ///
    /// [`CsrError`], also when its subject is a name of the controller.
    pub(crate) fn read_csr(&self, text: &str) -> Result<Csr, CsrError> {
        Csr::from_pem(text)?.check_subject(&self.served().reserved_names)
    }

    /// Takes a renewed certificate into use. `served` are all server certificates of the controller.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when no token can be signed with it; the old one stays in use then.
    pub fn renew(
        &self,
        certificate: Certificate,
        served: &[Certificate],
        jwt_signer: JwtSigner,
        network_id: &str,
    ) -> Result<(), NetworkError> {
        let controller = Controller {
            certificate,
            ..self.served().controller.clone()
        };
        let reserved = self.hosts.reserve(served);
        let served = Served::new(
            controller,
            jwt_signer,
            &self.api_address,
            network_id,
            reserved,
        )?;
        *self.served.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(served);
        Ok(())
    }

    /// Judges a client's chain, in DER and leaf first, apart from its dates.
    ///
    /// # Errors
    ///
    /// [`BadChain`] when the leaf does not chain to the network's authority.
    pub fn judge(&self, chain: &[&[u8]]) -> Result<GoodChain, BadChain> {
        self.verdicts.remember(chain, || self.verify(chain))
    }

    /// The twin of a certificate that one of the network's authorities issued, if it has one.
    pub(crate) fn twin(&self, leaf: &Certificate) -> Option<Certificate> {
        let mut authorities = self.with_intermediates.certificates().iter();
        let issuer = authorities.find(|authority| leaf.is_issued_by(authority))?;
        leaf.twin(issuer)
    }

    fn verify(&self, chain: &[&[u8]]) -> Result<GoodChain, BadChain> {
        let mut certificates = chain.iter().map(|der| Certificate::from_der(*der));
        let leaf = certificates.next().ok_or(BadChain::Missing)??;
        let intermediates = certificates.collect::<Result<Vec<_>, _>>()?;
        let at = VerifyAt::IgnoreValidity;
        // The roots are among these, so that strangers are refused by one search.
        let path = self
            .with_intermediates
            .verify_client_path(&leaf, &intermediates, at)?;
        let is_proper = self
            .roots
            .verify_client_chain(&leaf, &intermediates, at)
            .is_ok();
        Ok(GoodChain {
            fingerprint: leaf.fingerprint(),
            validity: lifetime(&self.with_intermediates, &leaf, &path),
            is_improper: !is_proper,
            issued_to: self.path_in(&leaf).map(Arc::new),
        })
    }

    /// The path of the SPIFFE name of a certificate, if it has one in this network.
    fn path_in(&self, leaf: &Certificate) -> Option<SpiffePath> {
        let name = SpiffeId::of_certificate(leaf).ok().flatten()?;
        (*name.domain() == self.trust_domain).then(|| name.path().clone())
    }
}

impl Served {
    fn new(
        controller: Controller,
        jwt_signer: JwtSigner,
        api_address: &str,
        network_id: &str,
        reserved_names: ReservedNames,
    ) -> Result<Self, NetworkError> {
        let issuer = format!("https://{api_address}/");
        let claims = portcullis_pki::EnrollmentClaims::network(&issuer, network_id);
        let network_jwt = jwt_signer.sign(&claims)?;
        Ok(Self {
            controller,
            jwt_signer,
            network_jwt,
            reserved_names,
        })
    }
}

impl OwnHosts {
    /// The names that no certificate of others may bear, while `certificates` are served.
    fn reserve(&self, certificates: &[Certificate]) -> ReservedNames {
        let (names, shared) = (&self.names, &self.shared);
        ReservedNames::new(
            names.iter().map(String::as_str),
            certificates,
            shared.iter().map(String::as_str),
        )
    }
}

/// What a failure to issue a certificate is to whoever asked for it.
pub(crate) fn not_issued(error: IssueError) -> AppError {
    match error {
        IssueError::Entropy(error) => AppError::Entropy(error),
        error => AppError::internal(error),
    }
}

/// The network's certificates and keys do not serve.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A certificate cannot be an anchor.
    #[error("a certificate of the network's authority cannot be used")]
    Anchor(#[from] ChainError),
    /// The bundle for clients cannot be written.
    #[error("the bundle of trusted certificates cannot be written: {0}")]
    Bundle(String),
    /// Tokens cannot be signed.
    #[error("the key of the server certificate cannot sign enrollment tokens")]
    Signer(#[from] JwtError),
}
