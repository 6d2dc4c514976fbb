//! Certificates of a new network.

use super::HomeSettings;
use anyhow::Context as _;
use portcullis_domain::Env;
use portcullis_domain::entropy;
use portcullis_domain::ids::ControllerId;
use portcullis_pki::{
    Authority, Certificate, ServerNames, SigningKey, SpiffeId, SpiffePath, Subject, TrustDomain,
};

/// Loopback names and addresses of this machine.
pub(crate) const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A root CA, an issuing CA, and the certificates of the controller.
pub(super) struct NetworkPki {
    pub(super) root: Authority,
    pub(super) signing: Authority,
    pub(super) server: Certificate,
    pub(super) server_key: SigningKey,
    pub(super) client: Certificate,
    pub(super) client_key: SigningKey,
}

/// Creates the certificates of a network with a random trust domain and controller id.
pub(super) fn create(settings: &HomeSettings, env: &Env) -> anyhow::Result<NetworkPki> {
    let (now, source) = (env.now(), &*env.entropy);
    let key = || SigningKey::generate(settings.key_type);
    let number = u64::from_be_bytes(entropy::bytes(source)?);
    let domain = TrustDomain::parse(&format!("portcullis-{number:016x}"))?;
    let controller = ControllerId::generate(source)?;
    let subject = |name: &str| Subject::new().organization("Portcullis").common_name(name);

    let root = Authority::create_root(key()?, &subject("Portcullis root"), &domain, now, source)?;
    let signing = root.create_intermediate(key()?, &subject("Portcullis issuer"), now, source)?;
    let spiffe = SpiffeId::new(domain, SpiffePath::Controller(controller.clone()))?;
    let names = std::iter::once(settings.advertised_host.as_str()).chain(LOOPBACK_HOSTS);
    let names = ServerNames::parse(names)
        .context("--ctrl-address")?
        .with_spiffe(spiffe.clone());
    let own = subject(controller.as_str());
    let (server_key, client_key) = (key()?, key()?);
    let server = signing.issue_server_leaf(server_key.public_key(), &own, &names, now, source)?;
    let client = signing.issue_client_leaf(client_key.public_key(), &own, &spiffe, now, source)?;
    Ok(NetworkPki {
        root,
        signing,
        server,
        server_key,
        client,
        client_key,
    })
}
