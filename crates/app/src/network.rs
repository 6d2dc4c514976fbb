//! The network of the controller: signing authority, trust anchors, signer of enrollment tokens,
//! and the addresses of the controller.

use parking_lot::RwLock;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ControllerId;
use portcullis_oidc::issuer::Issuers;
use portcullis_pki::{
    Authority, Certificate, ChainError, Csr, CsrError, JwtError, JwtSigner, PublicKey,
    ReservedNames, TrustAnchors, TrustDomain, certificates_to_pem, pkcs7,
};
use std::sync::Arc;
use tokio::sync::watch;

mod chain_cache;
mod chain_validity;
mod client_chain;
mod verification_keys;

use chain_cache::ChainCache;
pub use client_chain::{ClientChain, ClientChainError};
pub use verification_keys::VerificationKey;
pub(crate) use verification_keys::{KeyRetirement, TokenUse};

/// Settings of the network that are fixed when the controller starts.
pub struct NetworkSettings {
    pub trust_domain: TrustDomain,
    /// The authority that signs certificates of identities.
    pub signing: Authority,
    /// Certificates to which client chains may lead: roots, and intermediates that clients may
    /// leave out.
    pub anchors: Vec<Certificate>,
    /// The certificates that clients are to trust.
    pub bundle: Vec<Certificate>,
    /// Advertised host and port of the client API.
    pub api_address: String,
    /// Advertised addresses of the control plane.
    pub control_addresses: Vec<String>,
    pub controller: Controller,
    /// Signs with the key of the certificate served at `api_address`.
    pub jwt_signer: JwtSigner,
    pub hosts: ControllerHosts,
    pub oidc_addresses: OidcAddresses,
    /// All server certificates of the controller; their names are reserved.
    pub served_certificates: Vec<Certificate>,
}

/// The host names of the controller, from its configuration.
#[derive(Debug, Clone, Default)]
pub struct ControllerHosts {
    /// Host names and IP addresses.
    pub names: Vec<String>,
    /// Names that routers on the same host may also have in their certificates.
    pub shared: Vec<String>,
}

/// The addresses of the listeners that serve OIDC logins.
#[derive(Debug, Clone, Default)]
pub struct OidcAddresses {
    /// Host names and IP addresses, besides those in the server certificates.
    pub hosts: Vec<String>,
    /// Without any, no logins are served.
    pub ports: Vec<u16>,
}

impl OidcAddresses {
    /// The issuers while `certificates` are served.
    fn issuers(&self, certificates: &[Certificate]) -> Issuers {
        let mut hosts = self.hosts.clone();
        for certificate in certificates {
            hosts.extend(certificate.dns_names().map(str::to_owned));
            hosts.extend(certificate.ip_names().map(|address| address.to_string()));
        }
        Issuers::new(hosts.iter().map(String::as_str), &self.ports)
    }
}

/// The controller as its clients see it.
#[derive(Debug, Clone)]
pub struct Controller {
    pub id: ControllerId,
    pub name: String,
    /// The server certificate.
    pub certificate: Certificate,
    pub started_at: Timestamp,
}

/// The network that the controller serves.
pub struct Network {
    trust_domain: TrustDomain,
    signing: Authority,
    anchors: TrustAnchors,
    anchors_with_intermediates: TrustAnchors,
    bundle: String,
    bundle_pem: String,
    api_address: String,
    control_addresses: Vec<String>,
    hosts: ControllerHosts,
    oidc_addresses: OidcAddresses,
    serving_state: RwLock<Arc<ServingState>>,
    /// The keys of earlier certificates.
    retired_keys: RwLock<Vec<VerificationKey>>,
    chain_cache: ChainCache,
    /// Tells that other keys count for tokens.
    key_changes: watch::Sender<()>,
}

/// State that depends on the server certificate and changes when that is renewed.
#[derive(Debug)]
pub struct ServingState {
    pub controller: Controller,
    /// Signs tokens.
    pub jwt_signer: JwtSigner,
    /// The token that identifies this network.
    pub network_jwt: String,
    /// Names that no issued certificate may contain.
    pub reserved_names: ReservedNames,
    /// The issuers of OIDC tokens.
    pub issuers: Issuers,
}

impl Network {
    /// Prepares everything that is used repeatedly.
    ///
    /// `network_id` is a random UUID, the id of the network's own token.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when a certificate cannot be a trust anchor or no token can be signed.
    pub fn new(settings: NetworkSettings, network_id: &str) -> Result<Self, NetworkError> {
        let mut all = settings.anchors.clone();
        for certificate in settings
            .signing
            .chain()
            .filter(|certificate| certificate.is_ca())
        {
            if !all.contains(certificate) {
                all.push(certificate.clone());
            }
        }
        let served = ServingState::new(
            settings.controller,
            settings.jwt_signer,
            &settings.api_address,
            network_id,
            ServedNames::new(
                &settings.hosts,
                &settings.oidc_addresses,
                &settings.served_certificates,
            ),
        )?;
        Ok(Self {
            trust_domain: settings.trust_domain,
            anchors: TrustAnchors::new(settings.anchors)?,
            anchors_with_intermediates: TrustAnchors::new(all)?,
            bundle: pkcs7::encode_base64(&settings.bundle)
                .map_err(|error| NetworkError::Bundle(error.to_string()))?,
            bundle_pem: certificates_to_pem(settings.bundle.iter().filter(|one| one.is_ca())),
            signing: settings.signing,
            api_address: settings.api_address,
            control_addresses: settings.control_addresses,
            hosts: settings.hosts,
            oidc_addresses: settings.oidc_addresses,
            serving_state: RwLock::new(Arc::new(served)),
            retired_keys: RwLock::default(),
            chain_cache: ChainCache::default(),
            key_changes: watch::Sender::default(),
        })
    }

    pub fn trust_domain(&self) -> &TrustDomain {
        &self.trust_domain
    }

    /// The authority that signs certificates of identities.
    pub fn signing(&self) -> &Authority {
        &self.signing
    }

    /// The PKCS#7 bundle of trusted certificates, Base64.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }

    /// The CA certificates of the bundle, PEM.
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

    /// The issuer of enrollment tokens: `https://` and the API address.
    pub fn issuer(&self) -> String {
        format!("https://{}", self.api_address)
    }

    /// The state that belongs to the current server certificate.
    pub fn serving_state(&self) -> Arc<ServingState> {
        Arc::clone(&self.serving_state.read())
    }

    /// The public keys that tokens are verified with at `now`; the one that signs comes first.
    pub fn verification_keys(&self, now: Timestamp) -> Vec<VerificationKey> {
        let current = VerificationKey::of_signer(&self.serving_state().jwt_signer);
        let retired = self.retired_keys.read();
        let others = retired
            .iter()
            .filter(|key| key.is_published(now) && key.kid != current.kid)
            .cloned();
        let mut keys = vec![current.clone()];
        keys.extend(others);
        keys
    }

    /// The public key with this `kid`, if tokens of this use that it signed may be good at `now`.
    pub(crate) fn verification_key(
        &self,
        kid: &str,
        token: TokenUse,
        now: Timestamp,
    ) -> Option<Arc<PublicKey>> {
        let current = VerificationKey::of_signer(&self.serving_state().jwt_signer);
        if current.kid == kid {
            return Some(current.key);
        }
        let retired = self.retired_keys.read();
        let found = retired
            .iter()
            .find(|key| key.kid == kid && key.verifies(token, now));
        found.map(|key| Arc::clone(&key.key))
    }

    /// Sets the keys of earlier certificates.
    pub(crate) fn set_retired_keys(&self, keys: Vec<VerificationKey>) {
        *self.retired_keys.write() = keys;
        self.key_changes.send_replace(());
    }

    /// Tells when other keys than before sign or verify tokens. That some are not needed any more is
    /// not told.
    pub fn key_changes(&self) -> watch::Receiver<()> {
        self.key_changes.subscribe()
    }

    /// The certificates that chains of clients may lead to.
    pub(crate) fn anchors(&self) -> &[Certificate] {
        self.anchors.certificates()
    }

    /// Parses a certificate signing request of an identity.
    ///
    /// # Errors
    ///
    /// [`CsrError`], also when the subject is a name of the controller.
    pub(crate) fn parse_csr(&self, text: &str) -> Result<Csr, CsrError> {
        Csr::from_pem(text)?.check_subject(&self.serving_state().reserved_names)
    }

    /// Switches to a renewed server certificate. `served` are all server certificates of the
    /// controller.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when no token can be signed with its key; the old certificate stays in use
    /// then.
    pub fn renew_certificate(
        &self,
        certificate: Certificate,
        served: &[Certificate],
        jwt_signer: JwtSigner,
        network_id: &str,
    ) -> Result<(), NetworkError> {
        let controller = Controller {
            certificate,
            ..self.serving_state().controller.clone()
        };
        let names = ServedNames::new(&self.hosts, &self.oidc_addresses, served);
        let served =
            ServingState::new(controller, jwt_signer, &self.api_address, network_id, names)?;
        // Tokens of the old key count without a gap.
        let retired = VerificationKey::of_signer(&self.serving_state().jwt_signer);
        self.retired_keys.write().push(retired);
        *self.serving_state.write() = Arc::new(served);
        self.key_changes.send_replace(());
        Ok(())
    }

    /// The signature twin of a certificate that the network issued, if there is one.
    pub(crate) fn twin(&self, leaf: &Certificate) -> Option<Certificate> {
        let mut authorities = self.anchors_with_intermediates.certificates().iter();
        let issuer = authorities.find(|authority| leaf.is_issued_by(authority))?;
        leaf.twin(issuer)
    }
}

impl ServingState {
    fn new(
        controller: Controller,
        jwt_signer: JwtSigner,
        api_address: &str,
        network_id: &str,
        names: ServedNames,
    ) -> Result<Self, NetworkError> {
        let issuer = format!("https://{api_address}/");
        let claims = portcullis_pki::EnrollmentClaims::network(&issuer, network_id);
        let network_jwt = jwt_signer.sign(&claims)?;
        Ok(Self {
            controller,
            jwt_signer,
            network_jwt,
            reserved_names: names.reserved,
            issuers: names.issuers,
        })
    }
}

/// What follows from the names in the server certificates.
struct ServedNames {
    reserved: ReservedNames,
    issuers: Issuers,
}

impl ServedNames {
    fn new(hosts: &ControllerHosts, oidc: &OidcAddresses, certificates: &[Certificate]) -> Self {
        Self {
            reserved: hosts.reserved_names(certificates),
            issuers: oidc.issuers(certificates),
        }
    }
}

impl ControllerHosts {
    /// Names that no issued certificate may contain while `certificates` are served.
    fn reserved_names(&self, certificates: &[Certificate]) -> ReservedNames {
        let (names, shared) = (&self.names, &self.shared);
        ReservedNames::new(
            names.iter().map(String::as_str),
            certificates,
            shared.iter().map(String::as_str),
        )
    }
}

/// The network's certificates or keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("a certificate of the network's authority cannot be used")]
    Anchor(#[from] ChainError),
    #[error("the bundle of trusted certificates cannot be written: {0}")]
    Bundle(String),
    #[error("the key of the server certificate cannot sign enrollment tokens")]
    Signer(#[from] JwtError),
}
