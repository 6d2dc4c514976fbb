//! Reading what the identity may use.

use super::Worker;
use crate::edge_router::EdgeRouter;
use crate::error::with_causes;
use crate::failure::Failure;
use crate::open_session::OpenSession;
use crate::own_identity::OwnIdentity;
use crate::service::{Service, Services};
use crate::shared::publish;
use portcullis_api::edge_router::CurrentIdentityEdgeRouter;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_updates::ServiceUpdates;
use portcullis_api::time::WireTime;
use portcullis_client::{Api, Client, ClientError, Endpoint, ListQuery, Pages};
use std::sync::Arc;
use tokio::time::Instant;

/// Polls after which identity and routers are read, whether services have changed or not: routers come and go
/// without that.
const POLLS_PER_READING: u32 = 4;

/// The name that stands for all configuration types.
const ALL: &str = "all";

/// What was read of a session so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// When services have changed last, as the controller says it.
    changed_at: Option<WireTime>,
    /// When they were read.
    pub(super) last: Option<Instant>,
    polls: u32,
}

impl Worker {
    /// Reads services if they have changed.
    pub(super) async fn poll(
        &mut self,
        open: &OpenSession,
        reading: &mut Reading,
    ) -> Result<(), Failure> {
        let changed_at = changed_at(&open.client).await?;
        if reading.changed_at != Some(changed_at) {
            return self.read_since(open, reading, changed_at).await;
        }
        reading.polls += 1;
        if reading.polls.is_multiple_of(POLLS_PER_READING) {
            self.read_identity(&open.client).await?;
        }
        Ok(())
    }

    /// Reads services whether they have changed or not.
    pub(super) async fn read(
        &mut self,
        open: &OpenSession,
        reading: &mut Reading,
    ) -> Result<(), Failure> {
        let changed_at = changed_at(&open.client).await?;
        self.read_since(open, reading, changed_at).await
    }

    async fn read_since(
        &mut self,
        open: &OpenSession,
        reading: &mut Reading,
        changed_at: WireTime,
    ) -> Result<(), Failure> {
        self.read_identity(&open.client).await?;
        let services = read_services(&open.client, self.shared.config_types()).await?;
        let services = Arc::new(services);
        reading.last = Some(Instant::now());
        open.retain_services(&services);
        self.schedule.ask(&services);
        // Whoever sees a service shall be able to use it. That posture is refused concerns those with checks alone.
        match self.tell_posture(open).await {
            Err(Failure::Refused(error)) => {
                tracing::warn!(
                    error = with_causes(&*error),
                    "the controller refuses the posture"
                );
            },
            told => told?,
        }
        publish(&self.shared.services, Some(services));
        reading.changed_at = Some(changed_at);
        Ok(())
    }

    async fn read_identity(&self, client: &Client) -> Result<(), Failure> {
        let own = client.current_identity(Api::Client).await?;
        let routers = read_edge_routers(client).await?;
        publish(
            &self.shared.own_identity,
            Some(Arc::new(OwnIdentity::from(own))),
        );
        publish(&self.shared.edge_routers, routers.into());
        Ok(())
    }
}

async fn changed_at(client: &Client) -> Result<WireTime, ClientError> {
    let endpoint = Endpoint::new(Api::Client, "current-api-session").join("service-updates");
    let updates: ServiceUpdates = client.get(&endpoint).await?;
    Ok(updates.last_change_at)
}

async fn read_services(client: &Client, types: &[String]) -> Result<Services, ClientError> {
    let types = if types.is_empty() {
        ALL.to_owned()
    } else {
        types.join(",")
    };
    let endpoint = Endpoint::new(Api::Client, "services").with_parameter("configTypes", types);
    let client = client.clone();
    let fetch = move |query: ListQuery| {
        let (client, endpoint) = (client.clone(), endpoint.clone());
        async move { client.list::<ServiceDetail>(endpoint, &query).await }
    };
    let pages = Pages::new(
        fetch,
        |service| service.base.id.as_str(),
        ListQuery::default(),
    );
    let services = pages.into_stream().try_collect().await?;
    Ok(services.into_iter().map(Service::from).collect())
}

async fn read_edge_routers(client: &Client) -> Result<Vec<EdgeRouter>, ClientError> {
    let endpoint = Endpoint::new(Api::Client, "current-identity").join("edge-routers");
    let client = client.clone();
    let fetch = move |query: ListQuery| {
        let (client, endpoint) = (client.clone(), endpoint.clone());
        async move {
            client
                .list::<CurrentIdentityEdgeRouter>(endpoint, &query)
                .await
        }
    };
    let pages = Pages::new(
        fetch,
        |router| router.base.id.as_str(),
        ListQuery::default(),
    );
    let routers = pages.into_stream().try_collect().await?;
    Ok(routers.into_iter().map(EdgeRouter::from).collect())
}
