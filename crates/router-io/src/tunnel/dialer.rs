//! Routes to servers that the tunneler hosts.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use portcullis_domain::entropy::Entropy;
use portcullis_e2e_encryption::{PublicKey, Role};
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::{APP_DATA, CALLER_ID, DIALER_IDENTITY_NAME, PUBLIC_KEY, PeerData};
use portcullis_xgress::Options;
use tokio::sync::oneshot;

use super::offer::{Offer, Refusal};
use super::terminators::{NotOffered, Terminators};
use crate::egress::{check_room, terminating_end};
use crate::encryption::{Encryption, NoEncryption, OwnKey};
use crate::ends::Ends;
use crate::routes::{DialFailure, DialRequest, Dialer};

/// Offers dials to the tunneler: the binding `tunnel`.
pub(super) struct TunnelDialer {
    terminators: Arc<Terminators>,
    ends: Ends,
    options: Arc<Options>,
    entropy: Arc<dyn Entropy>,
}

impl TunnelDialer {
    pub(super) fn new(
        terminators: Arc<Terminators>,
        ends: Ends,
        options: Options,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self {
            terminators,
            ends,
            options: Arc::new(options),
            entropy,
        }
    }

    /// Offers a dial. The answer is what the tunneler says of it.
    fn offer(
        &self,
        request: DialRequest,
    ) -> Result<oneshot::Receiver<Result<PeerData, Refusal>>, DialFailure> {
        let for_now = |reason: String| failed(RouteFailure::ResourcesNotAvailable, &reason);
        check_room(&self.ends, &request).map_err(|shortage| for_now(shortage.to_string()))?;
        let encryption = self.encryption(&request.peer_data);
        let encryption =
            encryption.map_err(|error| failed(RouteFailure::Generic, &error.to_string()))?;
        let caller = [DIALER_IDENTITY_NAME, CALLER_ID].into_iter();
        let caller = caller.filter_map(|number| text(&request.peer_data, number));
        let caller = caller.into_iter().next();
        let app_data = request.peer_data.get(&APP_DATA);
        let app_data = app_data.map_or_else(Bytes::new, |data| data.expose().clone());
        let destination = request.destination.clone();
        let (answer, answered) = oneshot::channel();
        let offer = Offer {
            ends: self.ends.clone(),
            terms: terminating_end(request, Arc::clone(&self.options)),
            app_data,
            caller,
            encryption,
            answer,
        };
        let offered = self.terminators.offer(&destination, offer);
        offered.map_err(|why| {
            let failure = match why {
                NotOffered::Unknown => RouteFailure::InvalidTerminator,
                NotOffered::TooMany => RouteFailure::ResourcesNotAvailable,
                NotOffered::NoKey => RouteFailure::Generic,
            };
            failed(failure, &why.to_string())
        })?;
        Ok(answered)
    }

    /// The router encrypts if the dialing end gives its key.
    fn encryption(
        &self,
        peer_data: &PeerData,
    ) -> Result<Option<(PublicKey, Encryption)>, NoEncryption> {
        let Some(peer) = peer_data.get(&PUBLIC_KEY) else {
            return Ok(None);
        };
        let own = OwnKey::new(&*self.entropy)?;
        let public_key = own.public_key();
        Ok(Some((public_key, own.agree(Role::Server, peer.expose())?)))
    }
}

impl Dialer for TunnelDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let offered = self.offer(request);
        async move {
            match offered?.await {
                Ok(Ok(peer_data)) => Ok(peer_data),
                Ok(Err(refusal)) => Err(refusal.into()),
                Err(_) => Err(failed(RouteFailure::Generic, "nobody took the circuit")),
            }
        }
        .boxed()
    }
}

fn text(peer_data: &PeerData, number: u32) -> Option<String> {
    let bytes = peer_data.get(&number)?;
    let text = std::str::from_utf8(bytes.expose()).ok()?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn failed(failure: RouteFailure, reason: &str) -> DialFailure {
    DialFailure {
        reason: reason.to_owned(),
        failure,
    }
}
