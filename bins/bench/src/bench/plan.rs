//! The order of a run.

use super::fixture::Fixture;
use super::peer::Peer;
use super::report::Report;
use super::router::Routers;
use super::scale::Scale;
use super::{
    allocations, codes, creates, crowd, current_identity, enrollments, lists, logins, memory,
    network, oidc, password_refusals, passwords, router, router_config, services, slow_readers,
    starts, tokens, tunnel,
};
use crate::testbed::controller::{Controller, Program};
use clap::ValueEnum;
use std::io::Write as _;
use std::path::Path;

/// What can be measured alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Noun {
    /// Starts, and the memory after them
    Starts,
    /// Creations of identities, and the memory after them
    Creates,
    /// Redemptions of tokens, and creations with enrollment
    Enrollments,
    /// Logins with certificates
    Logins,
    /// The cheapest request that needs a session
    CurrentIdentity,
    /// Allocations and bytes of small requests
    Allocations,
    /// What everybody else has of clients that read their answers slowly
    SlowReaders,
    /// Logins with passwords
    Passwords,
    /// Logins with certificates while passwords are hashed at the limit
    Crowd,
    /// Logins with tokens of an external signer
    Tokens,
    /// Logins by OpenID Connect, refreshes, and requests with access tokens
    Oidc,
    /// TOTP codes as second factors
    Codes,
    /// Lists on stores of several sizes, with memory and start
    Lists,
    /// Services as clients list them, and policies about everybody, with memory and start
    Services,
    /// Checks of routers' configuration files, with memory
    RouterConfig,
    /// Paths and circuits, and what 500 connected routers are told, with memory
    Network,
    /// Logins and circuits with all events and metrics, beside the same without
    Observed,
    /// What two linked routers carry, beside bare relays, with memory
    Router,
    /// What tunnelers carry, beside bare relays, with memory
    Tunnel,
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Programs<'p> {
    pub(super) controller: &'p Path,
    /// The controller that counts its allocations.
    pub(super) counted: &'p Path,
    /// The command-line client.
    pub(super) cli: &'p Path,
    /// The routers.
    pub(super) routers: Routers<'p>,
    /// The tunneler.
    pub(super) tunnel: &'p Path,
}

/// Whether something is measured; without any noun in `only`, everything is.
pub(super) fn wants(only: &[Noun], noun: Noun) -> bool {
    only.is_empty() || only.contains(&noun)
}

/// Measures programs; what they write goes to `scratch`. Without any noun in
/// `only`, everything is measured.
pub(super) async fn measure(
    programs: Programs<'_>,
    scratch: &Path,
    scale: Scale,
    only: &[Noun],
) -> anyhow::Result<Report> {
    let Programs {
        controller,
        counted,
        cli,
        ..
    } = programs;
    let wants = |noun| wants(only, noun);
    let mut report = Report::new();
    let program = Program::new(controller, scratch, "home");
    let have_their_own = [
        Noun::Allocations,
        Noun::SlowReaders,
        Noun::Codes,
        Noun::Lists,
        Noun::Services,
        Noun::RouterConfig,
        Noun::Network,
        Noun::Observed,
        Noun::Router,
        Noun::Tunnel,
    ];
    if only.is_empty() || !only.iter().all(|noun| have_their_own.contains(noun)) {
        let running = if wants(Noun::Starts) {
            say("starts")?;
            let running = starts::measure(&program, scale.starts, &mut report).await?;
            memory::measure(&running, "memory, idle", memory::IDLE, &mut report).await?;
            running
        } else {
            program.start().await?
        };
        let fixture = Fixture::prepare(running, scale).await?;
        load(&fixture, scratch, &wants, &mut report).await?;
        let running = fixture.controller;
        if wants(Noun::Starts) {
            after_kill(&program, running, &mut report).await?;
        } else {
            running.stop().await?;
        }
    }
    if wants(Noun::Allocations) {
        say("allocations")?;
        let program = Program::new(counted, scratch, "counted");
        allocations::measure(&program, scale, &mut report).await?;
    }
    if wants(Noun::SlowReaders) {
        say("slow readers")?;
        let program = Program::new(controller, scratch, "slow-readers");
        slow_readers::measure(&program, scale, &mut report).await?;
    }
    if wants(Noun::Codes) {
        say("TOTP codes")?;
        codes::measure(controller, scratch, scale, &mut report).await?;
    }
    if wants(Noun::Lists) {
        say("lists")?;
        let program = Program::new(controller, scratch, "lists");
        lists::measure(&program, scale, &mut report).await?;
    }
    if wants(Noun::Services) {
        say("services")?;
        let program = Program::new(controller, scratch, "services");
        services::measure(&program, scale, &mut report).await?;
    }
    if wants(Noun::RouterConfig) {
        say("configuration files of routers")?;
        router_config::measure(cli, scratch, scale, &mut report).await?;
    }
    networks(programs, scratch, scale, &wants, &mut report).await?;
    Ok(report)
}

/// Measures networks with routers.
async fn networks(
    programs: Programs<'_>,
    scratch: &Path,
    scale: Scale,
    wants: &(impl Fn(Noun) -> bool + Sync),
    report: &mut Report,
) -> anyhow::Result<()> {
    if wants(Noun::Network) {
        say("paths and circuits, as they are decided")?;
        network::decisions(scale, report)?;
        let program = Program::new(programs.controller, scratch, "network");
        network::measure(program, scale, report).await?;
    }
    if wants(Noun::Observed) {
        say("logins and circuits of a network that is observed")?;
        Box::pin(network::observed(
            programs.controller,
            scratch,
            scale,
            report,
        ))
        .await?;
    }
    if wants(Noun::Router) {
        router::measure(
            programs.controller,
            programs.routers,
            scratch,
            scale,
            report,
        )
        .await?;
    }
    if wants(Noun::Tunnel) {
        Box::pin(tunnel::measure(programs, scratch, scale, report)).await?;
    }
    Ok(())
}

/// Measures what one controller does under load.
async fn load(
    fixture: &Fixture,
    scratch: &Path,
    wants: &(impl Fn(Noun) -> bool + Sync),
    report: &mut Report,
) -> anyhow::Result<()> {
    if wants(Noun::Creates) {
        say("creates")?;
        creates::measure(fixture, scratch, report).await?;
        creates::fill(fixture).await?;
        let name = "memory, after the creates";
        memory::measure(&fixture.controller, name, memory::MANY, report).await?;
    }
    if wants(Noun::Enrollments) {
        say("enrollments")?;
        enrollments::measure(fixture, report).await?;
    }
    let peer = Peer::start(scratch).await?;
    if wants(Noun::Logins) {
        say("certificate logins")?;
        logins::measure(fixture, &peer, report).await?;
    }
    if wants(Noun::CurrentIdentity) {
        say("current identity")?;
        current_identity::measure(fixture, &peer, report).await?;
    }
    if wants(Noun::Passwords) {
        say("password logins")?;
        passwords::measure(fixture, report).await?;
        say("refused passwords")?;
        password_refusals::measure(fixture, report).await?;
    }
    if wants(Noun::Crowd) {
        say("certificate logins beside passwords")?;
        crowd::measure(fixture, report).await?;
    }
    if wants(Noun::Tokens) {
        say("logins with external tokens")?;
        tokens::measure(fixture, report).await?;
    }
    if wants(Noun::Oidc) {
        say("OpenID Connect")?;
        oidc::measure(fixture, scratch, report).await?;
    }
    Ok(())
}

async fn after_kill(
    program: &Program,
    running: Controller,
    report: &mut Report,
) -> anyhow::Result<()> {
    say("start with the data")?;
    let running = starts::after_kill(program, running, report).await?;
    let name = "memory, started with the data";
    memory::measure(&running, name, memory::MANY, report).await?;
    running.stop().await
}

/// Says what is being measured, where it is not taken for a figure.
pub(super) fn say(what: &str) -> std::io::Result<()> {
    writeln!(std::io::stderr(), "measuring: {what}")
}
