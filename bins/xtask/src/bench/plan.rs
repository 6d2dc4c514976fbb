//! The order of a run.

use super::controller::Program;
use super::fixture::Fixture;
use super::peer::Peer;
use super::report::Report;
use super::scale::Scale;
use super::{
    create_and_enroll, creates, current_identity, lists, logins, memory, passwords, starts,
};
use std::io::Write as _;
use std::path::Path;

/// Measures the program at `controller`; what it writes goes to `scratch`.
pub(super) async fn measure(
    controller: &Path,
    scratch: &Path,
    scale: Scale,
) -> anyhow::Result<Report> {
    let mut report = Report::new();
    let program = Program::new(controller, scratch, "home");
    say("starts")?;
    let running = starts::measure(&program, scale.starts, &mut report).await?;
    memory::measure(&running, "memory, idle", memory::IDLE, &mut report).await?;
    let fixture = Fixture::prepare(running, scale).await?;

    say("creates")?;
    creates::measure(&fixture, scratch, &mut report).await?;
    creates::fill(&fixture).await?;
    let name = "memory, after the creates";
    memory::measure(&fixture.controller, name, memory::MANY, &mut report).await?;
    say("lists")?;
    lists::measure(&fixture, &mut report).await?;
    say("enrollments")?;
    create_and_enroll::measure(&fixture, &mut report).await?;

    let peer = Peer::start(scratch).await?;
    say("certificate logins")?;
    logins::measure(&fixture, &peer, &mut report).await?;
    say("current identity")?;
    current_identity::measure(&fixture, &peer, &mut report).await?;
    say("password logins")?;
    passwords::measure(&fixture, &mut report).await?;

    say("start with the data")?;
    let running = starts::after_kill(&program, fixture.controller, &mut report).await?;
    let name = "memory, started with the data";
    memory::measure(&running, name, memory::MANY, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// Says what is being measured, where it is not taken for a figure.
fn say(what: &str) -> std::io::Result<()> {
    writeln!(std::io::stderr(), "measuring: {what}")
}
