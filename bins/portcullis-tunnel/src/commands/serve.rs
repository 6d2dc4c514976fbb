//! `run`, `host` and `proxy`: join the network and serve until the end.

mod joining;

use crate::cli::{HostArgs, JoinArgs, ProxyArgs, RunArgs};
use crate::network::SdkNetwork;
use crate::own_destinations::own_destinations;
use crate::server_tls::server_tls;
use crate::services::{Feed, Known};
use crate::status;
use anyhow::{Context as _, bail};
use joining::join;
use portcullis_datagram_flows::FlowOptions;
use portcullis_name_server::NameServerOptions;
use portcullis_program::signals::{self, ShutdownSignals};
use portcullis_program::{descriptors, output, privileges, service_manager};
use portcullis_sdk::{ApiSession, Context, SessionError};
use portcullis_system::SystemEntropy;
use portcullis_tproxy::{Instance, InterceptorOptions};
use portcullis_tunnel::{Runner, TransparentOptions, Tunnel, TunnelOptions};
use portcullis_tunneler::{InterceptOptions, Mode, ProxyRule};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What is done beside hosting.
enum Purpose {
    Host,
    Proxy { rules: Vec<ProxyRule>, bind: IpAddr },
    Intercept(Box<InterceptPurpose>),
}

struct InterceptPurpose {
    instance: Instance,
    resolver: SocketAddr,
    lan_interfaces: Vec<String>,
    options: InterceptOptions,
    names: NameServerOptions,
}

/// Changes that may wait: one does not begin before the one before it was taken.
const CHANGES: usize = 4;

pub(super) async fn host(arguments: HostArgs) -> anyhow::Result<()> {
    let options = options(&arguments.join);
    Box::pin(serve(arguments.join, Purpose::Host, options)).await
}

pub(super) async fn proxy(arguments: ProxyArgs) -> anyhow::Result<()> {
    let ProxyArgs {
        services: rules,
        bind,
        join,
    } = arguments;
    let options = TunnelOptions {
        proxy_address: bind,
        ..options(&join)
    };
    Box::pin(serve(join, Purpose::Proxy { rules, bind }, options)).await
}

pub(super) async fn intercept(arguments: RunArgs) -> anyhow::Result<()> {
    let resolver = arguments.resolver();
    let options = TunnelOptions {
        proxy_address: arguments.bind,
        ..options(&arguments.join)
    };
    let purpose = InterceptPurpose {
        instance: arguments.instance,
        resolver,
        lan_interfaces: arguments.lan_interface,
        options: InterceptOptions {
            name_range: arguments.dns_ip_range,
            ..InterceptOptions::default()
        },
        names: NameServerOptions {
            upstreams: arguments.dns_upstream,
            ..NameServerOptions::default()
        },
    };
    let purpose = Purpose::Intercept(Box::new(purpose));
    Box::pin(serve(arguments.join, purpose, options)).await
}

fn options(join: &JoinArgs) -> TunnelOptions {
    TunnelOptions {
        flows: FlowOptions {
            idle_timeout: join.udp_idle_timeout,
            ..FlowOptions::default()
        },
        ..TunnelOptions::default()
    }
}

/// Joins the network, and serves until a signal.
async fn serve(
    arguments: JoinArgs,
    purpose: Purpose,
    options: TunnelOptions,
) -> anyhow::Result<()> {
    let shutdown = signals::listen()?;
    privileges::warn_about_root("tunneler");
    descriptors::raise_limit();
    let joining = Box::pin(join(arguments));
    let context = tokio::select! {
        joined = joining => joined?,
        () = shutdown.stop.cancelled() => return Ok(()),
    };
    let served = Box::pin(run(&context, purpose, options, &shutdown)).await;
    let closed = Box::pin(context.close());
    tokio::select! {
        () = closed => {},
        () = shutdown.abort.cancelled() => bail!("stopped at once"),
    }
    served
}

async fn run(
    context: &Context,
    purpose: Purpose,
    options: TunnelOptions,
    shutdown: &ShutdownSignals,
) -> anyhow::Result<()> {
    let mut feed = Feed::new(context);
    let (known, session) = tokio::select! {
        known = feed.first() => known.map_err(lost)?,
        () = shutdown.stop.cancelled() => return Ok(()),
    };
    let options = TunnelOptions {
        tls: Some(server_tls().await?),
        ..options
    };
    let (sender, changes) = mpsc::channel(CHANGES);
    let network = SdkNetwork::new(context.clone());
    let identity = known.tunneler_identity();
    let (_tunnel, runner) = Tunnel::new(network, identity, purpose.mode(), options, changes);
    let set_up = Box::pin(purpose.set_up(context, runner));
    let runner = set_up.await.context("connections cannot be intercepted")?;
    let end = CancellationToken::new();
    let running = tokio::spawn(runner.run(end.clone()));
    tell_start(&known, &session, &purpose);
    service_manager::notify_ready();
    let served = tokio::select! {
        error = feed.follow(sender) => Err(lost(error)),
        () = shutdown.stop.cancelled() => Ok(()),
    };
    end.cancel();
    tokio::select! {
        ended = running => ended.context("the tunnel has failed")?,
        () = shutdown.abort.cancelled() => bail!("stopped at once"),
    }
    tracing::info!("stopped");
    served
}

impl Purpose {
    fn mode(&self) -> Mode {
        match self {
            Self::Host => Mode::Host,
            Self::Proxy { rules, .. } => Mode::Proxy(rules.clone()),
            Self::Intercept(purpose) => Mode::Intercept(purpose.options.clone()),
        }
    }

    /// Sets up what the kernel has to do.
    async fn set_up(
        &self,
        context: &Context,
        runner: Runner<SdkNetwork>,
    ) -> anyhow::Result<Runner<SdkNetwork>> {
        let Self::Intercept(purpose) = self else {
            return Ok(runner);
        };
        let options = TransparentOptions {
            interceptor: InterceptorOptions {
                lan_interfaces: purpose.lan_interfaces.clone(),
                exempt: own_destinations(context).await,
                ..InterceptorOptions::new(purpose.instance.clone())
            },
            name_server_addresses: vec![purpose.resolver],
            is_name_server_required: true,
            name_server: purpose.names.clone(),
        };
        let entropy = Arc::new(SystemEntropy);
        Ok(Box::pin(runner.with_transparent_proxy(options, entropy)).await?)
    }

    /// What there is beside hosting, as sentences.
    fn status(&self, known: &Known) -> Vec<String> {
        match self {
            Self::Host => Vec::new(),
            Self::Proxy { rules, bind } => status::ports(rules, *bind, &known.services),
            Self::Intercept(purpose) => status::intercepted(
                &known.services,
                purpose.resolver,
                purpose.options.name_range,
            ),
        }
    }
}

fn lost(error: SessionError) -> anyhow::Error {
    anyhow::Error::new(error).context("the session with the network is lost")
}

fn tell_start(known: &Known, session: &Arc<ApiSession>, purpose: &Purpose) {
    let controller = session.controller.to_string();
    let controller = output::one_line(controller.trim_end_matches('/')).into_owned();
    status::tell([status::joined(known, &controller)]);
    status::tell([status::hosted(&known.services)]);
    status::tell(purpose.status(known));
}
