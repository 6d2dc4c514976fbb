//! `quickstart`: a network from nothing.

mod administrator;
mod summary;
mod wishes;

use super::password;
use crate::cli::{KeyKind, Quickstart};
use crate::home::{self, Home, HomeSettings};
use crate::serve::{self, Plan};
use crate::{config, output, signals, system};
use anyhow::{Context as _, bail};
use portcullis_domain::Env;
use portcullis_http::listen::Listener;
use portcullis_pki::KeyType;
use secrecy::ExposeSecret as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const HOST: &str = "localhost";
const PORT: u16 = 1280;

pub(super) async fn run(arguments: Quickstart) -> anyhow::Result<()> {
    let wishes = signals::listen()?;
    tokio::select! {
        outcome = serve_until(wishes.stop, arguments) => outcome,
        () = wishes.hurry.cancelled() => bail!("stopped at once"),
    }
}

async fn serve_until(stop: CancellationToken, mut arguments: Quickstart) -> anyhow::Result<()> {
    if let Some(file) = &arguments.password_file {
        let password = password::from(file).await?;
        arguments.password = Some(password.expose_secret().to_owned());
    }
    administrator::check(&arguments)?;
    // Removed when this function is left, in whatever way.
    let (folder, _temporary) = folder(&arguments)?;
    let env = system::env();
    home::finish(&folder)?;
    let is_new = !Home::at(&folder).is_ready();
    let (home, listeners) = if is_new {
        let (home, listener) = make(&folder, &arguments, &env)?;
        (home, vec![listener])
    } else {
        (continue_with(&folder)?, Vec::new())
    };
    let overlay = arguments.config.as_deref();
    let files: Vec<_> = std::iter::once(home.config.as_path())
        .chain(overlay)
        .collect();
    let (config, named) = config::load_with_names(&files)?;
    home.check_place(&named)?;
    if !is_new {
        wishes::mention_ignored(&arguments, &config);
    }
    let mut plan = Plan::new(config, env);
    plan.listeners = listeners;
    plan.audit = arguments.audit.target(&plan.config.audit);
    plan.accept_damage = arguments.damage.accept_damage;
    plan.renew_leaf = home.owns_leaf_of(&plan.config);
    plan.store_was_made = home.keeps_store_of(&plan.config);
    plan.stop = stop;
    let address = format!("https://{}", plan.config.edge.api.address);
    let running = serve::serve(plan).await.map_err(|error| {
        if is_new {
            error
        } else {
            wishes::explain_taken_port(error, &home.config)
        }
    })?;
    let administrator = administrator::ensure(&running, &home, &arguments).await?;
    summary::show(&address, &home, &administrator);
    running.wait().await
}

fn folder(arguments: &Quickstart) -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    if let Some(folder) = &arguments.home {
        if folder.is_file() {
            let name = folder.display();
            bail!(
                "the home {name} is a file; name a folder, which is created if it does not exist"
            );
        }
        return Ok((folder.clone(), None));
    }
    let temporary = tempfile::Builder::new()
        .prefix("portcullis-")
        .tempdir()
        .context("no temporary folder could be created; name one with --home")?;
    Ok((temporary.path().to_owned(), Some(temporary)))
}

/// Makes a home, and the socket that it is served at.
fn make(folder: &Path, arguments: &Quickstart, env: &Env) -> anyhow::Result<(Home, Listener)> {
    // Before anything is made, so that a busy port leaves nothing behind.
    let interface = interface(host(arguments));
    let port = arguments.ctrl_port.unwrap_or(PORT);
    let listener = Listener::bind(SocketAddr::new(interface, port))?;
    let settings = HomeSettings {
        advertised_host: host(arguments).to_owned(),
        interface,
        port: listener.local_addr().port(),
        key_type: key_type(arguments.key_type),
    };
    Ok((home::prepare(folder, &settings, env)?, listener))
}

/// Takes a home that is ready.
fn continue_with(folder: &Path) -> anyhow::Result<Home> {
    let folder = folder
        .canonicalize()
        .with_context(|| format!("the folder {} does not exist", folder.display()))?;
    let name = folder.display().to_string();
    output::say(format_args!("Continuing with {}", output::one_line(&name)));
    Ok(Home::at(&folder))
}

fn host(arguments: &Quickstart) -> &str {
    let host = arguments.ctrl_address.as_deref().unwrap_or(HOST);
    // Addresses of IP version 6 are written both ways.
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// Where to listen: a controller that is known under a name of this machine alone cannot be used
/// from elsewhere, so it is not offered there.
fn interface(host: &str) -> IpAddr {
    if host.eq_ignore_ascii_case(HOST) {
        return Ipv4Addr::LOCALHOST.into();
    }
    match host.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => address,
        _ => Ipv4Addr::UNSPECIFIED.into(),
    }
}

fn key_type(kind: Option<KeyKind>) -> KeyType {
    match kind {
        None | Some(KeyKind::P256) => KeyType::P256,
        Some(KeyKind::P384) => KeyType::P384,
        Some(KeyKind::Rsa2048) => KeyType::Rsa2048,
    }
}
