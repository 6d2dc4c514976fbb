//! A controller inside another program, with a clock of its own.

use portcullis_controller::home::{self, Home, HomeSettings};
use portcullis_controller::{RunningController, ServeOptions, config, serve};
use portcullis_domain::Env;
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_listener::Listener;
use portcullis_pki::{Certificate, KeyType};
use portcullis_system::SystemEntropy;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

struct ManualClock(Mutex<Timestamp>);

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

pub(crate) fn env_at(time: &str) -> Env {
    let clock = ManualClock(Mutex::new(time.parse().unwrap()));
    Env {
        clock: Arc::new(clock),
        entropy: Arc::new(SystemEntropy),
    }
}

pub(crate) async fn start(
    home: &Home,
    env: Env,
    listeners: Vec<Listener>,
) -> anyhow::Result<RunningController> {
    let mut plan = ServeOptions::new(config::load(&[&home.config])?, env);
    plan.renew_leaf = home.owns_server_certificate_of(&plan.config);
    plan.listeners = listeners;
    serve(plan).await
}

/// A new home, and the socket that its file names.
pub(crate) fn new_home(folder: &Path, env: &Env) -> (Home, Listener) {
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let settings = HomeSettings {
        interface: std::net::Ipv4Addr::LOCALHOST.into(),
        advertised_host: "localhost".to_owned(),
        port: listener.local_addr().port(),
        key_type: KeyType::P256,
    };
    (home::create(folder, &settings, env).unwrap(), listener)
}

async fn start_new(folder: &Path, env: Env) -> (Home, RunningController) {
    let (home, listener) = new_home(folder, &env);
    let running = start(&home, env, vec![listener]).await.unwrap();
    (home, running)
}

pub(crate) async fn end(running: RunningController) {
    running.shutdown();
    running.wait().await.unwrap();
}

fn leaf(home: &Home) -> Certificate {
    let pem = fs::read_to_string(home.folder.join("pki/server.chain.pem")).unwrap();
    Certificate::from_pem(&pem).unwrap()
}

fn in_use(running: &RunningController) -> Certificate {
    running
        .app()
        .network()
        .serving_state()
        .controller
        .certificate
        .clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn store_is_free_again_after_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let env = env_at("2026-01-01T00:00:00Z");
    let (home, running) = start_new(folder.path(), env.clone()).await;
    assert!(running.addr().is_some());
    assert!(running.app().projections().is_ready());
    end(running).await;
    let again = start(&home, env, vec![]).await.unwrap();
    end(again).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaf_is_renewed_before_it_expires_and_keeps_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let (home, running) = start_new(folder.path(), env_at("2026-01-01T00:00:00Z")).await;
    let first = leaf(&home);
    assert_eq!(in_use(&running), first);
    end(running).await;

    // Thirty-one days are left: nothing happens.
    let running = start(&home, env_at("2026-12-01T00:00:00Z"), vec![])
        .await
        .unwrap();
    assert_eq!(leaf(&home), first);
    end(running).await;

    let running = start(&home, env_at("2026-12-05T00:00:00Z"), vec![])
        .await
        .unwrap();
    let second = leaf(&home);
    assert_ne!(second, first);
    assert_eq!(second.public_key(), first.public_key());
    assert!(second.not_after() > first.not_after() + SignedDuration::from_hours(300 * 24));
    assert_eq!(second.common_name(), first.common_name());
    assert_eq!(
        second.uri_names().collect::<Vec<_>>(),
        first.uri_names().collect::<Vec<_>>()
    );
    for host in ["localhost", "127.0.0.1", "::1"] {
        assert!(second.covers_host(host), "{host}");
    }
    assert_eq!(in_use(&running), second);
    end(running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_of_others_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (home, running) = start_new(folder.path(), env_at("2026-01-01T00:00:00Z")).await;
    end(running).await;
    let first = leaf(&home);
    let config = config::load(&[&home.config]).unwrap();
    let running = serve(ServeOptions::new(config, env_at("2026-12-20T00:00:00Z")))
        .await
        .unwrap();
    assert_eq!(leaf(&home), first);
    end(running).await;
}
