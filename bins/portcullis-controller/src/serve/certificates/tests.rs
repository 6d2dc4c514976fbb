use super::*;
use crate::home::{self, HomeSettings};
use crate::serve::listeners::Listeners;
use crate::{config, serve};
use portcullis_listener::Listener;
use portcullis_pki::{Authority, KeyType, SigningKey, TrustDomain};
use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;

struct Fixture {
    certificates: ServerCertificates,
    chain: PathBuf,
    _folder: tempfile::TempDir,
}

/// A controller that is ready to serve, with a certificate that it may not renew.
async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let settings = HomeSettings {
        advertised_host: "localhost".to_owned(),
        interface: Ipv4Addr::LOCALHOST.into(),
        port: listener.local_addr().port(),
        key_type: KeyType::P256,
    };
    let env = portcullis_system::env();
    let home = home::create(folder.path(), &settings, &env).unwrap();
    let config = config::load(&[&home.config]).unwrap();
    let listening = Listeners::bind(&config, vec![listener]).await.unwrap();
    let core = serve::open(&config, false, &env).unwrap();
    let certificates = ServerCertificates {
        app: core.app,
        network_id: core.network_id,
        tls: listening.tls(&core.pairs).unwrap(),
        may_renew: false,
        config,
    };
    Fixture {
        certificates,
        chain: home.folder.join("pki/server.chain.pem"),
        _folder: folder,
    }
}

impl Fixture {
    fn in_use(&self) -> Certificate {
        self.certificates
            .app
            .network()
            .serving_state()
            .controller
            .certificate
            .clone()
    }

    /// Issues another certificate for the same key, as an administrator would.
    fn issue(&self) -> Certificate {
        let pem = fs::read_to_string(&self.chain).unwrap();
        let old = Certificate::from_pem(&pem).unwrap();
        let app = &self.certificates.app;
        let names = self.certificates.names(&old).unwrap();
        let signing = app.network().signing();
        let subject = Subject::new().common_name("renewed");
        let (key, env) = (old.public_key().unwrap(), app.env());
        let leaf = signing.issue_server_leaf(&key, &subject, &names, env.now(), &*env.entropy);
        let leaf = leaf.unwrap();
        fs::write(&self.chain, signing.chain_pem(&leaf)).unwrap();
        leaf
    }

    /// A certificate for the same key and hosts, of a CA that no client trusts.
    fn foreign_chain(&self) -> String {
        let env = self.certificates.app.env();
        let (now, source) = (env.now(), &*env.entropy);
        let name = Subject::new().common_name("foreign");
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let domain = TrustDomain::parse("foreign").unwrap();
        let root = Authority::create_root(key, &name, &domain, now, source).unwrap();
        let old = self.in_use();
        let (key, names) = (
            old.public_key().unwrap(),
            self.certificates.names(&old).unwrap(),
        );
        let leaf = root.issue_server_leaf(&key, &name, &names, now, source);
        root.chain_pem(&leaf.unwrap())
    }
}

#[tokio::test]
async fn changed_file_is_taken_into_use() {
    let scene = fixture().await;
    let mut watch = CertificateWatcher::default();
    watch.poll(&scene.certificates);
    let first = scene.in_use();
    let second = scene.issue();
    watch.poll(&scene.certificates);
    assert_ne!(scene.in_use(), first);
    assert_eq!(scene.in_use(), second);
    assert_eq!(
        scene
            .certificates
            .app
            .network()
            .serving_state()
            .jwt_signer
            .key_id(),
        second.fingerprint()
    );
}

#[tokio::test]
async fn certificate_that_clients_refuse_does_not_replace_a_good_one() {
    let scene = fixture().await;
    let mut watch = CertificateWatcher::default();
    watch.poll(&scene.certificates);
    let first = scene.in_use();
    let foreign = scene.foreign_chain();
    fs::write(&scene.chain, &foreign).unwrap();
    watch.poll(&scene.certificates);
    assert_eq!(scene.in_use(), first);
    let logged: Vec<_> = watch.logged.keys().collect();
    let topic = "kept untrusted-certificate identity.server_cert";
    assert!(logged.iter().any(|it| *it == topic), "{logged:?}");

    let second = scene.issue();
    watch.poll(&scene.certificates);
    assert_eq!(scene.in_use(), second);
    assert!(watch.logged.is_empty(), "{:?}", watch.logged);

    // The first look takes what there is.
    fs::write(&scene.chain, foreign).unwrap();
    CertificateWatcher::default().poll(&scene.certificates);
    assert_ne!(scene.in_use(), second);
}

#[tokio::test]
async fn unusable_file_changes_nothing_and_is_mentioned_once() {
    let scene = fixture().await;
    let mut watch = CertificateWatcher::default();
    watch.poll(&scene.certificates);
    let first = scene.in_use();
    fs::write(&scene.chain, "half a fi").unwrap();
    watch.poll(&scene.certificates);
    let said = watch.logged.clone();
    let [topic] = said.keys().collect::<Vec<_>>()[..] else {
        panic!("{said:?}");
    };
    assert!(topic.contains("identity.server_cert"), "{said:?}");
    watch.poll(&scene.certificates);
    assert_eq!(watch.logged, said);
    assert_eq!(scene.in_use(), first);
}

#[test]
fn problem_is_logged_again_after_a_day_or_when_it_comes_back() {
    let start = Timestamp::UNIX_EPOCH;
    let mut watch = CertificateWatcher::default();
    let mut logged_at = |hours, is_there: bool| {
        let problem = || Problem {
            topic: "expiring-certificate identity.server_cert".to_owned(),
            is_error: false,
            is_of_server: true,
            message: format!("expires in {hours} hours"),
        };
        let now = start + SignedDuration::from_hours(hours);
        watch.log(is_there.then(problem).into_iter().collect(), now);
        let at = watch.logged.values().next();
        at.map(|at| at.duration_since(start).as_hours())
    };
    assert_eq!(logged_at(0, true), Some(0));
    assert_eq!(logged_at(23, true), Some(0));
    assert_eq!(logged_at(24, true), Some(24));
    assert_eq!(logged_at(25, false), None);
    assert_eq!(logged_at(26, true), Some(26));
}
