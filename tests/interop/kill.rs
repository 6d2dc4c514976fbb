//! What was acknowledged survives the end of the process between any two instructions.

use portcullis_api::identity::{IdentityCreate, IdentityCreateEnrollment, IdentityDetail};
use portcullis_client::{Api, Client, ClientError, ListQuery, Trust};
use portcullis_domain::ids::IdentityId;
use portcullis_testkit::client_key_and_csr;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{Controller, TestDirectory, wait};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Rounds without another wish; `PORTCULLIS_KILL_ROUNDS` sets any number.
const ROUNDS: usize = 50;

/// Clients that create at the same time.
const CLIENTS: usize = 4;

/// Identities that are acknowledged before the controller is killed; another number each round, so
/// that the kill hits another moment.
fn enough(round: usize) -> usize {
    1 + round * 7 % 23
}

/// Ids that clients hold an acknowledgement of.
#[derive(Debug, Default)]
struct Acknowledged {
    ids: Mutex<BTreeSet<IdentityId>>,
    count: AtomicUsize,
    /// Identities that hold a certificate.
    certified: Mutex<BTreeSet<IdentityId>>,
}

impl Acknowledged {
    fn add(&self, id: IdentityId) {
        assert!(self.ids.lock().unwrap().insert(id), "an id was given twice");
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

#[test]
fn acknowledged_identities_and_redemptions_survive_kills() {
    let rounds = std::env::var("PORTCULLIS_KILL_ROUNDS")
        .map_or(ROUNDS, |rounds| rounds.parse().expect("a number of rounds"));
    let runtime = Runtime::new().unwrap();
    let site = TestDirectory::new();
    let acknowledged = Arc::new(Acknowledged::default());
    let password = "kill-loop-password";
    let mut controller = site.quickstart().with(["--password", password]).start();
    // Its session outlives the kills as well.
    let admin = runtime.block_on(log_in(&controller, password));
    for round in 0..rounds {
        let goal = acknowledged.count() + enough(round);
        let mut clients = load(&runtime, &admin, round, &acknowledged);
        let reached = wait::until(wait::DEFAULT_TIMEOUT, || match acknowledged.count() {
            count if count >= goal => Ok(()),
            count => Err(format!("round {round}: {count} of {goal} acknowledged")),
        });
        reached.unwrap();
        controller.kill();
        runtime.block_on(async {
            while let Some(client) = clients.join_next().await {
                client.unwrap();
            }
        });
        controller = site.quickstart().start();
        runtime.block_on(check(&admin, round, &acknowledged));
    }
    println!(
        "{rounds} rounds, {} acknowledged identities, {} of them with a certificate, none lost",
        acknowledged.count(),
        acknowledged.certified.lock().unwrap().len()
    );
    assert!(controller.terminate().success());
}

/// The authorities of a controller.
pub(crate) fn authorities(controller: &Controller) -> Vec<CertificateDer<'static>> {
    let authorities = CertificateDer::pem_file_iter(controller.ca()).unwrap();
    authorities.map(Result::unwrap).collect()
}

/// A client with connections of its own.
pub(crate) fn client(controller: &Controller) -> Client {
    Client::builder(
        &controller.url().parse().unwrap(),
        Trust::anchors(authorities(controller)),
    )
    .timeout(Duration::from_secs(20))
    .build()
    .unwrap()
}

async fn log_in(controller: &Controller, password: &str) -> Client {
    let client = client(controller);
    let session = client
        .authenticate_with_password(Api::Management, "admin", password.into())
        .await
        .unwrap();
    client.with_session(session.token)
}

/// Redeems the token of an identity.
async fn certify(admin: &Client, id: &IdentityId) -> Result<(), ClientError> {
    let shown = admin.entity::<IdentityDetail>(id).await?;
    let token = shown.enrollment.ott.unwrap().token.unwrap();
    let (_key, csr) = client_key_and_csr();
    admin.enroll_with_csr(token, &csr).await.map(|_chain| ())
}

/// Starts clients that create, and enroll every other identity, until the controller is gone.
fn load(
    runtime: &Runtime,
    admin: &Client,
    round: usize,
    acknowledged: &Arc<Acknowledged>,
) -> JoinSet<()> {
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (admin, acknowledged) = (admin.clone(), Arc::clone(acknowledged));
        let creating = async move {
            for sequence in 0.. {
                let mut body = IdentityCreate::named(format!("i-{round}-{number}-{sequence}"));
                body.enrollment = Some(IdentityCreateEnrollment::ott());
                let done = async {
                    let id = admin.create_entity::<IdentityDetail>(&body).await?;
                    acknowledged.add(id.clone());
                    if sequence % 2 == 1 {
                        certify(&admin, &id).await?;
                        acknowledged.certified.lock().unwrap().insert(id);
                    }
                    Ok(())
                };
                match done.await {
                    Ok(()) => {},
                    // No answer: it may have been done or not.
                    Err(ClientError::Unreachable { .. } | ClientError::Interrupted { .. }) => {
                        return;
                    },
                    Err(error) => panic!("round {round}: {error}"),
                }
            }
        };
        clients.spawn_on(creating, runtime.handle());
    }
    clients
}

/// Compares what is there with what was acknowledged: in lists, and one by one.
async fn check(admin: &Client, round: usize, acknowledged: &Acknowledged) {
    let expected = acknowledged.ids.lock().unwrap().clone();
    let certified = acknowledged.certified.lock().unwrap().clone();
    let mut query = ListQuery::with_filter("not (name = \"admin\")");
    query.limit = Some(500);
    let mut found = BTreeSet::new();
    loop {
        query.offset = Some(i64::try_from(found.len()).unwrap());
        let page = admin.entities::<IdentityDetail>(&query).await.unwrap().data;
        if page.is_empty() {
            break;
        }
        for identity in page {
            // What an identity was created with is there with it, or has become a certificate:
            // a token is never spent for nothing, and never good for a second one.
            let (name, id) = (identity.name, identity.base.id);
            let has_certificate = identity.authenticators.cert.is_some();
            assert_ne!(
                identity.enrollment.ott.is_some(),
                has_certificate,
                "round {round}: {name}"
            );
            assert!(
                has_certificate || !certified.contains(&id),
                "round {round}: {name} has lost its certificate"
            );
            assert!(found.insert(id), "listed twice");
        }
    }
    let lost: Vec<_> = expected.difference(&found).collect();
    assert!(lost.is_empty(), "round {round}: lost {lost:?}");
    // One creation of each client may have been under way.
    let most = expected.len() + CLIENTS * (round + 1);
    assert!(
        found.len() <= most,
        "round {round}: {} of {most}",
        found.len()
    );
    if let Some(last) = expected.last() {
        let shown = admin.entity::<IdentityDetail>(last).await.unwrap();
        assert_eq!(shown.base.id, *last);
    }
}
