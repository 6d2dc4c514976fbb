//! Certificates that run out.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_channel::Priority;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::certificate::{CertificateVerification, ExtendedCertificates};
use tempfile::TempDir;

use super::controller::{FakeController, RouterChannel};
use super::world::{Authority, Router, Running, soon};
use crate::control::RenewableIdentity;
use crate::control::renewal::CertificateRequests;
use crate::tls::Tls;

/// An identity whose certificates run out, unless they are new.
#[derive(Default)]
struct FakeIdentity {
    is_new: bool,
    /// What it was asked to do.
    done: Mutex<Vec<String>>,
}

impl FakeIdentity {
    fn with_new_certificates() -> Arc<Self> {
        Arc::new(Self {
            is_new: true,
            ..Self::default()
        })
    }

    async fn has_done(&self, expected: &[&str]) {
        soon(async {
            while self.done.lock().as_slice() != expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

impl RenewableIdentity for FakeIdentity {
    fn validities(&self) -> Vec<(Timestamp, Timestamp)> {
        let is_renewed = self.done.lock().last().is_some_and(|last| last == "commit");
        let end = if self.is_new || is_renewed {
            1_800_000_000
        } else {
            1_790_000_100
        };
        vec![(
            Timestamp::from_second(1_789_990_000).unwrap(),
            Timestamp::from_second(end).unwrap(),
        )]
    }

    fn requests(&self) -> Result<CertificateRequests, String> {
        self.done.lock().push("request".to_owned());
        Ok(CertificateRequests {
            client: "client csr".to_owned(),
            server: "server csr".to_owned(),
        })
    }

    fn stage(&self, client_chain: &str, server_chain: &str) -> Result<(), String> {
        let chains = format!("stage {client_chain}, {server_chain}");
        self.done.lock().push(chains);
        Ok(())
    }

    fn commit(&self) -> Result<(), String> {
        self.done.lock().push("commit".to_owned());
        Ok(())
    }

    fn left_over(&self) -> Option<Arc<Tls>> {
        None
    }

    fn settle(&self, _is_left_over: bool) {}
}

/// An identity that a renewal has left something over of.
struct LeftBehind {
    left_over: Arc<Tls>,
    settled: Mutex<Option<bool>>,
}

impl RenewableIdentity for LeftBehind {
    fn validities(&self) -> Vec<(Timestamp, Timestamp)> {
        Vec::new()
    }

    fn requests(&self) -> Result<CertificateRequests, String> {
        Err("nothing is renewed".to_owned())
    }

    fn stage(&self, _client_chain: &str, _server_chain: &str) -> Result<(), String> {
        Ok(())
    }

    fn commit(&self) -> Result<(), String> {
        Ok(())
    }

    fn left_over(&self) -> Option<Arc<Tls>> {
        let is_open = self.settled.lock().is_none();
        is_open.then(|| Arc::clone(&self.left_over))
    }

    fn settle(&self, is_left_over: bool) {
        self.settled.lock().get_or_insert(is_left_over);
    }
}

/// Of two sets of certificates, a router finds out which one its controller accepts.
#[tokio::test]
async fn what_a_renewal_has_left_is_tried_in_turn() {
    let (known, unknown) = (Authority::new(), Authority::new());
    for (in_use, aside, expected) in [(&known, &unknown, false), (&unknown, &known, true)] {
        let controller = FakeController::start("c1", &known).await;
        let directory = TempDir::new().unwrap();
        let identity = Arc::new(LeftBehind {
            left_over: aside.tls(),
            settled: Mutex::new(None),
        });
        let mut router = Router {
            identity: Some(Arc::clone(&identity) as _),
            ..Router::at(in_use, &directory, &[controller.place()])
        }
        .start();
        router.connects_to("c1").await;
        assert_eq!(*identity.settled.lock(), Some(expected));
        router.stop().await;
    }
}

/// A router whose certificates its only controller renews, the channel there, and what both need.
async fn connect(
    identity: &Arc<FakeIdentity>,
    renews_at_once: bool,
) -> (Running, RouterChannel, (FakeController, TempDir)) {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let router = Router {
        identity: Some(Arc::clone(identity) as _),
        renews_at_once,
        ..Router::at(&authority, &directory, &[controller.place()])
    }
    .start();
    let channel = controller.router().await;
    (router, channel, (controller, directory))
}

/// What a controller says that does not confirm certificates.
fn refusal() -> CertificateVerification {
    CertificateVerification {
        code: "VERIFY_ERROR".to_owned(),
        reason: "no".to_owned(),
        cause: String::new(),
    }
}

/// Issues certificates for the request that comes next, and answers their confirmation.
async fn issue(channel: &mut RouterChannel, answer: CertificateVerification) {
    channel
        .expect(|_, message| match message {
            ControlMessage::ExtendCertificates(request) => {
                assert_eq!(request.client_csr, "client csr");
                assert_eq!(request.server_csr, "server csr");
                assert!(request.needs_verification);
                Some(())
            },
            _ => None,
        })
        .await;
    channel.send(&ControlMessage::ExtendedCertificates(
        ExtendedCertificates {
            client_chain: "client".to_owned(),
            server_chain: "server".to_owned(),
            ca_chain: String::new(),
        },
    ));
    let request = channel
        .expect(|frame, message| match message {
            ControlMessage::VerifyCertificates(verify) => {
                assert_eq!(verify.client_chain, "client");
                Some(frame.reply_to())
            },
            _ => None,
        })
        .await;
    let answer = answer.to_message().unwrap();
    channel
        .handle
        .reply(&request, Priority::Default, answer)
        .unwrap();
}

#[tokio::test]
async fn certificates_are_used_once_the_controller_has_confirmed_them() {
    let identity = Arc::new(FakeIdentity::default());
    let (mut router, mut channel, _others) = connect(&identity, false).await;
    router.connects_to("c1").await;
    // Nothing that could be used.
    channel.send(&ControlMessage::ExtendedCertificates(
        ExtendedCertificates::default(),
    ));
    issue(&mut channel, CertificateVerification::default()).await;
    identity
        .has_done(&["request", "stage client, server", "commit"])
        .await;
    router.stop().await;
}

#[tokio::test]
async fn certificates_that_the_controller_does_not_confirm_are_not_used() {
    let identity = Arc::new(FakeIdentity::default());
    let (router, mut channel, _others) = connect(&identity, false).await;
    issue(&mut channel, refusal()).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    identity
        .has_done(&["request", "stage client, server"])
        .await;
    router.stop().await;
}

#[tokio::test]
async fn certificates_are_renewed_at_once_if_an_operator_wants_that() {
    let identity = FakeIdentity::with_new_certificates();
    let (router, mut channel, _others) = connect(&identity, true).await;
    issue(&mut channel, CertificateVerification::default()).await;
    identity
        .has_done(&["request", "stage client, server", "commit"])
        .await;
    router.stop().await;
}

#[tokio::test]
async fn certificates_are_renewed_before_it_is_time_if_somebody_asks() {
    let identity = FakeIdentity::with_new_certificates();
    let (router, mut channel, _others) = connect(&identity, false).await;
    let trigger = router.control.renewal().unwrap().clone();
    let renewing = tokio::spawn({
        let trigger = trigger.clone();
        async move { trigger.renew().await }
    });
    issue(&mut channel, refusal()).await;
    let error = renewing.await.unwrap().unwrap_err();
    assert!(error.contains("no (VERIFY_ERROR)"), "{error}");
    // The pause after a failure is for renewals that nobody asks for.
    let renewing = tokio::spawn(async move { trigger.renew().await });
    issue(&mut channel, CertificateVerification::default()).await;
    assert_eq!(renewing.await.unwrap(), Ok(()));
    assert_eq!(identity.done.lock().last().unwrap(), "commit");
    router.stop().await;
}
