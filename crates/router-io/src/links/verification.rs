//! Whether a router that dials a link is the one that it says.

use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::ResultMessage;
use portcullis_channel::ResultStatus;
use portcullis_channel::hello::RejectClass;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{Certificate, Fingerprint, TrustAnchors, VerifyAt};
use portcullis_router::edge::{Recipient, RequestFailure};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::VerifyRouter;
use rustls_pki_types::CertificateDer;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::controllers::Controllers;

/// Time for the answer of a controller.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Questions that controllers are asked at a time.
const MAX_QUESTIONS: usize = 64;

/// Verifies routers: by the roots of this router, and by a controller.
pub(super) struct Verification {
    controllers: Arc<Controllers>,
    questions: Semaphore,
}

/// A router is not let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unverified {
    #[error("a link needs a client certificate")]
    NoCertificate,
    #[error("the client certificate is not trusted: {0}")]
    Untrusted(String),
    #[error("no controller is there to verify the router")]
    NoController,
    #[error("no controller has verified the router in time")]
    NoAnswer,
    #[error("the controller does not confirm the router: {}", .0.escape_debug())]
    Refused(String),
}

impl Unverified {
    /// What the router is told: whether it may try again soon. A controller that does not answer in time has
    /// enough to do.
    pub(super) const fn class(&self) -> RejectClass {
        match self {
            Self::NoController => RejectClass::Busy,
            Self::NoAnswer => RejectClass::Unspecified,
            Self::NoCertificate | Self::Untrusted(_) | Self::Refused(_) => {
                RejectClass::NotPermitted
            },
        }
    }
}

impl Verification {
    pub(super) fn new(controllers: Arc<Controllers>) -> Self {
        Self {
            controllers,
            questions: Semaphore::new(MAX_QUESTIONS),
        }
    }

    /// Asks a controller whether a router has this certificate.
    pub(super) async fn confirm(&self, router: &str, leaf: Fingerprint) -> Result<(), Unverified> {
        let question = ControlMessage::VerifyRouter(VerifyRouter {
            router_id: router.to_owned(),
            fingerprints: vec![leaf.to_string()],
        });
        let asking = async {
            let _place = self.questions.acquire().await;
            let controllers = Arc::clone(&self.controllers);
            controllers.request(Recipient::Any, question).await
        };
        let answer = timeout(TIMEOUT, asking).await;
        let (_controller, answer) = match answer.unwrap_or(Err(RequestFailure::Lost)) {
            Ok(answer) => answer,
            Err(RequestFailure::NoController) => return Err(Unverified::NoController),
            Err(RequestFailure::Lost) => return Err(Unverified::NoAnswer),
        };
        match ResultMessage::from_frame(&answer) {
            Some(result) if result.status == ResultStatus::Success => Ok(()),
            Some(result) => Err(Unverified::Refused(result.text)),
            None => Err(Unverified::NoAnswer),
        }
    }
}

/// Verifies the leaf of a chain, whose key the peer has proved to have. The other certificates only show
/// the way to a root.
pub(super) fn verify_chain(
    chain: &[CertificateDer<'static>],
    authorities: &[CertificateDer<'static>],
    now: Timestamp,
) -> Result<Fingerprint, Unverified> {
    let parse = |der: &CertificateDer<'_>| Certificate::from_der(der.to_vec());
    let untrusted = |error: &dyn std::fmt::Display| Unverified::Untrusted(error.to_string());
    let (leaf, others) = chain.split_first().ok_or(Unverified::NoCertificate)?;
    let leaf = parse(leaf).map_err(|error| untrusted(&error))?;
    let others: Vec<_> = others.iter().filter_map(|der| parse(der).ok()).collect();
    let roots = authorities.iter().filter_map(|der| parse(der).ok());
    let roots = roots.filter(Certificate::is_ca).collect();
    let anchors = TrustAnchors::new(roots).map_err(|error| untrusted(&error))?;
    anchors
        .verify_client_chain(&leaf, &others, VerifyAt::Now(now))
        .map_err(|error| untrusted(&error))?;
    Ok(leaf.fingerprint())
}
