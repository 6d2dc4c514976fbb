//! One terminator of a listener.

use super::progress::Progress;
use crate::channel::{Bind, OfferSink, RouterChannel};
use crate::error::ListenError;
use portcullis_domain::identity::Precedence;
use portcullis_sdk_proto::{BindEnd, BindRequest};
use portcullis_wire as wire;
use tokio::sync::watch;

/// What a listener says of its terminators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) cost: u16,
    pub(super) precedence: Precedence,
    /// As of the last health check.
    pub(super) is_healthy: Option<bool>,
}

/// What one terminator needs.
pub(super) struct Hosting {
    pub(super) service: String,
    pub(super) router: String,
    pub(super) offers: OfferSink,
    pub(super) terms: watch::Receiver<Terms>,
    pub(super) progress: watch::Sender<Progress>,
}

/// Counts a terminator as long as it lives.
struct Established(watch::Sender<Progress>);

impl Hosting {
    /// Creates the terminator and keeps it up to date. Returns why it is over, and whether it was ever there.
    pub(super) async fn run(
        mut self,
        channel: &RouterChannel,
        request: BindRequest,
    ) -> (ListenError, bool) {
        let bound = channel.bind(request, self.offers.clone());
        let mut bind = match bound {
            Ok(bind) => bind,
            Err(why) => {
                let Self {
                    service, router, ..
                } = self;
                let error = ListenError::NotAsked {
                    service,
                    router,
                    why,
                };
                return (error, false);
            },
        };
        if let Err(why) = bind.bound().await {
            return (self.ended(why), false);
        }
        let established = Established::new(&self.progress);
        tracing::debug!(self.service, self.router, "service hosted");
        let why = self.follow(&mut bind).await;
        drop(established);
        (self.ended(why), true)
    }

    /// Keeps the terminator up to date until it is over.
    async fn follow(&mut self, bind: &mut Bind) -> BindEnd {
        // The bind says nothing of health.
        if self.terms.borrow().is_healthy.is_some() {
            self.terms.mark_changed();
        }
        loop {
            tokio::select! {
                why = bind.ended() => return why,
                Ok(()) = self.terms.changed() => {
                    let Terms { cost, precedence, is_healthy } = *self.terms.borrow_and_update();
                    // If it is over, that is told.
                    let _is_over = bind.update(cost, on_wire(precedence));
                    if let Some(is_healthy) = is_healthy {
                        let _is_over = bind.report_health(is_healthy);
                    }
                },
            }
        }
    }

    fn ended(self, why: BindEnd) -> ListenError {
        ListenError::Ended {
            service: self.service,
            router: self.router,
            why: Box::new(why),
        }
    }
}

impl Established {
    fn new(progress: &watch::Sender<Progress>) -> Self {
        progress.send_modify(Progress::established);
        Self(progress.clone())
    }
}

impl Drop for Established {
    fn drop(&mut self) {
        self.0.send_modify(Progress::lost);
    }
}

pub(super) const fn on_wire(precedence: Precedence) -> wire::Precedence {
    match precedence {
        Precedence::Default => wire::Precedence::Default,
        Precedence::Required => wire::Precedence::Required,
        Precedence::Failed => wire::Precedence::Failed,
    }
}
