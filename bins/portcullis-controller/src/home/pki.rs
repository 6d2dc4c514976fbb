//! The certificates of a new network.

use super::HomeSettings;
use anyhow::Context as _;
use portcullis_domain::Env;
use portcullis_domain::entropy;
use portcullis_domain::ids::ControllerId;
use portcullis_pki::{
    Authority, Certificate, ServerNames, SigningKey, SpiffeId, SpiffePath, Subject, TrustDomain,
};

/// Names under which this machine reaches itself.
pub(crate) const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A root, an authority that issues under it, and what the controller shows.
pub(super) struct Pki {
    pub(super) root: Authority,
    pub(super) signing: Authority,
    pub(super) server: Certificate,
    pub(super) server_key: SigningKey,
    pub(super) client: Certificate,
    pub(super) client_key: SigningKey,
}

/// Makes a network of its own: the trust domain and the controller's id are drawn.
pub(super) fn make(settings: &HomeSettings, env: &Env) -> anyhow::Result<Pki> {
    let (now, source) = (env.now(), &*env.entropy);
    let key = || SigningKey::generate(settings.key_type);
    let number = u64::from_be_bytes(entropy::bytes(source)?);
    let domain = TrustDomain::parse(&format!("portcullis-{number:016x}"))?;
    let controller = ControllerId::generate(source)?;
    let subject = |name: &str| Subject::new().organization("Portcullis").common_name(name);

    let root = Authority::make_root(key()?, &subject("Portcullis root"), &domain, now, source)?;
    let signing = root.make_intermediate(key()?, &subject("Portcullis issuer"), now, source)?;
    let spiffe = SpiffeId::new(domain, SpiffePath::Controller(controller.clone()))?;
    let names = std::iter::once(settings.advertised_host.as_str()).chain(LOOPBACK);
    let names = ServerNames::parse(names)
        .context("--ctrl-address")?
        .with_spiffe(spiffe.clone());
    let own = subject(controller.as_str());
    let (server_key, client_key) = (key()?, key()?);
    let server = signing.issue_server_leaf(server_key.public_key(), &own, &names, now, source)?;
    let client = signing.issue_client_leaf(client_key.public_key(), &own, &spiffe, now, source)?;
    Ok(Pki {
        root,
        signing,
        server,
        server_key,
        client,
        client_key,
    })
}
