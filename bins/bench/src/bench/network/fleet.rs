//! Many routers in this process.

use super::answering::{News, Told, answer};
use super::site::Site;
use anyhow::{Context as _, anyhow, ensure};
use portcullis_channel::{Frame, REQUEST_TIMEOUT};
use portcullis_simulated_router::{RouterIdentity, RouterOptions, SimulatedRouter, TlsConnector};
use portcullis_transport::ChannelHandle;
use portcullis_wire::control::ControlMessage;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The longest that news may take to be with all routers.
const PATIENCE: Duration = Duration::from_mins(1);

/// Routers that are enrolled, some of which are connected.
pub(super) struct Fleet {
    identities: Vec<RouterIdentity>,
    connected: Vec<Router>,
    answering: JoinSet<()>,
    tell: mpsc::UnboundedSender<Told>,
    told: mpsc::UnboundedReceiver<Told>,
}

/// A connected router.
#[derive(Debug, Clone)]
pub(super) struct Router {
    pub(super) id: String,
    channel: ChannelHandle,
}

/// When a router was connected, and when it knew everything.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arrival {
    pub(super) online: Option<Instant>,
    model: Option<Instant>,
    sessions: Option<Instant>,
}

impl Fleet {
    /// Enrolls so many routers.
    pub(super) async fn enroll(site: &mut Site, count: usize) -> anyhow::Result<Self> {
        let mut identities = Vec::with_capacity(count);
        for number in 0..count {
            identities.push(site.router(&format!("router-{number}")).await?);
        }
        let (tell, told) = mpsc::unbounded_channel();
        Ok(Self {
            identities,
            connected: Vec::new(),
            answering: JoinSet::new(),
            tell,
            told,
        })
    }

    /// Has routers connect until there are so many, and waits until they know everything.
    pub(super) async fn connect(&mut self, site: &Site, count: usize) -> anyhow::Result<()> {
        let address = site.controller.address();
        let present = self.connected.len();
        let mut connecting = JoinSet::new();
        for identity in self.identities.iter().take(count).skip(present) {
            let connector = TlsConnector::new(address, identity);
            let id = identity.id.clone();
            connecting.spawn(async move {
                let options = RouterOptions::default().with_quick_redials();
                SimulatedRouter::connect(connector, &id, options).await
            });
        }
        while let Some(router) = connecting.join_next().await {
            let router = router?.map_err(|refused| anyhow!("a router is refused: {refused:?}"))?;
            let number = self.connected.len();
            self.connected.push(Router {
                id: router.id.clone(),
                channel: router.channel.clone(),
            });
            self.answering
                .spawn(answer(router, number, self.tell.clone()));
        }
        self.arrivals(present).await?;
        Ok(())
    }

    /// All routers end.
    pub(super) async fn leave(&mut self) {
        self.connected.clear();
        self.answering.shutdown().await;
        self.forget();
    }

    pub(super) fn routers(&self) -> &[Router] {
        &self.connected
    }

    /// What routers were told so far does not count.
    pub(super) fn forget(&mut self) {
        while self.told.try_recv().is_ok() {}
    }

    /// Waits until all routers but the first ones are connected and know everything.
    pub(super) async fn arrivals(&mut self, but: usize) -> anyhow::Result<Vec<Arrival>> {
        let mut arrivals = vec![Arrival::default(); self.connected.len()];
        let waiting = async {
            while arrivals.iter().skip(but).any(|it| it.complete().is_none()) {
                let told = self.told.recv().await?;
                let arrival = arrivals.get_mut(told.router)?;
                match told.news {
                    News::Welcome => arrival.online = Some(told.at),
                    News::Model => arrival.model = Some(told.at),
                    News::Sessions => arrival.sessions = Some(told.at),
                    News::Service(_) | News::Revoked(_) | News::Ended(_) => {},
                }
            }
            Some(())
        };
        let waited = timeout(PATIENCE, waiting).await;
        let missing = arrivals
            .iter()
            .skip(but)
            .filter(|it| it.complete().is_none());
        let missing = missing.count();
        ensure!(waited.is_ok(), "{missing} routers do not know everything");
        Ok(arrivals)
    }

    /// Waits until all routers were told something; answers when.
    pub(super) async fn heard(&mut self, news: &News) -> anyhow::Result<Vec<Instant>> {
        let mut times = vec![None; self.connected.len()];
        let mut missing = times.len();
        let waiting = async {
            while missing > 0 {
                let told = self.told.recv().await?;
                if told.news == *news
                    && let Some(time) = times.get_mut(told.router)
                    && time.replace(told.at).is_none()
                {
                    missing -= 1;
                }
            }
            Some(())
        };
        let waited = timeout(PATIENCE, waiting).await;
        waited.with_context(|| format!("{missing} routers were not told of {news:?}"))?;
        Ok(times.into_iter().flatten().collect())
    }
}

impl Arrival {
    /// When it knew everything.
    pub(super) fn complete(&self) -> Option<Instant> {
        let all = [self.online, self.model, self.sessions];
        all.into_iter()
            .try_fold(self.online?, |latest, time| Some(latest.max(time?)))
    }
}

impl Router {
    /// Sends a message.
    pub(super) fn send(&self, message: &ControlMessage) -> anyhow::Result<()> {
        self.channel.send(message.priority(), message.encode()?)?;
        Ok(())
    }

    /// Sends a request, and waits for the reply.
    pub(super) async fn ask(&self, message: &ControlMessage) -> anyhow::Result<Frame> {
        let priority = message.priority();
        let reply = self
            .channel
            .request(priority, message.encode()?, REQUEST_TIMEOUT)?;
        let reply = reply.await;
        reply.map_err(|failure| anyhow!("a request is not answered: {failure:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn router_that_lacks_something_does_not_know_everything() {
        let begin = Instant::now();
        let later = begin + Duration::from_secs(1);
        let mut arrival = Arrival {
            online: Some(begin),
            sessions: Some(later),
            model: None,
        };
        assert_eq!(arrival.complete(), None);
        arrival.model = Some(begin);
        assert_eq!(arrival.complete(), Some(later));
    }
}
