//! What many do at once, and only one may.

use crate::support::{create, get, ott_enrollment, pending_enrollment, read, redeem, text};
use http::Method;
use portcullis_app::{AppError, administrator};
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD, Reply, client_key_and_csr};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Runs `count` tasks at once and collects what they come to.
pub(crate) async fn at_once<F>(count: usize, task: impl Fn(usize) -> F) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for number in 0..count {
        tasks.spawn(task(number));
    }
    tasks.join_all().await
}

/// Rounds of a race: `PORTCULLIS_RACE_ROUNDS`, or as many as there is time for in an ordinary run.
pub(crate) fn rounds(otherwise: usize) -> usize {
    std::env::var("PORTCULLIS_RACE_ROUNDS").map_or(otherwise, |count| count.parse().unwrap())
}

/// How many answers came out how: by status if it is a success, else by code.
pub(crate) fn tally<'r>(replies: impl IntoIterator<Item = &'r Reply>) -> BTreeMap<String, usize> {
    let mut tally = BTreeMap::new();
    for reply in replies {
        let outcome = match reply.status.as_u16() {
            status @ (200 | 201) => status.to_string(),
            _ => reply.error().1,
        };
        *tally.entry(outcome).or_default() += 1;
    }
    tally
}

/// The same for what is expected.
pub(crate) fn outcomes<const N: usize>(expected: [(&str, usize); N]) -> BTreeMap<String, usize> {
    expected
        .map(|(name, count)| (name.to_owned(), count))
        .into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_token_gives_one_certificate() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for round in 0..rounds(5) {
        let how = ott_enrollment();
        let id = create(&controller, &admin, &format!("round {round}"), how).await;
        let token = text(
            &pending_enrollment(&controller, &admin, &id, "ott").await,
            "token",
        )
        .to_owned();
        let csrs: Vec<_> = (0..256).map(|_| client_key_and_csr().1).collect();
        let replies = at_once(256, |number| {
            let (controller, token, csr) =
                (controller.clone(), token.clone(), csrs[number].clone());
            async move { redeem(&controller, &token, &csr).await }
        })
        .await;
        let expected = [("200", 1), ("INVALID_ENROLLMENT_TOKEN", 255)];
        assert_eq!(tally(&replies), outcomes(expected));

        let winner = replies.iter().find(|reply| reply.status == 200).unwrap();
        let chain = certificates_from_pem(text(&winner.data(), "cert")).unwrap();
        let shown = read(&controller, &admin, &id).await;
        let fingerprint = chain[0].fingerprint().to_string();
        assert_eq!(shown["authenticators"]["cert"]["fingerprint"], fingerprint);
        assert_eq!(shown["enrollment"], json!({}));
        assert_eq!(stored_authenticators(&controller, &id).await, 1);
    }
}

/// Fewer than elsewhere: each of them costs a hash.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_token_sets_one_password() {
    let controller = Arc::new(
        Harness::start_with(HarnessOptions {
            // One identity may have half of it.
            password_queue: 2 * 96,
            ..HarnessOptions::default()
        })
        .await,
    );
    let admin = controller.admin().await;
    let how = json!({"enrollment": {"updb": "user"}});
    let id = create(&controller, &admin, "user", how).await;
    let token = text(
        &pending_enrollment(&controller, &admin, &id, "updb").await,
        "token",
    )
    .to_owned();
    let replies = at_once(96, |number| {
        let (controller, token) = (controller.clone(), token.clone());
        async move {
            let path = format!("/enroll?method=updb&token={token}");
            let request = controller.request(Method::POST, &path);
            let body = json!({"password": format!("password-{number}")});
            (number, request.json(&body).send().await)
        }
    })
    .await;
    let expected = [("200", 1), ("INVALID_ENROLLMENT_TOKEN", 95)];
    assert_eq!(
        tally(replies.iter().map(|(_, reply)| reply)),
        outcomes(expected)
    );
    let (winner, _) = replies
        .iter()
        .find(|(_, reply)| reply.status == 200)
        .unwrap();
    controller
        .login("user", &format!("password-{winner}"))
        .await;
    assert_eq!(stored_authenticators(&controller, &id).await, 1);
}

/// Number of authenticators below an identity in the store, which its record must agree with.
async fn stored_authenticators(controller: &Harness, id: &str) -> usize {
    use portcullis_domain::authenticator::Authenticator;
    use portcullis_domain::identity::Identity;
    use portcullis_storage::tables::{Found, UniqueIndex, UniqueValue};
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, id);
    crate::support::modify_store(controller, move |rows| {
        let identity: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        let found = rows
            .rows()
            .dependents::<Authenticator>(&identity.key)
            .unwrap();
        assert_eq!(
            usize::try_from(identity.entity.attached.authenticators).unwrap(),
            found.len()
        );
        found.len()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_name_is_given_once() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for round in 0..rounds(5) {
        for member in ["name", "externalId"] {
            let value = format!("{member} {round}");
            let replies = at_once(64, |number| {
                let (controller, admin) = (controller.clone(), admin.clone());
                let mut body =
                    json!({"name": format!("{member} {round} of {number}"), "isAdmin": false});
                body[member] = json!(value);
                async move {
                    let request = controller.manage(Method::POST, "/identities", &admin);
                    request.json(&body).send().await
                }
            })
            .await;
            let expected = [("201", 1), ("COULD_NOT_VALIDATE", 63)];
            assert_eq!(tally(&replies), outcomes(expected));
            for loser in replies.iter().filter(|reply| reply.status == 400) {
                assert_eq!(loser.field(), member);
            }
        }
    }
    let total = get(&controller, &admin, "/identities").await.json();
    assert_eq!(total["meta"]["pagination"]["totalCount"], 11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_username_is_given_once() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let mut tokens = Vec::new();
    for number in 0..16 {
        let how = json!({"enrollment": {"updb": "someone"}});
        let id = create(&controller, &admin, &format!("n{number}"), how).await;
        tokens.push(
            text(
                &pending_enrollment(&controller, &admin, &id, "updb").await,
                "token",
            )
            .to_owned(),
        );
    }
    let replies = at_once(16, |number| {
        let (controller, token) = (controller.clone(), tokens[number].clone());
        async move {
            let path = format!("/enroll?method=updb&token={token}");
            let request = controller.request(Method::POST, &path);
            request.json(&json!({"password": PASSWORD})).send().await
        }
    })
    .await;
    let expected = [("200", 1), ("COULD_NOT_VALIDATE", 15)];
    assert_eq!(tally(&replies), outcomes(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn enrollment_of_a_method_is_created_once() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    let replies = at_once(64, |_| {
        let (controller, admin) = (controller.clone(), admin.clone());
        let body = json!({"identityId": id, "method": "ott", "expiresAt": "2032-01-01T00:00:00Z"});
        async move {
            let request = controller.manage(Method::POST, "/enrollments", &admin);
            request.json(&body).send().await
        }
    })
    .await;
    let expected = [("201", 1), ("ENROLLMENT_EXISTS", 63)];
    assert_eq!(tally(&replies), outcomes(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn redemption_and_deletion_leave_nothing_behind() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for round in 0..16 {
        let how = ott_enrollment();
        let id = create(&controller, &admin, &format!("round {round}"), how).await;
        let token = text(
            &pending_enrollment(&controller, &admin, &id, "ott").await,
            "token",
        )
        .to_owned();
        let (_key, csr) = client_key_and_csr();
        let replies = at_once(4, |number| {
            let (controller, admin) = (controller.clone(), admin.clone());
            let (token, csr, path) = (token.clone(), csr.clone(), format!("/identities/{id}"));
            async move {
                match number {
                    0 => {
                        controller
                            .manage(Method::DELETE, &path, &admin)
                            .send()
                            .await
                    },
                    _ => redeem(&controller, &token, &csr).await,
                }
            }
        })
        .await;
        for reply in replies {
            let status = reply.status.as_u16();
            assert!(
                status == 200 || reply.error().1 == "INVALID_ENROLLMENT_TOKEN",
                "{}",
                reply.text()
            );
            if status == 200 && reply.data().get("cert").is_some() {
                let chain = certificates_from_pem(text(&reply.data(), "cert")).unwrap();
                let login = controller.request(Method::POST, "/authenticate?method=cert");
                let login = login.certificates(&chain).send().await;
                assert_eq!(login.error(), (401, "INVALID_AUTH".to_owned()));
            }
        }
    }
    let all = get(&controller, &admin, "/identities").await.data();
    assert_eq!(all.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn there_is_one_first_administrator() {
    let options = HarnessOptions {
        is_initialized: false,
        // The controller itself may have half of it.
        password_queue: 2 * 256,
        ..HarnessOptions::default()
    };
    let controller = Arc::new(Harness::start_with(options).await);
    assert!(!administrator::exists(&controller.app).unwrap());
    let login = |name: String| {
        let controller = controller.clone();
        async move {
            let request = controller.request(Method::POST, "/authenticate?method=password");
            let body = json!({"username": name, "password": PASSWORD});
            request.json(&body).send().await
        }
    };
    for name in [ADMIN, "root", "user"] {
        let reply = login(name.to_owned()).await;
        assert_eq!(
            reply.error(),
            (401, "INVALID_AUTH".to_owned()),
            "before init nobody gets in"
        );
    }
    let outcomes = at_once(256, |number| {
        let app = controller.app.clone();
        async move {
            let name = format!("admin {number}");
            (
                number,
                administrator::initialize(&app, &name, PASSWORD.into()).await,
            )
        }
    })
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|(_, made)| made.is_ok());
    assert_eq!((won.len(), lost.len()), (1, 255));
    for (number, outcome) in lost {
        assert!(
            matches!(outcome, Err(AppError::AlreadyInitialized)),
            "{number}: {outcome:?}"
        );
    }
    let winner = format!("admin {}", won[0].0);
    let token = text(&login(winner).await.data(), "token").to_owned();
    let all = get(&controller, &token, "/identities").await.data();
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["isDefaultAdmin"], true);
}
