//! Shows what the health API of a file answers, before the checks have run and after.
//!
//! `cargo run -p portcullis-router --example health -- router.yml '/health-checks?status=code'`

use std::error::Error;
use std::io::{self, Write};
use std::{env, fs};

use portcullis_domain::clock::Timestamp;
use portcullis_router::health::{
    ControllerStatus, DueCheck, HealthChecks, HealthOptions, Request, respond,
};
use portcullis_router::web::{BindPoint, WebApi, web_servers};
use portcullis_router_config::{CheckOptions, SourceFile, load};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().ok_or("name a router's file")?;
    let target = arguments
        .next()
        .unwrap_or_else(|| "/health-checks".to_owned());
    let bytes = fs::read(&name)?;
    let text = SourceFile::new(&name, &bytes);
    let config = load(
        &text,
        &CheckOptions::new().environment(&|name| env::var(name).ok()),
    )
    .config;

    let mut out = io::stdout().lock();
    let servers = web_servers(&config.web)?.into_iter();
    let points: Vec<BindPoint> = servers
        .filter(|server| server.apis.contains(&WebApi::HealthChecks))
        .flat_map(|server| server.bind_points)
        .collect();
    if points.is_empty() {
        writeln!(out, "the section `web` serves it nowhere")?;
    }

    let mut checks = HealthChecks::new(
        HealthOptions::from_config(&config.health_checks)?,
        Timestamp::UNIX_EPOCH,
    );
    show(&mut out, &checks, &target, &points)?;
    // A router asks its controllers and counts its links here.
    while checks.controllers().details().is_none() || checks.links().details().is_none() {
        let now = checks.deadline();
        for work in checks.poll(now) {
            match work {
                DueCheck::Ping(run) => checks.finish_ping(run, ControllerStatus::Answering, now),
                DueCheck::CountLinks(run) => checks.finish_count(run, Vec::new(), now),
            }
        }
    }
    show(&mut out, &checks, &target, &points)?;
    Ok(())
}

fn show(
    out: &mut impl Write,
    checks: &HealthChecks,
    target: &str,
    points: &[BindPoint],
) -> io::Result<()> {
    for here in points {
        let method = "GET";
        let answer = respond(checks, Request { method, target }, here);
        writeln!(out, "{} {target}: {}", here.interface(), answer.status)?;
        for (name, value) in &answer.headers {
            writeln!(out, "{name}: {value}")?;
        }
        writeln!(out, "\n{}", answer.body)?;
    }
    Ok(())
}
