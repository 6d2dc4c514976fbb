//! The edge routers of single services.

use super::EdgeSession;
use crate::edge_router::EdgeRouter;
use crate::error::SessionError;
use crate::failure::Failure;
use crate::open_session::OpenSession;
use parking_lot::Mutex;
use portcullis_api::edge_router::ServiceEdgeRouters;
use portcullis_client::{Api, ClientError, Endpoint};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};

/// Policies may change without a sign of it.
const MAX_AGE: Duration = Duration::from_mins(1);

/// How long the controller is waited for if there is a list of before.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lists that nobody has asked for in this time are dropped.
const KEPT: Duration = Duration::from_hours(1);

const NOT_FOUND: u16 = 404;

type Routers = Arc<[EdgeRouter]>;

/// The edge routers of services, as far as they were asked for in a session.
#[derive(Debug, Default)]
pub(crate) struct ServiceRouters(Mutex<HashMap<ServiceId, Cached>>);

#[derive(Debug)]
struct Cached {
    /// `None` if the controller cannot list them.
    routers: Arc<OnceCell<Option<Routers>>>,
    asked_at: Instant,
    /// The edge routers of the identity at that time.
    all: Routers,
    is_forgotten: bool,
    /// For as long as the controller does not answer.
    before: Option<Routers>,
}

impl Cached {
    fn new(all: &Routers, before: Option<Routers>) -> Self {
        Self {
            routers: Arc::default(),
            asked_at: Instant::now(),
            all: Arc::clone(all),
            is_forgotten: false,
            before,
        }
    }

    fn is_outdated(&self, all: &Routers) -> bool {
        self.is_forgotten || self.asked_at.elapsed() >= MAX_AGE || !Arc::ptr_eq(&self.all, all)
    }

    fn known(&self) -> Option<Routers> {
        let listed = self.routers.get().cloned().flatten();
        listed.or_else(|| self.before.clone())
    }
}

impl ServiceRouters {
    /// Where the list is put once it was read, and the list before.
    fn get(
        &self,
        service: &ServiceId,
        all: &Routers,
    ) -> (Arc<OnceCell<Option<Routers>>>, Option<Routers>) {
        let mut cache = self.0.lock();
        cache.retain(|_, cached| cached.asked_at.elapsed() < KEPT);
        let cached = cache.entry(service.clone());
        let cached = cached.or_insert_with(|| Cached::new(all, None));
        if cached.is_outdated(all) {
            *cached = Cached::new(all, cached.known());
        }
        (Arc::clone(&cached.routers), cached.before.clone())
    }

    fn forget(&self, service: &ServiceId) {
        if let Some(cached) = self.0.lock().get_mut(service) {
            cached.is_forgotten = true;
        }
    }
}

impl EdgeSession {
    /// The edge routers that policies allow for a service, those without an address being offline. The list is
    /// kept for a minute (longer while no controller answers), until the [edge routers of the identity](Self::edge_routers) change, or until
    /// [`forget_service_routers`](Self::forget_service_routers). Controllers before 1.0 list them only for
    /// [sessions of services](Self::service_session), one of which is opened then. Waits for a session.
    ///
    /// # Errors
    ///
    /// Those of [`opened`](Self::opened), and why the controller does not list them.
    pub async fn service_routers(
        &self,
        service: &ServiceId,
        grant: ServiceGrant,
    ) -> Result<Routers, SessionError> {
        let open = self.open_session().await?;
        let routers = match Box::pin(self.listed_routers(&open, service)).await {
            Err(SessionError::SessionLost) => {
                let checked = self
                    .request(&self.shared.requests.check, &self.shared.checks)
                    .await;
                if !matches!(checked, Ok(()) | Err(SessionError::SessionLost)) {
                    checked?;
                }
                let open = self.open_session().await?;
                Box::pin(self.listed_routers(&open, service)).await?
            },
            answer => answer?,
        };
        if let Some(routers) = routers {
            return Ok(routers);
        }
        let session = Box::pin(self.service_session(service, grant)).await?;
        let routers = session.edge_routers.iter().cloned();
        Ok(with_ids(routers, &self.shared.edge_routers.borrow()))
    }

    /// Says that the edge routers of a service are others: they are asked for the next time.
    pub fn forget_service_routers(&self, service: &ServiceId) {
        if let Some(open) = &*self.shared.open.borrow() {
            open.service_routers.forget(service);
        }
    }

    async fn listed_routers(
        &self,
        open: &OpenSession,
        service: &ServiceId,
    ) -> Result<Option<Routers>, SessionError> {
        let all = Arc::clone(&self.shared.edge_routers.borrow());
        let (cached, before) = open.service_routers.get(service, &all);
        let reading = cached.get_or_try_init(|| read(open, service, &all));
        let Some(before) = before else {
            return reading.await.cloned();
        };
        // Routers can be used without the controller.
        match timeout(PATIENCE, reading).await {
            Ok(Ok(routers)) => Ok(routers.clone()),
            Err(_) | Ok(Err(SessionError::Unreachable(_) | SessionError::Unavailable(_))) => {
                Ok(Some(before))
            },
            Ok(Err(error)) => Err(error),
        }
    }
}

async fn read(
    open: &OpenSession,
    service: &ServiceId,
    all: &[EdgeRouter],
) -> Result<Option<Routers>, SessionError> {
    let endpoint = Endpoint::new(Api::Client, "services").join(service.as_str());
    let endpoint = endpoint.join("edge-routers");
    let answer: Result<ServiceEdgeRouters, ClientError> = open.client.get(&endpoint).await;
    match answer {
        Ok(listed) => {
            let routers = listed.edge_routers.into_iter().flatten();
            Ok(Some(with_ids(routers.map(EdgeRouter::from), all)))
        },
        Err(error) if error.refusal().is_some_and(|why| why.status == NOT_FOUND) => Ok(None),
        Err(error) => Err(Failure::from(error).of_service(service)),
    }
}

/// Lists of services name routers without their ids.
fn with_ids(routers: impl Iterator<Item = EdgeRouter>, all: &[EdgeRouter]) -> Routers {
    routers
        .map(|router| {
            let known = all.iter().find(|known| known.name == router.name);
            EdgeRouter {
                id: known.and_then(|known| known.id.clone()),
                ..router
            }
        })
        .collect()
}
