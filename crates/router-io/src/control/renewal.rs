//! Renewal of the router's certificates by controllers.

use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_router::control::{renewal_due, retry_pause};
use portcullis_router::edge::{ControllerId, Recipient, RequestFailure};
use portcullis_wire::Content as _;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::certificate::{
    CertificateVerification, ExtendCertificates, ExtendedCertificates, VerifyCertificates,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};

use super::Context;
use crate::tls::Tls;

/// How long a controller may take to issue certificates. One that cannot does not answer.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(35);

/// How long a controller may take to confirm a certificate: longer than for other requests, since it may
/// have confirmed one whose confirmation is lost.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(30);

/// How often the dates of the certificates are looked at, since their files may be replaced.
const CHECK_INTERVAL: Duration = Duration::from_hours(6);

/// Certificates of a router that can be replaced. Its methods may read and write files.
pub(crate) trait RenewableIdentity: Send + Sync {
    /// Begin and end of the validity of each certificate.
    fn validities(&self) -> Vec<(Timestamp, Timestamp)>;

    /// Requests for certificates of the keys that there are. The error is a text for people.
    fn requests(&self) -> Result<CertificateRequests, String>;

    /// Keeps chains of certificates, in PEM, beside those in use, if they belong to the router's keys.
    fn stage(&self, client_chain: &str, server_chain: &str) -> Result<(), String>;

    /// Uses what was staged, and nothing else from now on.
    fn commit(&self) -> Result<(), String>;

    /// TLS with chains that an earlier run of the router has staged, as long as it is not known whether a
    /// controller has confirmed them: one that has accepts no others.
    fn left_over(&self) -> Option<Arc<Tls>>;

    /// A controller has accepted the router, with what is left over or with what is in use.
    fn settle(&self, is_left_over: bool);
}

/// Requests for certificates, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CertificateRequests {
    pub(crate) client: String,
    pub(crate) server: String,
}

/// Asks for new certificates in time.
pub(super) struct Renewal {
    context: Arc<Context>,
    identity: Arc<dyn RenewableIdentity>,
    issued: mpsc::Receiver<(ControllerId, ExtendedCertificates)>,
    orders: mpsc::Receiver<Order>,
    failures: u32,
    /// Whether it is asked for whatever the certificates say.
    is_forced: bool,
    /// Pause after failures.
    rests_until: Instant,
}

/// Somebody wants to know what becomes of a renewal that is not due.
type Order = oneshot::Sender<Result<(), String>>;

/// Has certificates renewed before it is time.
#[derive(Debug, Clone)]
pub(crate) struct RenewalTrigger(mpsc::Sender<Order>);

impl RenewalTrigger {
    /// Waits for new certificates. The error is a text for people.
    pub(crate) async fn renew(&self) -> Result<(), String> {
        let (order, outcome) = oneshot::channel();
        let stopping = || "the router is stopping".to_owned();
        self.0.send(order).await.map_err(|_stopped| stopping())?;
        outcome.await.map_err(|_stopped| stopping())?
    }
}

/// A trigger, and what it asks for.
pub(super) fn renewals() -> (RenewalTrigger, mpsc::Receiver<Order>) {
    let (sender, orders) = mpsc::channel(1);
    (RenewalTrigger(sender), orders)
}

/// A renewal that lasts as long as the guard that is returned with its trigger.
#[cfg(test)]
pub(crate) fn waiting_renewal() -> (RenewalTrigger, impl Send) {
    renewals()
}

#[derive(Debug, thiserror::Error)]
enum RenewalError {
    #[error("{0}")]
    Identity(String),
    #[error("no controller is connected")]
    NoController,
    #[error("the controller has not issued any within {ISSUE_TIMEOUT:?}")]
    NotIssued,
    #[error("the controller has not confirmed the certificate")]
    NotConfirmed,
    #[error("the controller does not accept the certificate that it issued: {0}")]
    Refused(String),
}

impl Renewal {
    pub(super) fn new(
        context: Arc<Context>,
        identity: Arc<dyn RenewableIdentity>,
        (issued, orders): (
            mpsc::Receiver<(ControllerId, ExtendedCertificates)>,
            mpsc::Receiver<Order>,
        ),
        is_forced: bool,
    ) -> Self {
        Self {
            context,
            identity,
            issued,
            orders,
            failures: 0,
            is_forced,
            rests_until: Instant::now(),
        }
    }

    pub(super) async fn run(mut self) {
        self.context.first_contact().await;
        loop {
            let order = self.wait().await;
            let renewed = self.renew().await;
            match &renewed {
                Ok(controller) => {
                    self.failures = 0;
                    self.is_forced = false;
                    tracing::info!(%controller, "the router has new certificates");
                },
                Err(error) => {
                    self.failures = self.failures.saturating_add(1);
                    let pause = retry_pause(self.failures, self.context.random());
                    self.rests_until = Instant::now() + pause;
                    tracing::warn!(%error, again_in = ?pause, "certificates not renewed");
                },
            }
            if let Some(order) = order {
                let outcome = renewed.map(drop).map_err(|error| error.to_string());
                let _is_gone = order.send(outcome);
            }
        }
    }

    /// Waits until it is time, or somebody asks for it.
    async fn wait(&mut self) -> Option<Order> {
        loop {
            let due = self
                .with_identity(|identity| renewal_due(identity.validities()))
                .await;
            let now = Instant::now();
            let is_due = due.is_some_and(|due| due <= self.context.clock.timestamp());
            let next = match due {
                _ if is_due || self.is_forced => now,
                Some(due) => self.context.clock.instant_of(due).min(now + CHECK_INTERVAL),
                None => now + CHECK_INTERVAL,
            };
            let next = next.max(self.rests_until);
            if next <= now {
                return None;
            }
            tokio::select! {
                Some(order) = self.orders.recv() => return Some(order),
                () = sleep_until(next) => {},
            }
        }
    }

    async fn renew(&mut self) -> Result<ControllerId, RenewalError> {
        let (controller, issued) = self.extend().await?;
        let ExtendedCertificates {
            client_chain,
            server_chain,
            ..
        } = issued;
        let client = client_chain.clone();
        self.with_identity(move |identity| identity.stage(&client, &server_chain))
            .await
            .map_err(RenewalError::Identity)?;
        self.confirm(&controller, client_chain).await?;
        self.with_identity(|identity| identity.commit())
            .await
            .map_err(RenewalError::Identity)?;
        Ok(controller)
    }

    async fn extend(&mut self) -> Result<(ControllerId, ExtendedCertificates), RenewalError> {
        let requests = self
            .with_identity(|identity| identity.requests())
            .await
            .map_err(RenewalError::Identity)?;
        // Those of an earlier request, which came too late.
        while self.issued.try_recv().is_ok() {}
        let request = ControlMessage::ExtendCertificates(ExtendCertificates {
            client_csr: requests.client,
            server_csr: requests.server,
            needs_verification: true,
        });
        let told = self.context.controllers.tell(&Recipient::Any, &request);
        let controller = told.map_err(|_failure| RenewalError::NoController)?;
        let answer = async {
            loop {
                match self.issued.recv().await {
                    Some((from, issued)) if from == controller && is_whole(&issued) => {
                        return Some(issued);
                    },
                    Some(_) => {},
                    None => return None,
                }
            }
        };
        let issued = timeout(ISSUE_TIMEOUT, answer).await.ok().flatten();
        let issued = issued.ok_or(RenewalError::NotIssued)?;
        Ok((controller, issued))
    }

    /// Tells the controller that the certificate has arrived. It accepts only that one from now on.
    async fn confirm(
        &self,
        controller: &ControllerId,
        client_chain: String,
    ) -> Result<(), RenewalError> {
        let controllers = &self.context.controllers;
        let message = ControlMessage::VerifyCertificates(VerifyCertificates { client_chain });
        let to = Recipient::Only(controller.clone());
        let reply = controllers.request_within(to, message, CONFIRM_TIMEOUT);
        let (_, reply) = reply
            .await
            .map_err(|_failure: RequestFailure| RenewalError::NotConfirmed)?;
        let answer = CertificateVerification::decode(reply.headers(), reply.body());
        let answer = answer.map_err(|_unreadable| RenewalError::NotConfirmed)?;
        if answer.code.is_empty() {
            Ok(())
        } else {
            let reason = format!("{} ({})", answer.reason, answer.code);
            Err(RenewalError::Refused(reason.escape_debug().to_string()))
        }
    }

    /// Uses files without keeping other tasks from running.
    async fn with_identity<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn RenewableIdentity) -> T + Send + 'static,
    ) -> T {
        let identity = Arc::clone(&self.identity);
        match spawn_blocking(move || work(&*identity)).await {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// Whether both chains are there.
const fn is_whole(issued: &ExtendedCertificates) -> bool {
    !issued.client_chain.is_empty() && !issued.server_chain.is_empty()
}
