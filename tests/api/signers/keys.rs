//! Key sets of signers: fetched when they are needed, and what a bad provider can do.

use crate::support::create;
use crate::support::idp::{Idp, challenge, log_in_with, patch_signer};
use crate::support::key_server::{Conduct, KeyServer};
use ::support::wait::DEFAULT_TIMEOUT;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, HarnessOptions};
use serde_json::json;
use std::time::{Duration, Instant};

/// Time that a key set may take where it is to arrive.
const AMPLE: Duration = Duration::from_secs(10);

/// Time that it may take where it may never arrive, and somebody waits for that.
const SHORT: Duration = Duration::from_millis(500);

struct Scene {
    controller: Harness,
    admin: String,
    idp: Idp,
    server: KeyServer,
    signer: String,
}

impl Scene {
    async fn new(conduct: impl FnOnce(&Idp) -> Conduct) -> Self {
        Self::with(AMPLE, conduct).await
    }

    /// One that never gives up a fetch.
    async fn patient(conduct: impl FnOnce(&Idp) -> Conduct) -> Self {
        Self::with(Duration::from_hours(1), conduct).await
    }

    async fn with(fetch_timeout: Duration, conduct: impl FnOnce(&Idp) -> Conduct) -> Self {
        let controller = Harness::start_with(HarnessOptions {
            fetch_timeout,
            ..HarnessOptions::default()
        })
        .await;
        let admin = controller.admin().await;
        let idp = Idp::new(&controller, "idp");
        let server = KeyServer::start(conduct(&idp)).await;
        let how = json!({"certPem": "", "kid": "", "jwksEndpoint": server.url});
        let signer = idp.register(&controller, &admin, how).await;
        create(&controller, &admin, "ada", json!({"externalId": "ada@x"})).await;
        Self {
            controller,
            admin,
            idp,
            server,
            signer,
        }
    }

    async fn logs_in(&self) -> bool {
        self.logs_in_by(&self.idp).await
    }

    async fn logs_in_by(&self, idp: &Idp) -> bool {
        let token = idp.token(&self.controller, "ada@x");
        let reply = log_in_with(&self.controller, &[&token]).await;
        if reply.status != 200 {
            assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
            assert_eq!(challenge(&reply), "invalid");
        }
        reply.status == 200
    }

    /// Waits until something holds that happens in the background.
    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let begin = Instant::now();
        while !holds().await {
            assert!(begin.elapsed() < DEFAULT_TIMEOUT, "{what}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Logs in again and again, until a fetch has been in time.
    async fn logs_in_at_last(&self) {
        let tries = async || {
            self.pass(1);
            self.logs_in().await
        };
        self.until("no key set arrives", tries).await;
    }

    fn pass(&self, seconds: i64) {
        self.controller
            .clock
            .advance(SignedDuration::from_secs(seconds));
    }
}

fn keys(idp: &Idp) -> Conduct {
    Conduct::Json(idp.key_set())
}

#[tokio::test]
async fn keys_are_fetched_once_and_kept() {
    let scene = Scene::new(keys).await;
    assert_eq!(
        scene.server.requests(),
        0,
        "nothing is fetched before it is needed"
    );
    for _ in 0..20 {
        assert!(scene.logs_in().await);
    }
    assert_eq!(scene.server.requests(), 1);
}

#[tokio::test]
async fn strangers_have_keys_fetched_once_a_second() {
    let scene = Scene::new(keys).await;
    assert!(scene.logs_in().await);
    let mut other = Idp::new(&scene.controller, "idp");
    other.kid = "unheard of".to_owned();
    for _ in 0..20 {
        assert!(!scene.logs_in_by(&other).await);
    }
    assert_eq!(scene.server.requests(), 1);
    scene.pass(1);
    for _ in 0..20 {
        assert!(!scene.logs_in_by(&other).await);
    }
    assert_eq!(scene.server.requests(), 2);
}

#[tokio::test]
async fn a_new_key_is_found_by_its_first_token() {
    let scene = Scene::new(keys).await;
    assert!(scene.logs_in().await);
    let mut next = Idp::new(&scene.controller, "idp");
    next.kid = "next".to_owned();
    scene.server.turn_to(keys(&next));
    scene.pass(1);
    assert!(scene.logs_in_by(&next).await);
    assert!(!scene.logs_in().await, "the old key was withdrawn");
}

#[tokio::test]
async fn keys_stay_in_use_while_their_address_is_away() {
    let scene = Scene::with(SHORT, keys).await;
    scene.logs_in_at_last().await;
    for conduct in [
        Conduct::Broken,
        Conduct::Html,
        Conduct::Huge,
        Conduct::Silent,
    ] {
        scene.server.turn_to(conduct.clone());
        let before = scene.server.requests();
        scene.pass(400);
        scene
            .until(&format!("{conduct:?} is met"), async || {
                assert!(scene.logs_in().await);
                // What was asked for last may still be waited for.
                scene.pass(31);
                scene.server.requests() > before
            })
            .await;
    }
    let mut next = Idp::new(&scene.controller, "idp");
    next.kid = "next".to_owned();
    scene.server.turn_to(keys(&next));
    scene
        .until(
            "a withdrawn key is out once the address is back",
            async || {
                scene.pass(31);
                !scene.logs_in().await
            },
        )
        .await;
}

#[tokio::test]
async fn nobody_waits_for_a_silent_address_whose_key_is_there() {
    let scene = Scene::patient(keys).await;
    assert!(scene.logs_in().await);
    scene.server.turn_to(Conduct::Silent);
    scene.pass(300);
    // The fetch never ends, and waiting for it would outlast the test.
    for _ in 0..20 {
        assert!(scene.logs_in().await);
    }
    let asked = async || scene.server.requests() == 2;
    scene.until("the address is asked", asked).await;
}

#[tokio::test]
async fn a_key_withdrawn_long_ago_is_out_at_once() {
    let scene = Scene::new(keys).await;
    assert!(scene.logs_in().await);
    let mut next = Idp::new(&scene.controller, "idp");
    next.kid = "next".to_owned();
    scene.server.turn_to(keys(&next));
    scene.pass(900);
    assert!(!scene.logs_in().await);
}

#[tokio::test]
async fn sets_without_a_usable_key_replace_nothing() {
    let scene = Scene::new(keys).await;
    assert!(scene.logs_in().await);
    let mut other = Idp::new(&scene.controller, "idp");
    other.kid = "unheard of".to_owned();
    for (number, set) in [
        r#"{"keys":[]}"#,
        r#"{"keys":[{"kid":"idp-key","kty":"oct","k":"AAAA"}]}"#,
    ]
    .into_iter()
    .enumerate()
    {
        scene.server.turn_to(Conduct::Json(set.to_owned()));
        scene.pass(2);
        assert!(!scene.logs_in_by(&other).await);
        assert_eq!(scene.server.requests(), 2 + number);
        assert!(scene.logs_in().await, "after {set}");
    }
}

#[tokio::test]
async fn what_is_no_key_set_lets_nobody_in() {
    let elsewhere = KeyServer::start(Conduct::Broken).await;
    for conduct in [
        Conduct::Html,
        Conduct::Broken,
        Conduct::Huge,
        Conduct::Json("{}".to_owned()),
        Conduct::Json("[1]".to_owned()),
        Conduct::Redirect("http://169.254.169.254/keys".to_owned()),
        Conduct::Redirect("http://192.168.0.1/keys".to_owned()),
        Conduct::Redirect("file:///etc/passwd".to_owned()),
        Conduct::Redirect(elsewhere.url.clone()),
    ] {
        let scene = Scene::new(|_idp| conduct.clone()).await;
        assert!(!scene.logs_in().await, "{conduct:?}");
        assert_eq!(scene.server.requests(), 1, "{conduct:?}");
        scene.server.turn_to(keys(&scene.idp));
        scene.pass(1);
        assert!(scene.logs_in().await, "after {conduct:?}");
    }
    assert_eq!(elsewhere.requests(), 1);
}

#[tokio::test]
async fn an_address_that_says_nothing_lets_nobody_in() {
    let scene = Scene::with(SHORT, |_idp| Conduct::Silent).await;
    assert!(!scene.logs_in().await);
    scene.server.turn_to(keys(&scene.idp));
    scene.logs_in_at_last().await;
}

#[tokio::test]
async fn redirects_are_followed_where_the_rules_allow() {
    let scene = Scene::new(keys).await;
    let there = KeyServer::start(keys(&scene.idp)).await;
    scene.server.turn_to(Conduct::Redirect(there.url.clone()));
    assert!(scene.logs_in().await);
    assert_eq!((scene.server.requests(), there.requests()), (1, 1));
}

#[tokio::test]
async fn another_address_has_its_own_keys() {
    let scene = Scene::new(keys).await;
    assert!(scene.logs_in().await);
    let mut next = Idp::new(&scene.controller, "idp");
    next.kid = scene.idp.kid.clone();
    let there = KeyServer::start(keys(&next)).await;
    let change = json!({"jwksEndpoint": there.url});
    patch_signer(&scene.controller, &scene.admin, &scene.signer, change)
        .await
        .data();
    assert!(
        !scene.logs_in().await,
        "the old key does not count any more"
    );
    assert!(scene.logs_in_by(&next).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_first_logins_share_one_fetch() {
    let scene = Scene::new(keys).await;
    let token = scene.idp.token(&scene.controller, "ada@x");
    let controller = std::sync::Arc::new(scene.controller);
    let mut logins = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (controller, token) = (controller.clone(), token.clone());
        logins.spawn(async move { log_in_with(&controller, &[&token]).await.status });
    }
    for status in logins.join_all().await {
        assert_eq!(status, 200);
    }
    assert_eq!(scene.server.requests(), 1);
}
