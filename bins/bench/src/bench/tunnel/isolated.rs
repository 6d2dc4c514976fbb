//! What a tunneler intercepts, in a network namespace: nothing of this machine is touched.

use super::echo::Echo;
use super::network::{Network, Reach, Servers, Service};
use super::program::TunnelProgram;
use super::{datagrams, intercepts, names};
use crate::bench::plan::{Programs, say};
use crate::bench::report::Report;
use crate::bench::router::between::Between;
use crate::bench::router::relay::Relays;
use crate::bench::router::server::Server;
use crate::bench::router::way::Ways;
use crate::bench::router::{dials, round_trips, streams};
use crate::bench::scale::Scale;
use anyhow::{Context as _, ensure};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Where `portcullis-tunnel run` answers names, unless it is told otherwise.
const NAME_SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(100, 64, 0, 1)), 53);

/// Has this program measure it in a namespace, where rights and tools allow for one.
pub(super) async fn measure(
    programs: Programs<'_>,
    directory: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    if let Err(problem) = try_isolation().await {
        return Ok(say(&format!("no interception: {problem:#}"))?);
    }
    let (home, figures) = (directory.join("isolated"), directory.join("isolated.json"));
    fs::create_dir_all(&home)?;
    let mut command = isolated();
    command
        .args(["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
        .arg(std::env::current_exe()?)
        .args(["bench", "--isolated"])
        .args(scale.arguments);
    for (option, path) in [
        ("--controller", programs.controller),
        ("--router", programs.routers.ours.path()),
        ("--tunnel", programs.tunnel),
        ("--directory", &home),
        ("--json", &figures),
    ] {
        command.arg(option).arg(path);
    }
    let status = command.status().await?;
    ensure!(status.success(), "interception was not measured: {status}");
    report.add_written(&figures)
}

/// A program of this computer, in a network namespace.
fn isolated() -> Command {
    let mut command = Command::new("unshare");
    command
        .args(["--net", "--"])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Whether namespaces can be made.
async fn try_isolation() -> anyhow::Result<()> {
    let mut command = isolated();
    let tried = command.args(["ip", "link", "set", "lo", "up"]).output();
    let tried = tried.await.context("`unshare` is needed")?;
    let said = String::from_utf8_lossy(&tried.stderr);
    ensure!(
        tried.status.success(),
        "network namespaces cannot be made: {}",
        said.trim()
    );
    Ok(())
}

/// Measures it in the namespace that this process is in.
pub(in crate::bench) async fn measure_here(
    programs: Programs<'_>,
    scratch: &Path,
    scale: Scale,
) -> anyhow::Result<Report> {
    let mut report = Report::new();
    say("services that are intercepted")?;
    if let Err(problem) = intercepts::measure_rules(&mut report).await {
        say(&format!("no rules in the kernel: {problem:#}"))?;
    }
    let program = TunnelProgram {
        path: programs.tunnel,
        directory: scratch,
    };
    if program.has("run").await? {
        Box::pin(transparent(programs, scratch, scale, &mut report)).await?;
    } else {
        say("no transparent proxy: `portcullis-tunnel` has no command `run`")?;
    }
    Ok(report)
}

/// Measures `portcullis-tunnel run`.
async fn transparent(
    programs: Programs<'_>,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    say("connections that are intercepted")?;
    let server = Server::start().await?;
    let echo = Echo::start().await?;
    let relays = Relays::start(scratch, server.address(), Between::Nothing).await?;
    let servers = Servers {
        streams: server.address(),
        datagrams: echo.address(),
    };
    let network = Network::start(programs, scratch, servers, Reach::Interception).await?;
    for (service, prefix) in [
        (Service::Plain, "tproxy, "),
        (Service::Encrypted, "tproxy, encrypted, "),
    ] {
        let ways = Ways::unjudged(prefix, network.way(service), relays.way());
        streams::measure(&server, &ways, &[1, 8], scale, report).await?;
        round_trips::measure(&ways, scale, report).await?;
        dials::measure(&ways, scale, report).await?;
    }
    let bare = Relays::of_datagrams(scratch, echo.address()).await?;
    let ways = Ways::unjudged("tproxy, ", network.way(Service::Datagrams), bare.way());
    datagrams::measure(&ways, scale, report).await?;
    let [client, _] = ways.ours.processes;
    names::measure_process(client, NAME_SERVER, &echo, scale, report).await?;
    network.stop().await
}
