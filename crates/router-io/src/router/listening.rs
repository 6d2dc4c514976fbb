//! The sockets of a router.

use std::sync::Arc;

use portcullis_listener::Limits;
use portcullis_metrics::MetricRegistry;
use portcullis_router::IncompleteConfigError;
use portcullis_router::edge::EdgeListenerSettings;
use portcullis_router::health::HealthOptions;
use portcullis_router::ingress::ingress_settings;
use portcullis_router::metrics::MetricsOptions;
use portcullis_router::tls::handshake_timeout;
use portcullis_router::web::web_servers;

use crate::edge::Edge;
use crate::health::Health;
use crate::identity::{IdentityError, IdentityFiles};
use crate::ingress::Ingress;
use crate::links::LinkManager;
use crate::listeners::{BoundListeners, Listeners};
use crate::metrics::MetricsReporter;
use crate::tls::Tls;
use crate::web::{WebContent, WebServers};

use super::StartError;
use super::base::Base;

impl Base {
    /// Binds the listeners for routers and SDKs, which may share ports.
    pub(super) async fn bind(
        &self,
        links: &Arc<LinkManager>,
        edge: Option<&Edge>,
    ) -> Result<BoundListeners, StartError> {
        let mut listeners = Listeners::new(self.listener_limits()?);
        for (place, protocol) in links.protocols() {
            listeners.add("`link.listeners`", &place, protocol).await?;
        }
        if let Some(edge) = edge {
            let web_sockets = &self.file.config.transport.wss;
            for settings in
                EdgeListenerSettings::from_config(&self.file.config.listeners, web_sockets)?
            {
                let place = settings.place().ok_or_else(|| StartError::EdgeAddress {
                    address: settings.address.clone(),
                })?;
                let section = "`listeners` with `binding: edge`";
                let protocol = edge.protocol(&settings);
                listeners.add(section, &place, protocol).await?;
            }
        }
        Ok(listeners.bind()?)
    }

    /// Opens listeners for whoever speaks no SDK.
    pub(super) async fn ingress(&self) -> Result<Ingress, StartError> {
        let settings = ingress_settings(&self.file.config.listeners)?;
        let (controllers, tls) = (&self.controllers, &self.tls);
        let limits = self.listener_limits()?;
        Ok(Ingress::open(settings, &self.ends, controllers, tls, &limits).await?)
    }

    /// Measures, and binds what serves the figures.
    pub(super) async fn web(
        &self,
        metrics: &Arc<MetricRegistry>,
        links: &Arc<LinkManager>,
    ) -> Result<(WebServers, WebContent), StartError> {
        let options = MetricsOptions::from_config(&self.file.config.metrics)?;
        let reporter = MetricsReporter {
            registry: Arc::clone(metrics),
            relay: Arc::clone(self.ends.relay()),
            options,
            router: Arc::clone(&self.id),
            controllers: Arc::clone(&self.controllers),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
        };
        self.tasks.spawn(reporter.run(self.stop.clone()));
        let health = Arc::new(Health::new(
            HealthOptions::from_config(&self.file.config.health_checks)?,
            self.clock,
            Arc::clone(&self.controllers),
            Arc::clone(links) as _,
        ));
        self.tasks.spawn(Arc::clone(&health).run(self.stop.clone()));
        let own_identity = |section: &_| -> Result<_, StartError> {
            let credentials = IdentityFiles::from_config(section)?.load()?.credentials;
            Ok(Arc::new(
                Tls::new(credentials).map_err(IdentityError::from)?,
            ))
        };
        let servers = web_servers(&self.file.config.web)?;
        let servers =
            WebServers::bind(servers, &self.tls, &self.listener_limits()?, own_identity).await?;
        let content = WebContent {
            health,
            metrics: Arc::clone(metrics),
            router: Arc::clone(&self.id),
        };
        Ok((servers, content))
    }

    /// Of all listeners with TLS.
    fn listener_limits(&self) -> Result<Limits, IncompleteConfigError> {
        let usual = Limits::default();
        let handshake = handshake_timeout(&self.file.config.tls)?;
        Ok(Limits {
            handshake: handshake.unwrap_or(usual.handshake),
            ..usual
        })
    }
}
