//! Certificates of a new network.

use crate::files::{self, PUBLIC_MODE, SECRET_MODE};
use anyhow::Context as _;
use portcullis_controller_config::HomeLayout;
use portcullis_domain::Env;
use portcullis_domain::entropy;
use portcullis_domain::ids::ControllerId;
use portcullis_pki::{
    Authority, Certificate, KeyType, ServerNames, SigningKey, SpiffeId, SpiffePath, Subject,
    TrustDomain, certificates_to_pem,
};
use std::path::Path;

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

/// What the certificates of a network say.
pub(super) struct PkiSettings {
    /// Names and addresses of the server certificate.
    pub(super) names: ServerNames,
    /// Trust domain; a random one by default.
    pub(super) domain: Option<TrustDomain>,
    pub(super) key_type: KeyType,
}

/// Parses the hosts of a server certificate, which names loopback addresses too.
pub(super) fn server_names<'a>(
    hosts: impl IntoIterator<Item = &'a str>,
) -> anyhow::Result<ServerNames> {
    Ok(ServerNames::parse(hosts.into_iter().chain(LOOPBACK_HOSTS))?)
}

/// Creates the certificates of a network with a random controller id.
pub(super) fn create(settings: PkiSettings, env: &Env) -> anyhow::Result<NetworkPki> {
    let (now, source) = (env.now(), &*env.entropy);
    let key = || SigningKey::generate(settings.key_type);
    let domain = if let Some(domain) = settings.domain {
        domain
    } else {
        let number = u64::from_be_bytes(entropy::bytes(source)?);
        TrustDomain::parse(&format!("portcullis-{number:016x}"))?
    };
    let controller = ControllerId::generate(source)?;
    let subject = |name: &str| Subject::new().organization("Portcullis").common_name(name);

    let root = Authority::create_root(key()?, &subject("Portcullis root"), &domain, now, source)?;
    let signing = root.create_intermediate(key()?, &subject("Portcullis issuer"), now, source)?;
    let spiffe = SpiffeId::new(domain, SpiffePath::Controller(controller.clone()))?;
    let names = settings.names.with_spiffe(spiffe.clone());
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

impl NetworkPki {
    /// The certificates that clients trust.
    pub(super) fn authorities_pem(&self) -> String {
        certificates_to_pem([self.root.certificate(), self.signing.certificate()])
    }

    /// Writes all certificates and keys into `folder`, under the names of a [`HomeLayout`].
    pub(super) fn write_into(&self, folder: &Path) -> anyhow::Result<()> {
        let layout = HomeLayout::under(Path::new(""));
        let public = [
            (Path::new("root.cert"), self.root.certificate().to_pem()),
            (&layout.signing_cert, self.signing.certificate().to_pem()),
            (&layout.ca, self.authorities_pem()),
            (&layout.server_cert, self.signing.chain_pem(&self.server)),
            (&layout.cert, self.signing.chain_pem(&self.client)),
        ];
        let secret = [
            (&layout.root_key, self.root.key()),
            (&layout.signing_key, self.signing.key()),
            (&layout.server_key, &self.server_key),
            (&layout.key, &self.client_key),
        ];
        let place = |path: &Path| {
            path.file_name()
                .map(|name| folder.join(name))
                .context("a file name")
        };
        for (path, text) in public {
            files::create(&place(path)?, text.as_bytes(), PUBLIC_MODE)?;
        }
        for (path, key) in secret {
            files::create(&place(path)?, key.to_pkcs8_pem()?.as_bytes(), SECRET_MODE)?;
        }
        Ok(())
    }
}
