//! The parts of a router, made from its file.

use std::sync::Arc;

use portcullis_channel_traces::Protocol;
use portcullis_metrics::MetricRegistry;
use portcullis_router::control::{EdgeOffer, Greeting, InterfaceSettings};
use portcullis_router::edge::{EdgeSettings, PresenceReports};
use portcullis_router::links::LinkSettings;
use portcullis_router::tunnel::{TunnelError, TunnelMode};
use portcullis_router_config::Binding;
use portcullis_tunnel::TunnelOptions;

use crate::access::ModelFile;
use crate::certificate_request::CertificateRequest;
use crate::control::{ControlSetup, RenewableIdentity};
use crate::dispatcher::Dispatcher;
use crate::edge::{Edge, EdgeParts};
use crate::egress;
use crate::identity::RenewableFiles;
use crate::inspect::{Basics, Circuits, EdgeView, Inspections, Links};
use crate::links::{LinkInventory, LinkManager, LinkParts};
use crate::routes::Routes;
use crate::socket_mark::SocketMark;
use crate::tunnel::{IdleTunnel, RouterTunnel, TunnelParts, own_mark};

use super::StartError;
use super::base::Base;

impl Base {
    pub(super) fn links(&self) -> Result<Arc<LinkManager>, StartError> {
        Ok(LinkManager::new(LinkParts {
            router: Arc::clone(&self.id),
            version: self.version.version.clone(),
            settings: LinkSettings::from_config(&self.file.config.link)?,
            dials: self.forwarder.link_dials,
            relay: Arc::clone(self.ends.relay()),
            metrics: Arc::clone(&self.metrics),
            controllers: Arc::clone(&self.controllers),
            tls: Arc::clone(&self.tls),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
            observer: Some(self.followed(Protocol::Link)),
            traces: Arc::clone(&self.channel_traces),
            mark: self.mark(),
        }))
    }

    /// The edge, unless the router is of the fabric only.
    pub(super) fn edge(&self) -> Result<Option<Edge>, StartError> {
        if !self.file.has_edge {
            return Ok(None);
        }
        let mut settings = EdgeSettings::from_config(&self.file.config.edge)?;
        settings.limits.creations = self.forwarder.rate_limited;
        if let Some(descriptors) = self.max_descriptors {
            let descriptors = usize::try_from(descriptors).unwrap_or(usize::MAX);
            settings.limits = settings.limits.within_descriptors(descriptors);
        }
        let edge = Edge::start(EdgeParts {
            version: self.version.clone(),
            model_file: ModelFile::new(self.file.model_file(), settings.save_interval),
            settings,
            reports: PresenceReports::from_config(&self.file.config.connect_events)?,
            tls: Arc::clone(&self.tls),
            controllers: Arc::clone(&self.controllers),
            ends: self.ends.clone(),
            metrics: Arc::clone(&self.metrics),
            entropy: Arc::clone(&self.entropy),
            observer: self.observer(Protocol::Edge),
            tasks: self.tasks.clone(),
            stop: self.stop.clone(),
        })?;
        Ok(Some(edge))
    }

    /// The tunneler, if the file has one.
    pub(super) async fn tunnel(
        &self,
        edge: Option<&Edge>,
    ) -> Result<Option<IdleTunnel>, StartError> {
        let Some(settings) = self.tunnel_settings.clone() else {
            return Ok(None);
        };
        let Some(edge) = edge else {
            return Err(TunnelError::NoEdge {
                entry: settings.entry,
            }
            .into());
        };
        let verification = egress::server_verification(&self.tls).await;
        if let Err(error) = &verification {
            tracing::warn!(%error, "the tunneler does not check servers by HTTPS");
        }
        let options = TunnelOptions {
            tls: verification.ok(),
            ..TunnelOptions::default()
        };
        Ok(Some(IdleTunnel::new(TunnelParts {
            settings,
            options,
            router: Arc::clone(&self.id),
            rights: Arc::clone(edge.rights()),
            controllers: Arc::clone(&self.controllers),
            ends: self.ends.clone(),
            entropy: Arc::clone(&self.entropy),
            most_creations: self.forwarder.rate_limited.workers,
            tasks: self.tasks.clone(),
        })))
    }

    /// Of the sockets that the router connects to others.
    fn mark(&self) -> SocketMark {
        let mode = self.tunnel_settings.as_ref().map(|tunnel| &tunnel.mode);
        match mode {
            Some(TunnelMode::Intercept(_)) => own_mark(&self.id),
            Some(TunnelMode::Host | TunnelMode::Proxy(_)) | None => SocketMark::default(),
        }
    }

    pub(super) fn control(
        &self,
        links: &Arc<LinkManager>,
        (edge, tunnel): (Option<&Edge>, Option<RouterTunnel>),
        metrics: &Arc<MetricRegistry>,
    ) -> Result<ControlSetup, StartError> {
        let offer = edge.map(|_| EdgeOffer::from_config(&self.file.config.listeners));
        let service = Dispatcher {
            routes: self.routes(edge, tunnel.as_ref())?,
            links: Arc::clone(links),
            edge: edge.cloned(),
            tunnel,
            controllers: Arc::clone(&self.controllers),
            inspections: self.inspections(links, edge, metrics),
        };
        let announced = links.announcements();
        Ok(ControlSetup {
            settings: self.control.clone(),
            greeting: Greeting::new(self.id.to_string(), self.version.clone(), announced, offer),
            tls: Arc::clone(&self.tls),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
            controllers: Arc::clone(&self.controllers),
            known: Arc::clone(&self.known_controllers),
            service: Arc::new(service),
            observer: Some(self.followed(Protocol::Control)),
            traces: Arc::clone(&self.channel_traces),
            interfaces: InterfaceSettings::from_config(&self.file.config.interface_discovery)?,
            identity: self.renewable_identity(),
            renews_at_once: self.renews_at_once,
            mark: self.mark(),
        })
    }

    fn routes(
        &self,
        edge: Option<&Edge>,
        tunnel: Option<&RouterTunnel>,
    ) -> Result<Arc<Routes>, StartError> {
        let entries = &self.file.config.dialers;
        let mut dialers =
            egress::dialers(entries, &self.ends, &self.tls, &self.entropy, self.mark())?;
        if let Some(edge) = edge {
            dialers.insert(Binding::Edge.name().to_owned(), edge.dialer());
        }
        if let Some(tunnel) = tunnel {
            dialers.insert(Binding::Tunnel.name().to_owned(), tunnel.dialer());
        }
        Ok(Routes::new(
            Arc::clone(self.ends.relay()),
            Arc::clone(&self.controllers),
            dialers,
            &self.forwarder,
            self.tasks.clone(),
        ))
    }

    fn inspections(
        &self,
        links: &Arc<LinkManager>,
        edge: Option<&Edge>,
        metrics: &Arc<MetricRegistry>,
    ) -> Arc<Inspections> {
        let controllers = Arc::clone(&self.controllers);
        let inspections = Inspections::new(controllers, self.tasks.clone());
        let basics = Arc::new(Basics {
            router: Arc::clone(&self.id),
            clock: self.clock,
            metrics: Arc::clone(metrics),
            controllers: Arc::clone(&self.controllers),
            known: Arc::clone(&self.known_controllers),
            config: Basics::shown_config(&self.file.effective, &self.file.path),
        });
        inspections.register(Basics::KINDS, &basics);
        let links: Arc<dyn LinkInventory> = Arc::<LinkManager>::clone(links);
        let relay = Arc::clone(self.ends.relay());
        let circuits = Arc::new(Circuits::new(relay, Arc::clone(&links)));
        inspections.register(Circuits::KINDS, &circuits);
        let links = Arc::new(Links::new(links));
        inspections.register(Links::KINDS, &links);
        if let Some(edge) = edge {
            let edge = EdgeView::new(edge.clone(), Arc::clone(self.ends.relay()));
            inspections.register(EdgeView::KINDS, &Arc::new(edge));
        }
        Arc::new(inspections)
    }

    /// The identity whose certificates controllers renew: that of an edge router.
    fn renewable_identity(&self) -> Option<Arc<dyn RenewableIdentity>> {
        if !self.file.has_edge {
            return None;
        }
        let request = CertificateRequest::from_config(&self.file.config);
        let files = self.identity.clone();
        let id = self.id.to_string();
        let renewable = RenewableFiles::new(files, request, id, Arc::clone(&self.tls));
        Some(Arc::new(renewable))
    }
}
