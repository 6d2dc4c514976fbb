//! Renewing certificates: who may, what it changes and when.

use crate::support::credentials::{
    add_authority, authenticator_of, bare, cert, client_of, log_in_by_certificate, send, shown,
    token_by, with_certificate, with_password,
};
use crate::support::{
    add_policy, bad_request, current_session, find_identity_id, get, revision, text,
};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_pki::{Certificate, certificates_from_pem, certificates_to_pem};
use portcullis_testkit::{Harness, HarnessOptions, Reply, client_key_and_csr};
use serde_json::{Value, json};
use std::sync::Arc;

const APIS: [&str; 2] = ["/edge/client/v1", "/edge/management/v1"];

/// Somebody with a session and the certificate of its connection.
#[derive(Clone)]
struct Holder {
    controller: Arc<Harness>,
    api: &'static str,
    token: String,
    chain: Vec<Certificate>,
    authenticator: String,
}

impl Holder {
    async fn new(controller: &Arc<Harness>, admin: &str, name: &str) -> Self {
        let (id, chain) = with_certificate(controller, admin, name).await;
        Self {
            token: token_by(controller, &chain).await,
            authenticator: authenticator_of(controller, admin, &id, "cert").await,
            controller: controller.clone(),
            api: APIS[0],
            chain,
        }
    }

    async fn post(&self, step: &str, body: &Value) -> Reply {
        let Self {
            api, authenticator, ..
        } = self;
        let path = format!("{api}/current-identity/authenticators/{authenticator}/{step}");
        self.controller
            .request(Method::POST, &path)
            .session(&self.token)
            .certificates(&self.chain)
            .json(body)
            .send()
            .await
    }

    async fn extend(&self, csr: &str) -> Reply {
        self.post("extend", &json!({"clientCertCsr": csr})).await
    }

    async fn confirm(&self, chain: &[Certificate]) -> Reply {
        let pem = certificates_to_pem(chain);
        self.post("extend-verify", &json!({"clientCert": pem}))
            .await
    }

    /// Has a certificate issued.
    async fn issued(&self) -> Vec<Certificate> {
        let (_key, csr) = client_key_and_csr();
        let data = self.extend(&csr).await.data();
        certificates_from_pem(text(&data, "clientCert")).unwrap()
    }
}

#[tokio::test]
async fn confirmed_certificate_takes_the_place_of_the_old_one() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for (number, api) in APIS.into_iter().enumerate() {
        let mut holder = Holder::new(&controller, &admin, &format!("device {number}")).await;
        holder.api = api;
        let path = format!("/authenticators/{}/request-extend", holder.authenticator);
        send(
            &controller,
            &admin,
            (Method::POST, &path),
            &json!({"rollKeys": true}),
        )
        .await
        .data();

        let (_key, csr) = client_key_and_csr();
        let data = holder.extend(&csr).await.data();
        let authorities = text(&data, "ca");
        assert!(authorities.starts_with("\n-----BEGIN"), "{authorities}");
        let authorities = certificates_from_pem(authorities).unwrap();
        assert!(authorities.iter().all(Certificate::is_ca));
        let new = certificates_from_pem(text(&data, "clientCert")).unwrap();
        let names = |one: &Certificate| one.uri_names().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(names(&new[0]), names(&holder.chain[0]));

        // Until it is confirmed, everything is as it was.
        assert_eq!(log_in_by_certificate(&controller, &new).await.status, 401);
        assert_eq!(
            log_in_by_certificate(&controller, &holder.chain)
                .await
                .status,
            200
        );
        let before = shown(&controller, &admin, &holder.authenticator).await;
        assert_eq!(
            before["fingerprint"],
            holder.chain[0].fingerprint().to_string()
        );

        holder.confirm(&new).await.data();
        assert_eq!(
            log_in_by_certificate(&controller, &holder.chain)
                .await
                .status,
            401
        );
        let login = log_in_by_certificate(&controller, &new).await;
        assert_eq!(login.status, 200);
        assert!(
            !login
                .headers
                .contains_key("ziti-authenticator-extend-requested")
        );
        let after = shown(&controller, &admin, &holder.authenticator).await;
        assert_eq!(after["fingerprint"], new[0].fingerprint().to_string());
        assert_eq!(after["certPem"], new[0].to_pem());
        for gone in ["isExtendRequested", "isKeyRollRequested"] {
            assert!(after.get(gone).is_none(), "{after}");
        }
        assert_eq!(after["extendRequestedAt"], before["extendRequestedAt"]);

        // The old certificate renews nothing any more, the new one does.
        let (_key, csr) = client_key_and_csr();
        assert_eq!(
            holder.extend(&csr).await.error(),
            (401, "UNAUTHORIZED".to_owned())
        );
        holder.chain = new;
        assert_eq!(holder.extend(&csr).await.status, 200);
    }
}

#[tokio::test]
async fn session_goes_over_to_the_new_certificate() {
    let mut options = HarnessOptions::default();
    options.settings.session_timeout = SignedDuration::from_hours(24 * 400);
    let controller = Arc::new(Harness::start_with(options).await);
    let admin = controller.admin().await;
    add_policy(&controller, "fresh", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    let holder = Holder::new(&controller, &admin, "device").await;
    let path = format!(
        "/identities/{}",
        find_identity_id(&controller, &admin, "device").await
    );
    let under = json!({"authPolicyId": "fresh"});
    send(&controller, &admin, (Method::PATCH, &path), &under)
        .await
        .data();
    controller.clock.advance(SignedDuration::from_hours(24));
    let new = holder.issued().await;
    holder.confirm(&new).await.data();

    // It lives no longer than the certificate that it is bound to now.
    let old_end = holder.chain[0].not_after();
    controller
        .clock
        .advance(old_end.duration_since(controller.app.env().now()));
    controller.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(
        current_session(&controller, &holder.token).await.status,
        200
    );
}

#[tokio::test]
async fn session_lives_no_longer_than_what_vouches_for_its_new_certificate() {
    let mut options = HarnessOptions::default();
    options.settings.session_timeout = SignedDuration::from_hours(24 * 400);
    let controller = Arc::new(Harness::start_with(options).await);
    let end = controller.app.network().signing().certificate().not_after();
    controller
        .clock
        .set(end - SignedDuration::from_hours(24 * 100));
    let admin = controller.admin().await;
    add_policy(&controller, "fresh", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    let holder = Holder::new(&controller, &admin, "device").await;
    let path = format!(
        "/identities/{}",
        find_identity_id(&controller, &admin, "device").await
    );
    let under = json!({"authPolicyId": "fresh"});
    send(&controller, &admin, (Method::PATCH, &path), &under)
        .await
        .data();
    let new = holder.issued().await;
    assert!(new[0].not_after() > end);
    holder.confirm(&new).await.data();
    controller.clock.set(end);
    assert_eq!(
        current_session(&controller, &holder.token).await.status,
        200
    );
    controller.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(
        current_session(&controller, &holder.token).await.status,
        401
    );
}

/// Whoever has the old key alone has nothing any more.
#[tokio::test]
async fn renewal_ends_the_other_sessions_of_the_old_certificate() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let holder = Holder::new(&controller, &admin, "device").await;
    let bystander = Holder::new(&controller, &admin, "bystander").await;
    let other = token_by(&controller, &holder.chain).await;
    let status = async |token: &str, chain: &[Certificate]| {
        let request = controller.request(Method::GET, "/current-identity");
        request
            .session(token)
            .certificates(chain)
            .send()
            .await
            .status
    };
    let new = holder.issued().await;
    assert_eq!(status(&holder.token, &new).await, 200, "it is pending");
    assert_eq!(status(&bystander.token, &new).await, 401);
    holder.confirm(&new).await.data();

    assert_eq!(status(&other, &holder.chain).await, 401);
    assert_eq!(
        status(&holder.token, &holder.chain).await,
        200,
        "still connected"
    );
    assert_eq!(status(&holder.token, &new).await, 200);
    assert_eq!(status(&bystander.token, &bystander.chain).await, 200);
    let later = token_by(&controller, &new).await;
    assert_eq!(status(&later, &new).await, 200);
    assert_eq!(status(&later, &holder.chain).await, 401);
}

/// An administrator that asks for another key may know that somebody else has the old one.
#[tokio::test]
async fn another_key_that_was_asked_for_is_met_by_another_key_alone() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let mut holder = Holder::new(&controller, &admin, "device").await;
    let path = format!("/authenticators/{}/request-extend", holder.authenticator);
    let ask = async |roll: bool| {
        let body = json!({"rollKeys": roll});
        let reply = send(&controller, &admin, (Method::POST, &path), &body).await;
        reply.data();
    };
    let look = async || shown(&controller, &admin, &holder.authenticator).await;
    assert!(look().await.get("lastExtendRolledKeys").is_none());
    let (_key, csr) = client_key_and_csr();

    ask(true).await;
    let data = holder.extend(&csr).await.data();
    let new = certificates_from_pem(text(&data, "clientCert")).unwrap();
    holder.confirm(&new).await.data();
    let after = look().await;
    assert!(after.get("isKeyRollRequested").is_none(), "{after}");
    assert_eq!(after["lastExtendRolledKeys"], true);
    holder.token = token_by(&controller, &new).await;
    holder.chain = new;

    // The key of the request is the current one now.
    ask(true).await;
    let at = revision(&controller);
    let reply = holder.extend(&csr).await;
    assert_eq!(reply.error(), (400, "COULD_NOT_PROCESS_CSR".to_owned()));
    assert!(reply.text().contains("new key pair"), "{}", reply.text());
    assert_eq!(revision(&controller), at);
    let look = async || shown(&controller, &admin, &holder.authenticator).await;
    assert_eq!(look().await["isKeyRollRequested"], true);

    // Without the demand the key may stay, and the view says that it did.
    ask(false).await;
    let data = holder.extend(&csr).await.data();
    let new = certificates_from_pem(text(&data, "clientCert")).unwrap();
    // A demand that comes before the confirmation is not met by what was issued before it.
    ask(true).await;
    holder.confirm(&new).await.data();
    let after = look().await;
    assert_eq!(after["isKeyRollRequested"], true, "{after}");
    assert_eq!(after["lastExtendRolledKeys"], false, "{after}");
    let filter = "filter=lastExtendRolledKeys%20%3D%20false";
    let found = get(&controller, &admin, &format!("/authenticators?{filter}")).await;
    let found = found.data();
    let found = found.as_array().unwrap().iter();
    assert!(found.map(|one| &one["id"]).any(|id| *id == after["id"]));
    let filter = "filter=lastExtendRolledKeys%20%3D%20true";
    let found = get(&controller, &admin, &format!("/authenticators?{filter}")).await;
    assert_eq!(found.data(), json!([]));
}

#[tokio::test]
async fn expired_certificate_can_be_renewed() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let mut holder = Holder::new(&controller, &admin, "device").await;
    controller
        .clock
        .advance(SignedDuration::from_hours(24 * 366));
    holder.token = token_by(&controller, &holder.chain).await;
    let new = holder.issued().await;
    holder.confirm(&new).await.data();
    assert_eq!(log_in_by_certificate(&controller, &new).await.status, 200);
}

#[tokio::test]
async fn renewal_is_refused_for_each_fault_and_changes_nothing() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let holder = Holder::new(&controller, &admin, "device").await;
    let other = Holder::new(&controller, &admin, "other").await;
    let (_, password, by_password) = with_password(&controller, &admin, "anna", json!({})).await;
    let (_, authority) = add_authority(&controller, "verified", true).await;
    let foreign = client_of(&controller, &authority);
    let (_key, csr) = client_key_and_csr();
    let denied = (401, "UNAUTHORIZED".to_owned());
    let unfit = (409, "CAN_NOT_UPDATE_AUTHENTICATOR".to_owned());
    let with = |edit: &dyn Fn(&mut Holder)| {
        let mut changed = holder.clone();
        edit(&mut changed);
        changed
    };
    let nothing = with(&|holder| holder.chain.clear());
    let anothers = with(&|holder| holder.chain = other.chain.clone());
    let strangers = with(&|holder| holder.chain = vec![foreign.clone()]);
    let reordered = with(&|holder| holder.chain.insert(0, other.chain[0].clone()));
    let of_another = with(&|holder| holder.authenticator = other.authenticator.clone());
    let unknown = with(&|holder| holder.authenticator = "nope".to_owned());
    let bare_password = with(&|holder| {
        holder.authenticator = password.clone();
        holder.token = by_password.clone();
        holder.chain.clear();
    });
    let updb = with(&|holder| {
        holder.authenticator = password.clone();
        holder.token = by_password.clone();
    });
    let at = revision(&controller);
    for (holder, csr, refusal) in [
        (&nothing, csr.as_str(), denied.clone()),
        (&anothers, &csr, denied.clone()),
        (&strangers, &csr, denied.clone()),
        (&reordered, &csr, denied.clone()),
        (&of_another, &csr, denied.clone()),
        (&bare_password, &csr, denied.clone()),
        (&updb, &csr, unfit.clone()),
        (&unknown, &csr, (404, "NOT_FOUND".to_owned())),
        (&holder, "nope", bad_request("COULD_NOT_PROCESS_CSR")),
        (&holder, "", bad_request("COULD_NOT_VALIDATE")),
    ] {
        let reply = holder.extend(csr).await;
        assert_eq!(reply.error(), refusal, "{}", reply.text());
    }
    for (holder, refusal) in [
        (&holder, unfit.clone()),
        (&of_another, denied),
        (&updb, unfit.clone()),
        (&unknown, (404, "NOT_FOUND".to_owned())),
    ] {
        let reply = holder.confirm(&holder.chain).await;
        assert_eq!(reply.error(), refusal, "{}", reply.text());
    }
    assert_eq!(revision(&controller), at);

    let new = holder.issued().await;
    let at = revision(&controller);
    for body in [
        json!({"clientCert": "nope"}),
        json!({"clientCert": holder.chain[0].to_pem()}),
        json!({"clientCert": certificates_to_pem([&holder.chain[0], &new[0]])}),
    ] {
        let reply = holder.post("extend-verify", &body).await;
        assert_eq!(reply.error(), bad_request("INVALID_CLIENT_CERT"));
    }
    let reply = holder.post("extend-verify", &json!({})).await;
    assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"));
    assert_eq!(reply.field(), "clientCert");
    assert_eq!(revision(&controller), at);
    holder.confirm(&new).await.data();
    assert_eq!(
        holder.confirm(&new).await.error(),
        unfit,
        "it is not confirmed twice"
    );

    // What a third party has issued is for the third party to renew.
    let id = bare(&controller, &admin, "foreign").await;
    let body = cert(&id, &foreign);
    let made = send(
        &controller,
        &admin,
        (Method::POST, "/authenticators"),
        &body,
    )
    .await
    .id();
    let password = crate::support::credentials::updb(&id, "foreign");
    send(
        &controller,
        &admin,
        (Method::POST, "/authenticators"),
        &password,
    )
    .await
    .id();
    let theirs = Holder {
        token: controller
            .login("foreign", portcullis_testkit::PASSWORD)
            .await,
        authenticator: made,
        chain: vec![foreign],
        ..holder
    };
    assert_eq!(theirs.extend(&csr).await.error(), unfit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_certificates_the_last_one_issued_is_confirmed_once() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let holder = Holder::new(&controller, &admin, "device").await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let holder = holder.clone();
        tasks.spawn(async move { holder.issued().await });
    }
    let issued = tasks.join_all().await;
    let mut tasks = tokio::task::JoinSet::new();
    for chain in issued.iter().cloned().chain(issued.iter().cloned()) {
        let holder = holder.clone();
        tasks.spawn(async move { holder.confirm(&chain).await.status.as_u16() });
    }
    let statuses = tasks.join_all().await;
    let confirmed = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(confirmed, 1, "{statuses:?}");
    assert!(
        statuses
            .iter()
            .all(|status| [200, 400, 409].contains(status)),
        "{statuses:?}"
    );
    let mut good = 0;
    for chain in &issued {
        good += usize::from(log_in_by_certificate(&controller, chain).await.status == 200);
    }
    assert_eq!(good, 1);
    assert_eq!(
        log_in_by_certificate(&controller, &holder.chain)
            .await
            .status,
        401
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deletion_leaves_no_session_of_a_login_at_the_same_time() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for round in 0..8 {
        let holder = Holder::new(&controller, &admin, &format!("device {round}")).await;
        let mut logins = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let holder = holder.clone();
            logins.spawn(
                async move { log_in_by_certificate(&holder.controller, &holder.chain).await },
            );
        }
        let path = format!("/authenticators/{}", holder.authenticator);
        send(&controller, &admin, (Method::DELETE, &path), &json!({}))
            .await
            .data();
        for reply in logins.join_all().await {
            if reply.status == 200 {
                let token = text(&reply.data(), "token").to_owned();
                assert_eq!(
                    current_session(&controller, &token).await.status,
                    401,
                    "{round}"
                );
            }
        }
        let name = format!("/identities?filter=name%3D%22device%20{round}%22");
        let shown = get(&controller, &admin, &name).await.data();
        assert_eq!(shown[0]["hasApiSession"], false, "{shown}");
    }
}
