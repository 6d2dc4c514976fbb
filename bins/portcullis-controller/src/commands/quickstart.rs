//! `quickstart`: creation and operation of a trial network.

mod administrator;
mod console;
mod ignored_options;
mod router;
mod summary;

use super::password;
use crate::audit::AuditDestination;
use crate::cli::QuickstartArgs;
use crate::home::{self, Home, HomeSettings};
use crate::serve::{self, ServeOptions};
use crate::{config, logging, output, signals};
use anyhow::{Context as _, bail};
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::Env;
use portcullis_listener::Listener;
use router::Companion;
use secrecy::ExposeSecret as _;
use std::io::{self, IsTerminal as _};
use std::iter;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use summary::Summary;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const DEFAULT_HOST: &str = "localhost";
const DEFAULT_PORT: u16 = 1280;

pub(super) async fn run(arguments: QuickstartArgs) -> anyhow::Result<()> {
    let shutdown = signals::listen()?;
    tokio::select! {
        outcome = serve_until(shutdown.stop, arguments) => outcome,
        () = shutdown.abort.cancelled() => bail!("stopped at once"),
    }
}

async fn serve_until(stop: CancellationToken, mut arguments: QuickstartArgs) -> anyhow::Result<()> {
    if let Some(file) = &arguments.password_file {
        let password = password::read_from(file).await?;
        arguments.password = Some(password.expose_secret().to_owned());
    }
    administrator::validate(&arguments)?;
    let console = arguments.console.as_deref();
    let console = console.map(console::find).transpose()?;
    // Removed when this function returns or is cancelled.
    let (folder, _temporary) = folder(&arguments)?;
    let env = portcullis_system::env();
    home::refuse_foreign(&folder)?;
    home::finish_interrupted(&folder)?;
    let is_new = !Home::at(&folder).is_ready();
    let (home, listeners) = if is_new {
        let (home, listener) = create_home(&folder, &arguments, &env)?;
        (home, vec![listener])
    } else {
        (open_home(&folder)?, Vec::new())
    };
    let overlay = arguments.config.iter().map(PathBuf::as_path);
    let files: Vec<_> = iter::once(&*home.config).chain(overlay).collect();
    let mut loaded = config::load_files(&files)?;
    home.check_store_location(&loaded.references)?;
    if !is_new {
        ignored_options::report_ignored(&arguments, &loaded.config);
    }
    if let Some(folder) = &console {
        console::serve(&mut loaded.config, folder);
    }
    logging::configure_filter(&loaded.config.log.filter)?;
    let mut plan = ServeOptions::of_files(loaded, env);
    plan.listeners = listeners;
    plan.stop = stop.clone();
    complete(&mut plan, &home, &arguments);
    let wanted_router = (arguments.router, arguments.router_port);
    let key_type = arguments.key_type.unwrap_or_default().into();
    let companion = Companion::of(&home, wanted_router, &plan.config, key_type);
    if companion.is_some() {
        // It shares the host of the controller, which no certificate of a router names otherwise.
        let host = plan.config.edge.api.address.host.clone();
        plan.config.edge.enrollment.shared_hosts.push(host);
    }
    let routers = plan.config.router_address().to_string();
    let control_port = own_control_port(&plan.config);
    let address = format!("https://{}", plan.config.edge.api.address);
    let is_local = interface(&plan.config.edge.api.address.host).is_loopback();
    let audit = plan.audit.clone();
    let running = serve::serve(plan).await.map_err(|error| {
        if is_new {
            error
        } else {
            ignored_options::explain_taken_port(error, &home.config, control_port)
        }
    })?;
    let administrator = administrator::ensure(&running, &home, &arguments).await?;
    let router = match companion {
        Some(companion) => Some(Box::pin(companion.start(&running, &home, stop)).await?),
        None => None,
    };
    let report = running.start_report();
    summary::print(&Summary {
        address: &address,
        routers: &routers,
        router: router.as_ref().map(|router| &*router.address),
        console: console.map(|_folder| console::url(&address)),
        is_local,
        home: &home,
        ca: report.ca_fingerprints(),
        administrator: &administrator,
        audit: &audit,
    });
    // On a terminal, the summary has said it.
    if !io::stderr().is_terminal() {
        report.log(&files);
    }
    let ended = running.wait().await;
    if let Some(router) = router {
        router.wait().await;
    }
    ended
}

/// What follows from the home and the arguments.
fn complete(plan: &mut ServeOptions, home: &Home, arguments: &QuickstartArgs) {
    let audit = arguments.audit.destination(&plan.config.audit);
    plan.audit = keep_terminal_quiet(audit, home);
    plan.accept_damage = arguments.damage.accept_damage;
    plan.renew_leaf = home.owns_server_certificate_of(&plan.config);
    plan.store_must_exist = home.keeps_store_of(&plan.config);
}

/// The port of routers, if it is not that of the APIs.
fn own_control_port(config: &ControllerConfig) -> Option<u16> {
    let routers = &config.ctrl.listener.endpoint;
    let points = config.web.iter().flat_map(|listener| &listener.bind_points);
    let mut interfaces = points.map(|point| &point.interface);
    interfaces
        .all(|interface| interface != routers)
        .then_some(routers.port)
}

/// Moves the audit trail of a controller on a terminal into its home: it would scroll the summary away.
fn keep_terminal_quiet(audit: AuditDestination, home: &Home) -> AuditDestination {
    let is_shown = io::stderr().is_terminal() && !logging::is_off("audit");
    match audit {
        AuditDestination::Stream if is_shown => AuditDestination::File(home.audit.clone()),
        audit => audit,
    }
}

fn folder(arguments: &QuickstartArgs) -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    if let Some(folder) = &arguments.home {
        if folder.is_file() {
            let name = folder.display();
            bail!(
                "the home {name} is a file; name a directory, which is created if it does not exist"
            );
        }
        return Ok((folder.clone(), None));
    }
    let temporary = tempfile::Builder::new()
        .prefix("portcullis-")
        .tempdir()
        .context("no temporary directory could be created; name one with --home")?;
    Ok((temporary.path().to_owned(), Some(temporary)))
}

/// Creates a home and binds its socket.
fn create_home(
    folder: &Path,
    arguments: &QuickstartArgs,
    env: &Env,
) -> anyhow::Result<(Home, Listener)> {
    // Bound before anything is created, so that a busy port leaves nothing behind.
    let interface = interface(advertised_host(arguments));
    let port = arguments.ctrl_port.unwrap_or(DEFAULT_PORT);
    let listener = Listener::bind(SocketAddr::new(interface, port))?;
    let settings = HomeSettings {
        advertised_host: advertised_host(arguments).to_owned(),
        interface,
        port: listener.local_addr().port(),
        key_type: arguments.key_type.unwrap_or_default().into(),
    };
    Ok((home::create(folder, &settings, env)?, listener))
}

/// Opens a home that is ready.
fn open_home(folder: &Path) -> anyhow::Result<Home> {
    let folder = folder
        .canonicalize()
        .with_context(|| format!("the directory {} does not exist", folder.display()))?;
    output::print_message(format_args!("Continuing with {}", folder.display()));
    Ok(Home::at(&folder))
}

fn advertised_host(arguments: &QuickstartArgs) -> &str {
    let host = arguments.ctrl_address.as_deref().unwrap_or(DEFAULT_HOST);
    // IPv6 addresses are accepted with and without brackets.
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// Address to listen on: a controller that is advertised under a loopback name cannot be used from other
/// machines, so it listens on loopback only.
pub(super) fn interface(host: &str) -> IpAddr {
    if host.eq_ignore_ascii_case(DEFAULT_HOST) {
        return Ipv4Addr::LOCALHOST.into();
    }
    match host.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => address,
        _ => Ipv4Addr::UNSPECIFIED.into(),
    }
}
