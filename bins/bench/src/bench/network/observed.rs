//! What it costs that a network is observed: two controllers do the same work in turns, one of which writes all
//! events to a file and is scraped.

use super::circuits;
use super::export_start;
use super::fleet::Fleet;
use super::site::Site;
use crate::bench::load::{Budget, Tally};
use crate::bench::logins::{login_again, login_anew};
use crate::bench::report::{Figure, Report, Target};
use crate::bench::scale::Scale;
use crate::bench::work::{Work, work};
use crate::testbed::calls::enroll;
use crate::testbed::controller::Program;
use crate::testbed::credential::Credential;
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::request;
use anyhow::{Context as _, ensure};
use portcullis_events::Namespace;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

const DEVICES: usize = 16;

/// Prometheus asks every 15 s or every minute.
const SCRAPE_INTERVAL: Duration = Duration::from_secs(1);

/// What observing may take of what the controller does.
const KEPT: f64 = 0.97;

/// Both take so many short turns instead of one, so that what else the machine does strikes both.
const TURNS: u32 = 10;

/// One of the two networks.
struct Network {
    site: Site,
    fleet: Fleet,
    devices: Vec<Credential>,
}

/// What was done in both.
#[derive(Default)]
struct Works {
    plain: Work,
    observed: Work,
}

/// Asks for metrics until it is dropped.
struct Scraper(JoinHandle<anyhow::Result<()>>);

impl Drop for Scraper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Measures logins and dials.
pub(in crate::bench) async fn measure(
    program: &Path,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let plain = Program::new(program, scratch, "plain").with_lasting_port()?;
    let mut plain = Network::start(&plain).await?;
    let (observed, events) = observed(program, scratch).await?;
    let mut observed = Network::start(&observed).await?;
    let scraper = Scraper::start(&observed.site).await?;

    let [mut anew, mut kept, mut dials] = [(); 3].map(|()| Works::default());
    for turn in 0..scale.turns * TURNS {
        let mut networks = [(&mut plain, false), (&mut observed, true)];
        if turn % 2 == 1 {
            networks.reverse();
        }
        for (network, is_observed) in networks {
            anew.add(is_observed, network.log_in_anew(scale).await?);
            kept.add(is_observed, network.log_in_again(scale).await?);
            dials.add(is_observed, network.dial(scale).await?);
        }
    }
    ensure!(
        fs::metadata(&events)?.len() > 0,
        "no events were written while they were measured"
    );
    ensure!(!scraper.0.is_finished(), "the metrics cannot be read");
    drop(scraper);
    ensure!(
        !observed.has_dropped_events().await?,
        "events were dropped, which is cheaper than to write them"
    );
    anew.tell("certificate logins, new connection each, observed", report);
    kept.tell("certificate logins, kept connections, observed", report);
    dials.tell("circuits, 2 routers, observed", report);
    for network in [plain, observed] {
        network.stop().await?;
    }
    export_start::measure(program, scratch, report).await
}

fn turn(scale: Scale) -> Budget {
    let Budget { time, count } = scale.turn();
    // Each kind of work has several turns of its own, which are too short to be told otherwise.
    Budget {
        time: time * 3 / TURNS,
        count,
    }
}

/// A program on a home whose file asks for all events and for metrics, and where the events go.
async fn observed(program: &Path, scratch: &Path) -> anyhow::Result<(Program, PathBuf)> {
    let program = Program::new(program, scratch, "observed").with_lasting_port()?;
    program.start().await?.stop().await?;
    let file = program.home.join("controller.yml");
    let text = fs::read_to_string(&file)?;
    let management = text
        .lines()
        .find(|line| line.trim() == "- binding: edge-management")
        .context("the file serves no API of administrators")?;
    let metrics = management.replace("edge-management", "metrics");
    let text = text.replacen(management, &format!("{management}\n{metrics}"), 1);
    let events = scratch.join("events.json");
    let subscriptions = Namespace::ALL.map(|namespace| json!({ "type": namespace.as_str() }));
    let section = json!({ "all": {
        "subscriptions": subscriptions,
        "handler": { "type": "file", "format": "json", "path": events },
    }});
    fs::write(&file, format!("{text}\nevents: {section}\n"))?;
    Ok((program, events))
}

impl Network {
    async fn start(program: &Program) -> anyhow::Result<Self> {
        let mut site = Site::start(program).await?;
        let service = site.service().await?;
        let mut devices = Vec::with_capacity(DEVICES);
        for number in 0..DEVICES {
            let name = format!("device-{number}");
            devices.push(enroll(&mut site.link, &site.admin, &name).await?);
        }
        let mut fleet = Fleet::enroll(&mut site, 2).await?;
        fleet.connect(&site, 2).await?;
        circuits::prepare(fleet.routers(), &service).await?;
        Ok(Self {
            site,
            fleet,
            devices,
        })
    }

    fn as_devices(&self) -> anyhow::Result<Vec<Endpoint>> {
        let devices = self.devices.iter();
        devices
            .map(|device| self.site.controller.endpoint(Some(device)))
            .collect()
    }

    async fn log_in_anew(&self, scale: Scale) -> anyhow::Result<Work> {
        let logging_in = login_anew(self.as_devices()?, turn(scale));
        self.work(logging_in).await
    }

    async fn log_in_again(&self, scale: Scale) -> anyhow::Result<Work> {
        let mut links = Vec::new();
        for device in self.as_devices()? {
            links.push(device.connect().await?);
        }
        self.work(login_again(links, turn(scale))).await
    }

    async fn work(
        &self,
        load: impl Future<Output = anyhow::Result<Tally>>,
    ) -> anyhow::Result<Work> {
        work(self.site.controller.process, load).await
    }

    async fn dial(&self, scale: Scale) -> anyhow::Result<Work> {
        circuits::dial_again(&self.site, self.fleet.routers(), turn(scale)).await
    }

    async fn has_dropped_events(&self) -> anyhow::Result<bool> {
        let mut link = self.site.controller.endpoint(None)?.connect().await?;
        let page = link.expect(200, &request::get("/metrics", None)).await?;
        let page = std::str::from_utf8(page)?;
        let mut dropped = page
            .lines()
            .filter(|line| line.starts_with("portcullis_events_dropped_total"));
        Ok(dropped.any(|line| !line.ends_with(" 0")))
    }

    async fn stop(mut self) -> anyhow::Result<()> {
        self.fleet.leave().await;
        self.site.stop().await
    }
}

impl Works {
    fn add(&mut self, is_observed: bool, work: Work) {
        if is_observed {
            self.observed += work;
        } else {
            self.plain += work;
        }
    }

    /// The rates are for the processor time of the controllers: their clients take as much of the machine again.
    fn tell(&self, name: &'static str, report: &mut Report) {
        let figure = Figure::rate(name, &self.observed)
            .beside("the same, not observed", self.plain.rate())
            .target(Target::RatioAtLeast(KEPT));
        report.add(figure);
        let figure = Figure::processor_milliseconds("  processor time of each", &self.observed)
            .beside(
                "the same, not observed",
                self.plain.processor_milliseconds(),
            )
            .target(Target::RatioAtMost(1.0 / KEPT));
        report.add(figure);
    }
}

impl Scraper {
    async fn start(site: &Site) -> anyhow::Result<Self> {
        let endpoint = site.controller.endpoint(None)?;
        let mut link = endpoint.connect().await?;
        scrape(&mut link).await?;
        Ok(Self(tokio::spawn(async move {
            loop {
                sleep(SCRAPE_INTERVAL).await;
                scrape(&mut link).await?;
            }
        })))
    }
}

async fn scrape(link: &mut Link) -> anyhow::Result<()> {
    link.expect(200, &request::get("/metrics", None)).await?;
    Ok(())
}
