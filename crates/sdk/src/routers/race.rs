//! Connecting to whichever of several routers answers first.

use super::Routers;
use crate::channel::RouterChannel;
use crate::connector::ConnectError;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_edge_session::EdgeRouter;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long a router is tried alone before the next one is tried, too.
const STAGGER: Duration = Duration::from_millis(250);

/// None of several routers was reached.
#[derive(Debug)]
pub(crate) struct RaceError {
    /// The router that was tried last.
    pub(crate) router: String,
    pub(crate) why: Arc<ConnectError>,
}

impl Routers {
    /// A channel to one of the routers, and its name: the fastest one that is connected, or whichever answers
    /// first. At most `width` are tried at the same time. `None` without routers.
    pub(crate) async fn any(
        &self,
        routers: &[EdgeRouter],
        width: usize,
    ) -> Option<Result<(String, RouterChannel), RaceError>> {
        let mut waiting = self.ranked(routers).into_iter();
        let mut running = FuturesUnordered::new();
        let mut failure = None;
        loop {
            if running.len() < width
                && let Some(router) = waiting.next()
            {
                let connecting = self.channel(&router);
                running.push(async move { (router.name, connecting.await) });
            } else if running.is_empty() {
                return failure.map(Err);
            }
            let may_try_more = running.len() < width && waiting.len() > 0;
            tokio::select! {
                Some((router, outcome)) = running.next() => match outcome {
                    Ok(channel) => return Some(Ok((router, channel))),
                    Err(why) => failure = Some(RaceError { router, why }),
                },
                () = sleep(STAGGER), if may_try_more => {},
            }
        }
    }
}
