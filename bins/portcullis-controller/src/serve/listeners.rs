//! Entries of the section `web`, and the port for routers: sockets, TLS and services.

use super::certificates::{ServedTls, ServerCertificates};
use super::control::{self, ControlChannel};
use super::credentials::{CertKeyPair, ServedPairs};
use super::descriptors::{self, Descriptors};
use super::metrics;
use crate::build::BUILD;
use anyhow::{Context as _, anyhow, ensure};
use portcullis_controller_config::{
    ApiKind, ClientLimit, ClientLimits, ControllerConfig, TlsVersion, WebApi, WebListener,
};
use portcullis_domain::entropy;
use portcullis_http::path::Api;
use portcullis_http::route::RouteTable;
use portcullis_http::{
    AppState, ControllerService, ManagementChannel, MetricsOptions, RequestTracer, WebApp,
    WithMetrics, WithWebApps, routes,
};
use portcullis_listener::{Budgets, Limits, Listener, Quota, Quotas, ServerTls, Service};
use portcullis_yaml::syntax::HostPort;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// All entries of `web`, and where routers connect, bound.
pub(super) struct Listeners {
    entries: Vec<WebEntry>,
    control: ControlPort,
    quotas: Quotas,
}

/// The port for routers.
enum ControlPort {
    /// That of a bind point: routers ask for their protocol by ALPN, and get the certificates of the
    /// entry.
    Shared,
    /// One of its own, with the certificates of the section `identity`.
    Own(Listener),
}

struct WebEntry {
    listener: WebListener,
    apis: Vec<Api>,
    web_apps: Vec<WebApp>,
    metrics: Option<MetricsOptions>,
    sockets: Vec<WebSocket>,
}

struct WebSocket {
    listener: Listener,
    has_routers: bool,
}

/// What the APIs have beside their routes.
pub(super) struct BesideApis {
    pub(super) management_channel: Arc<dyn ManagementChannel>,
    pub(super) tracer: Option<Arc<dyn RequestTracer>>,
}

impl Listeners {
    /// Binds every bind point and `ctrl.listener`, or uses a matching one of `bound`.
    pub(super) async fn bind(
        config: &ControllerConfig,
        mut bound: Vec<Listener>,
    ) -> anyhow::Result<Self> {
        let mut bind = async |interface: &HostPort| -> anyhow::Result<Listener> {
            let address = resolve(interface).await?;
            let taken = bound.iter().position(|each| each.local_addr() == address);
            Ok(match taken {
                Some(at) => bound.swap_remove(at),
                None => Listener::bind(address)?,
            })
        };
        let control = &config.ctrl.listener.endpoint;
        let mut entries = Vec::new();
        for listener in &config.web {
            let (apis, web_apps) = (served_apis(listener), web_apps(listener));
            let metrics = metrics::options(listener)?;
            let mut sockets = Vec::new();
            if apis.is_empty() && web_apps.is_empty() && metrics.is_none() {
                tracing::warn!(listener = listener.name, "this listener serves nothing");
            } else {
                for point in &listener.bind_points {
                    sockets.push(WebSocket {
                        listener: bind(&point.interface).await?,
                        has_routers: point.interface == *control,
                    });
                }
            }
            entries.push(WebEntry {
                listener: listener.clone(),
                apis,
                web_apps,
                metrics,
                sockets,
            });
        }
        ensure!(
            entries.iter().any(|entry| !entry.sockets.is_empty()),
            "no listener in the section `web` serves an API; add a binding such as `edge-management`"
        );
        let mut sockets = entries.iter().flat_map(|entry| &entry.sockets);
        let control = if sockets.any(|socket| socket.has_routers) {
            ControlPort::Shared
        } else {
            let own = bind(control).await;
            ControlPort::Own(own.context("ctrl.listener: routers could not connect")?)
        };
        Ok(Self {
            entries,
            control,
            quotas: quotas(&config.limits),
        })
    }

    pub(super) fn local_addresses(&self) -> Vec<SocketAddr> {
        self.entries
            .iter()
            .flat_map(|entry| &entry.sockets)
            .map(|socket| socket.listener.local_addr())
            .collect()
    }

    /// Where routers connect.
    pub(super) fn control_address(&self) -> Option<SocketAddr> {
        if let ControlPort::Own(listener) = &self.control {
            return Some(listener.local_addr());
        }
        let mut sockets = self.entries.iter().flat_map(|entry| &entry.sockets);
        let shared = sockets.find(|socket| socket.has_routers);
        shared.map(|socket| socket.listener.local_addr())
    }

    /// Sets up TLS for each entry, and for routers, with these certificates.
    pub(super) fn tls(&self, pairs: &ServedPairs) -> anyhow::Result<ServedTls> {
        let of_entry = |(entry, pairs): (&WebEntry, &Vec<CertKeyPair>)| {
            let options = &entry.listener.options;
            let (min, max) = (
                version(options.min_tls_version),
                version(options.max_tls_version),
            );
            server_tls(pairs, min, max).with_context(|| {
                format!("cannot set up TLS for the listener {}", entry.listener.name)
            })
        };
        let web = self.entries.iter().zip(&pairs.web).map(of_entry);
        let (min, max) = (version(TlsVersion::Tls12), version(TlsVersion::Tls13));
        Ok(ServedTls {
            web: web.collect::<anyhow::Result<_>>()?,
            own: server_tls(&pairs.own, min, max).context("cannot set up TLS for routers")?,
        })
    }

    /// Serves every entry, and `routers`, in their own tasks.
    pub(super) fn serve(
        self,
        certificates: &ServerCertificates,
        routers: &Arc<ControlChannel>,
        beside: BesideApis,
        descriptors: Descriptors,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let app = Arc::clone(&certificates.app);
        let instance_id = entropy::uuid(&*app.env().entropy)?;
        let state = AppState {
            app,
            build: BUILD,
            addresses: self.addresses(),
            instance_id,
            management_channel: Some(beside.management_channel),
            tracer: beside.tracer,
        };
        let state = Arc::new(state);
        let found = descriptors.limit;
        let sockets = self
            .entries
            .iter()
            .map(|entry| entry.sockets.len())
            .sum::<usize>()
            + usize::from(matches!(self.control, ControlPort::Own(_)));
        // The controller stops when a listener ends for any reason.
        let spawn = |serving: Pin<Box<dyn Future<Output = ()> + Send>>| {
            let guard = stop.clone().drop_guard();
            tasks.spawn(async move {
                serving.await;
                drop(guard);
            });
        };
        let budgets = Budgets::new(&Quotas {
            connections: descriptors::fit_connections(
                self.quotas.connections,
                found,
                descriptors.for_routers,
            ),
            ..self.quotas
        });
        if let ControlPort::Own(listener) = self.control {
            let listener = listener.with_protocol(control::PROTOCOL, Arc::clone(routers) as _);
            spawn(Box::pin(listener.serve_protocols(
                Arc::clone(&certificates.tls.own),
                descriptors::fit_handshakes(Limits::default(), found, sockets),
                stop.clone(),
            )));
        }
        for (entry, tls) in self.entries.into_iter().zip(&certificates.tls.web) {
            let table = RouteTable::new(routes::all(), &entry.apis)?;
            let controller =
                ControllerService::with_budgets(Arc::clone(&state), table, budgets.clone());
            let service: Arc<dyn Service> = if entry.web_apps.is_empty() {
                Arc::new(controller)
            } else if entry.apis.is_empty() && entry.metrics.is_none() {
                Arc::new(WithWebApps::alone(controller, entry.web_apps))
            } else {
                Arc::new(WithWebApps::new(controller, entry.web_apps))
            };
            let service: Arc<dyn Service> = match entry.metrics {
                Some(options) => {
                    let app = Arc::clone(&certificates.app);
                    app.metrics().reports().keep();
                    Arc::new(WithMetrics::new(service, app, options))
                },
                None => service,
            };
            for socket in entry.sockets {
                let mut listener = socket.listener.with_budgets(budgets.clone());
                if socket.has_routers {
                    let routers = Arc::clone(routers) as _;
                    listener = listener.with_protocol(control::PROTOCOL, routers);
                }
                spawn(Box::pin(listener.serve(
                    Arc::clone(&service),
                    Arc::clone(tls),
                    descriptors::fit_handshakes(limits(&entry.listener), found, sockets),
                    stop.clone(),
                )));
            }
        }
        Ok(())
    }

    /// Each API with its advertised addresses.
    fn addresses(&self) -> Vec<(Api, Vec<String>)> {
        let of = |api: Api| -> Vec<String> {
            self.entries
                .iter()
                .filter(|entry| entry.apis.contains(&api))
                .flat_map(|entry| &entry.listener.bind_points)
                .map(|point| point.address.to_string())
                .collect()
        };
        Api::ALL
            .into_iter()
            .map(|api| (api, of(api)))
            .filter(|(_, addresses)| !addresses.is_empty())
            .collect()
    }
}

fn server_tls(
    pairs: &[CertKeyPair],
    min: portcullis_listener::TlsVersion,
    max: portcullis_listener::TlsVersion,
) -> anyhow::Result<Arc<ServerTls>> {
    let certificates = pairs
        .iter()
        .map(CertKeyPair::to_tls)
        .collect::<anyhow::Result<_>>()?;
    Ok(Arc::new(ServerTls::new(certificates, min, max)?))
}

/// The supported APIs of an entry.
fn served_apis(listener: &WebListener) -> Vec<Api> {
    let mut apis = Vec::new();
    for api in &listener.apis {
        match api.kind() {
            ApiKind::EdgeClient => apis.push(Api::Client),
            ApiKind::EdgeManagement => apis.push(Api::Management),
            ApiKind::Fabric => apis.push(Api::Fabric),
            ApiKind::HealthChecks => apis.push(Api::HealthChecks),
            ApiKind::EdgeOidc => apis.push(Api::Oidc),
            ApiKind::Metrics | ApiKind::Spa => {},
        }
    }
    apis
}

/// The web applications of an entry.
fn web_apps(listener: &WebListener) -> Vec<WebApp> {
    let apps = listener.apis.iter().filter_map(|api| match api {
        WebApi::Spa(options) => Some(options),
        _ => None,
    });
    let apps = apps.inspect(|options| {
        if options.has_root_assets {
            tracing::warn!(
                listener = listener.name,
                path = options.path,
                "the binding `zac` is deprecated; write `spa` with this path"
            );
        }
    });
    apps.map(|options| WebApp {
        segment: options.path.clone(),
        location: options.location.clone().into(),
        index_file: options.index_file.clone(),
        has_root_assets: options.has_root_assets,
    })
    .collect()
}

/// Resolves the address to listen on; of several, the first IPv4 address. Without a host, it stands for
/// all addresses of the machine.
async fn resolve(interface: &HostPort) -> anyhow::Result<SocketAddr> {
    if interface.host.is_empty() {
        return Ok((Ipv4Addr::UNSPECIFIED, interface.port).into());
    }
    if let Ok(address) = interface.host.parse::<IpAddr>() {
        return Ok(SocketAddr::new(address, interface.port));
    }
    let found: Vec<_> = tokio::net::lookup_host((interface.host.as_str(), interface.port))
        .await
        .with_context(|| format!("the interface {interface} cannot be resolved"))?
        .collect();
    let first = found
        .iter()
        .find(|address| address.is_ipv4())
        .or_else(|| found.first());
    first
        .copied()
        .ok_or_else(|| anyhow!("the interface {interface} has no address"))
}

fn limits(listener: &WebListener) -> Limits {
    let (options, usual) = (&listener.options, Limits::default());
    Limits {
        idle: options.idle_timeout,
        header_read: options.read_timeout,
        write_stall: usual.write_stall.min(options.write_timeout),
        response_stall: usual.response_stall.min(options.write_timeout),
        ..usual
    }
}

/// Quotas from the section `limits`.
fn quotas(limits: &ClientLimits) -> Quotas {
    let quota = |share: ClientLimit| Quota {
        total: usize::try_from(share.total).unwrap_or(usize::MAX),
        per_peer: usize::try_from(share.per_client).unwrap_or(usize::MAX),
    };
    Quotas {
        connections: quota(limits.connections),
        request_heads: quota(limits.request_head_bytes),
        unread_responses: quota(limits.unread_answer_bytes),
        session_requests: quota(limits.request_bytes),
        unauthenticated_requests: quota(limits.unauthenticated_request_bytes),
    }
}

fn version(version: TlsVersion) -> portcullis_listener::TlsVersion {
    match version {
        TlsVersion::Tls12 => portcullis_listener::TlsVersion::Tls12,
        TlsVersion::Tls13 => portcullis_listener::TlsVersion::Tls13,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_without_limits_has_those_of_the_listener() {
        assert_eq!(quotas(&ClientLimits::default()), Quotas::default());
    }
}
