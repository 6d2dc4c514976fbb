//! Health checks of a running router.

use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_router::health::{
    Connection, ControllerStatus, DueCheck, HealthChecks, HealthOptions, HealthResponse,
    LinkDetail, Request, respond,
};
use portcullis_router::web::BindPoint;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::links::{LinkInventory, LinkView};

/// The checks of a router, which [`run`](Self::run) keeps current.
pub(crate) struct Health {
    checks: Mutex<HealthChecks>,
    clock: RouterClock,
    controllers: Arc<Controllers>,
    links: Arc<dyn LinkInventory>,
}

impl Health {
    pub(crate) fn new(
        options: HealthOptions,
        clock: RouterClock,
        controllers: Arc<Controllers>,
        links: Arc<dyn LinkInventory>,
    ) -> Self {
        Self {
            checks: Mutex::new(HealthChecks::new(options, clock.timestamp())),
            clock,
            controllers,
            links,
        }
    }

    /// Runs the checks when they are due, until `stop` is cancelled.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        let checking = async {
            loop {
                let due = self.checks.lock().deadline();
                sleep_until(self.clock.instant_of(due)).await;
                self.check();
            }
        };
        stop.run_until_cancelled(checking).await;
    }

    fn check(&self) {
        let now = self.clock.timestamp();
        let due = self.checks.lock().poll(now);
        for check in due {
            match check {
                DueCheck::Ping(run) => {
                    let controllers = self.controllers.views().into_iter();
                    let answering = controllers.map(|controller| !controller.is_slow);
                    let status = ControllerStatus::from_answering(answering);
                    self.checks.lock().finish_ping(run, status, now);
                },
                DueCheck::CountLinks(run) => {
                    let views = self.links.views();
                    let used = views.iter().filter(|view| view.is_used);
                    let links = used.map(link_detail).collect();
                    self.checks.lock().finish_count(run, links, now);
                },
            }
        }
    }

    /// Answers a request at a bind point.
    pub(crate) fn respond(&self, request: Request<'_>, here: &BindPoint) -> HealthResponse {
        respond(&self.checks.lock(), request, here)
    }
}

fn link_detail(view: &LinkView) -> LinkDetail {
    let addresses = view.connections.iter().map(|connection| {
        let addresses = Connection {
            local_addr: connection.local_address.clone(),
            remote_addr: connection.remote_address.clone(),
        };
        (connection.kind.clone(), addresses)
    });
    LinkDetail {
        link_id: view.id.clone(),
        dest_router_id: view.router.clone(),
        latency: view.liveness.latency,
        addresses: addresses.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use portcullis_domain::clock::Timestamp;
    use portcullis_router_config::{CheckOptions, SourceFile, load};
    use tokio::time::sleep;

    use super::*;
    use crate::testing::{OneLink, TestController};

    #[tokio::test(start_paused = true)]
    async fn checks_follow_controllers_and_links() {
        let file = SourceFile::new("router.yml", b"healthChecks: {linkCheck: {minLinks: 1}}");
        let config = load(&file, &CheckOptions::new()).config;
        let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
        let health = Arc::new(Health::new(
            HealthOptions::from_config(&config.health_checks).unwrap(),
            RouterClock::start(Timestamp::UNIX_EPOCH),
            Arc::clone(&controllers),
            Arc::new(OneLink),
        ));
        let stop = CancellationToken::new();
        let running = tokio::spawn(Arc::clone(&health).run(stop.clone()));
        sleep(Duration::from_secs(20)).await;
        {
            let checks = health.checks.lock();
            assert!(checks.links().is_healthy());
            assert!(!checks.controllers().is_healthy());
        }
        let _controller = TestController::connect(&"a".into(), &controllers).await;
        sleep(Duration::from_secs(30)).await;
        assert!(health.checks.lock().is_healthy());
        stop.cancel();
        running.await.unwrap();
    }
}
