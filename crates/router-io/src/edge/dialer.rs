//! Circuits that end at hosting SDKs of this router.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use portcullis_router::edge::Offer;
use portcullis_wire::control::route::{RouteFailure, RouteOutcome};
use portcullis_wire::peer_data::PeerData;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::hosts::Hosts;
use crate::routes::{DialFailure, DialRequest, Dialer};
use crate::sdk_channels::{Command, SdkChannels};

/// Offers connections to SDKs: the binding `edge`.
pub(super) struct HostDialer {
    pub(super) hosts: Arc<Hosts>,
    pub(super) channels: Arc<SdkChannels>,
}

impl HostDialer {
    /// Offers a connection. The answer is what the channel says of it.
    fn offer(&self, request: DialRequest) -> Result<oneshot::Receiver<RouteOutcome>, DialFailure> {
        let ended = || {
            failed(
                RouteFailure::InvalidTerminator,
                "the terminator is not hosted here",
            )
        };
        let bind = self.hosts.find(&request.destination).ok_or_else(ended)?;
        let channel = self.channels.get(bind.channel).ok_or_else(ended)?;
        let offer = Offer {
            circuit: request.circuit,
            attempt: request.attempt,
            address: request.address,
            bind,
            controller: request.controller,
            peer_data: request.peer_data,
            time_left: request.deadline.saturating_duration_since(Instant::now()),
        };
        let (outcome, answer) = oneshot::channel();
        channel.command(Command::Offer(Box::new(offer), outcome));
        Ok(answer)
    }
}

impl Dialer for HostDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let offered = self.offer(request);
        async move {
            match offered?.await {
                Ok(RouteOutcome::Routed(peer_data)) => Ok(peer_data),
                Ok(RouteOutcome::Failed { reason, failure }) => {
                    Err(DialFailure { reason, failure })
                },
                Err(_) => Err(failed(RouteFailure::Generic, "the host is gone")),
            }
        }
        .boxed()
    }
}

fn failed(failure: RouteFailure, reason: &str) -> DialFailure {
    DialFailure {
        reason: reason.to_owned(),
        failure,
    }
}
