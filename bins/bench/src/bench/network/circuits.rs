//! Circuits: how fast routers get them, what they take, and lists of them.
//!
//! Every second router hosts the service that the others dial; each has a link with every other. All
//! confirm their routes at once, so that a circuit is the dial and its answer, and two routes and theirs.

use super::figures;
use super::fleet::{Fleet, Router};
use super::site::{SERVICE, Site};
use crate::bench::load::{Budget, Pace, drive};
use crate::bench::plan::say;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::scale::Scale;
use crate::bench::work::{Work, work};
use crate::testbed::calls::total;
use crate::testbed::request::{self, FABRIC};
use crate::testbed::statistics::float;
use anyhow::{bail, ensure};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLink, RouterLinks, VerifyRouter};
use portcullis_wire::control::terminator::CreateTerminatorResult;
use portcullis_wire::control::tunnel::{CreateTunnelCircuit, CreateTunnelTerminator};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Dials that are under way at a time.
const DIALERS: usize = 32;

/// The longest that the circuits may take that are then listed.
const PATIENCE: Duration = Duration::from_mins(2);

/// Size of a page.
const PAGE: u64 = 100;

/// The names of the figures of one network.
struct Names {
    routers: usize,
    rate: &'static str,
    times: [&'static str; 2],
}

const NETWORKS: [Names; 2] = [
    Names {
        routers: 2,
        rate: "circuits, 2 routers",
        times: [
            "  dial to answer, 2 routers, median",
            "  dial to answer, 2 routers, p99",
        ],
    },
    Names {
        routers: 100,
        rate: "circuits, 100 routers",
        times: [
            "  dial to answer, 100 routers, median",
            "  dial to answer, 100 routers, p99",
        ],
    },
];

/// What routers ask for.
#[derive(Debug, Clone, Copy)]
enum Request {
    /// Their cheapest one: whether a router exists that does not.
    Bare,
    /// A circuit that stays.
    Circuit,
    /// A circuit that ends as soon as it is there.
    BriefCircuit,
}

/// A router that asks again and again.
struct Dialer {
    router: Router,
    request: Request,
    times: Vec<Duration>,
}

/// Measures networks of two sizes, the second of which keeps its circuits.
pub(super) async fn measure(
    site: &mut Site,
    fleet: &mut Fleet,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let service = site.service().await?;
    for names in NETWORKS {
        say(names.rate)?;
        fleet.connect(site, names.routers).await?;
        prepare(fleet.routers(), &service).await?;
        rate(site, fleet.routers(), &names, scale, report).await?;
    }
    say("many circuits")?;
    hold(site, fleet.routers(), scale, report).await?;
    list(site, scale, report).await
}

/// Each router has a link to every other, and every second one hosts the service.
pub(super) async fn prepare(routers: &[Router], service: &str) -> anyhow::Result<()> {
    link_all(routers).await?;
    host(routers, service).await
}

/// Opens circuits again and again, and ends each.
pub(super) async fn dial_again(
    site: &Site,
    routers: &[Router],
    budget: Budget,
) -> anyhow::Result<Work> {
    let (work, _) = ask_again(site, routers, Request::BriefCircuit, budget).await?;
    Ok(work)
}

/// Measures how fast circuits come.
async fn rate(
    site: &Site,
    routers: &[Router],
    names: &Names,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut bare, mut circuits, mut times) = (Work::default(), Work::default(), Vec::new());
    for _ in 0..scale.turns {
        let (work, _) = ask_again(site, routers, Request::Bare, scale.turn()).await?;
        bare += work;
        let (work, more) = ask_again(site, routers, Request::Circuit, scale.turn()).await?;
        circuits += work;
        times.extend(more);
    }
    let figure = Figure::rate(names.rate, &circuits);
    report.add(figure.beside("their bare requests", bare.rate()));
    for figure in figures(names.times, times) {
        report.add(figure);
    }
    Ok(())
}

/// Opens many circuits, and looks at what they take.
async fn hold(
    site: &Site,
    routers: &[Router],
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let before = site.resident().await?;
    let budget = Budget {
        time: PATIENCE,
        count: scale.circuits,
    };
    let (_, times) = ask_again(site, routers, Request::Circuit, budget).await?;
    let opened = u64::try_from(times.len())?;
    ensure!(
        opened == scale.circuits,
        "only {opened} circuits were opened"
    );
    let after = site.resident().await?;
    let each = float(after.saturating_sub(before)) / float(opened);
    report.add(Figure::new("memory, each circuit", each, Unit::Bytes));
    Ok(())
}

/// Asks for pages of the circuits that are open.
async fn list(site: &mut Site, scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    site.connect().await?;
    let request = |offset| {
        let path = format!("{FABRIC}/circuits?limit={PAGE}&offset={offset}");
        request::get(&path, Some(&site.admin))
    };
    let open = total(site.link.expect(200, &request(0)).await?)?;
    report.add(Figure::new(
        "circuits that are open",
        float(open),
        Unit::Circuits,
    ));
    let pages = [
        (
            request(0),
            [
                "  page of 100 of them, median",
                "  page of 100 of them, p99",
            ],
        ),
        (
            request(open.saturating_sub(PAGE)),
            ["  last page of them, median", "  last page of them, p99"],
        ),
    ];
    for (request, names) in pages {
        let (pace, mut times) = (Pace::new(scale.list), Vec::new());
        while pace.next().is_some() {
            let start = Instant::now();
            site.link.expect(200, &request).await?;
            times.push(start.elapsed());
        }
        for figure in figures(names, times) {
            report.add(figure);
        }
    }
    Ok(())
}

/// Has dialers ask for the same again and again; answers how long each request took.
async fn ask_again(
    site: &Site,
    routers: &[Router],
    request: Request,
    budget: Budget,
) -> anyhow::Result<(Work, Vec<Duration>)> {
    let dialers = routers.iter().step_by(2).cycle().take(DIALERS);
    let dialers = dialers.map(|router| Dialer {
        router: router.clone(),
        request,
        times: Vec::new(),
    });
    let mut times = Vec::new();
    let asking = async {
        let (tally, dialers) = drive(dialers.collect(), budget, Dialer::ask).await?;
        times.extend(dialers.into_iter().flat_map(|it| it.times));
        Ok(tally)
    };
    let work = work(site.controller.process, asking).await?;
    Ok((work, times))
}

impl Dialer {
    async fn ask(mut self, pace: Arc<Pace>) -> anyhow::Result<Self> {
        let request = self.request.message();
        while pace.next().is_some() {
            let start = Instant::now();
            let answer = self.router.ask(&request).await?;
            self.times.push(start.elapsed());
            if let Request::Bare = self.request {
                continue;
            }
            let circuit = match ControlMessage::decode(&answer.into_message())? {
                ControlMessage::CreateTunnelCircuitAnswer(answer) => answer.circuit_id,
                other => bail!("a dial was answered by {other:?}"),
            };
            if let Request::BriefCircuit = self.request {
                self.router.send(&end_of(circuit))?;
            }
        }
        Ok(self)
    }
}

impl Request {
    fn message(self) -> ControlMessage {
        match self {
            Self::Bare => nobody(),
            Self::Circuit | Self::BriefCircuit => dial(),
        }
    }
}

fn nobody() -> ControlMessage {
    ControlMessage::VerifyRouter(VerifyRouter::default())
}

fn dial() -> ControlMessage {
    ControlMessage::CreateTunnelCircuit(CreateTunnelCircuit {
        service_name: SERVICE.to_owned(),
        ..CreateTunnelCircuit::default()
    })
}

/// The client has gone.
fn end_of(circuit: String) -> ControlMessage {
    ControlMessage::Fault(Fault {
        subject: FaultSubject::Ingress,
        id: circuit,
        ..Fault::default()
    })
}

/// Each router has a link to all before it.
async fn link_all(routers: &[Router]) -> anyhow::Result<()> {
    for (place, router) in routers.iter().enumerate() {
        let links = routers.iter().take(place).map(|other| RouterLink {
            id: format!("{}-{}", router.id, other.id),
            destination: other.id.clone(),
            protocol: "tls".to_owned(),
            iteration: 1,
            ..RouterLink::default()
        });
        let links = RouterLinks {
            links: links.collect(),
            is_full: true,
        };
        router.send(&ControlMessage::RouterLinks(links))?;
        // When this is answered, the links were taken.
        router.ask(&nobody()).await?;
    }
    Ok(())
}

/// Every second router hosts the service.
async fn host(routers: &[Router], service: &str) -> anyhow::Result<()> {
    for router in routers.iter().skip(1).step_by(2) {
        let request = CreateTunnelTerminator {
            service_id: service.to_owned(),
            address: format!("at-{}", router.id),
            ..CreateTunnelTerminator::default()
        };
        let request = ControlMessage::CreateTunnelTerminator(request);
        let answer = router.ask(&request).await?;
        match ControlMessage::decode(&answer.into_message())? {
            ControlMessage::CreateTunnelTerminatorAnswer(answer)
                if answer.result == CreateTerminatorResult::Success => {},
            other => bail!("a terminator was answered by {other:?}"),
        }
    }
    Ok(())
}
