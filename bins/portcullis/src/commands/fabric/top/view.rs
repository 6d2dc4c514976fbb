//! What a look has seen, for people and programs.

use super::rates::{Rates, human};
use super::sample::Sample;
use crate::grid::{Grid, Title};
use crate::moment;
use crate::render::{Render, one_line};
use crate::table::pluralize;
use portcullis_api::time::WireTime;
use portcullis_command_line::text_width::truncate;
use portcullis_domain::clock::Timestamp;
use serde::Serialize;

/// Bytes that come from clients and hosts, and that go to them.
const EDGE_IN: [&str; 2] = ["ingress.rx.bytesrate", "egress.rx.bytesrate"];
const EDGE_OUT: [&str; 2] = ["ingress.tx.bytesrate", "egress.tx.bytesrate"];
/// Bytes that come from other routers, and that go to them.
const LINKS_IN: [&str; 1] = ["fabric.rx.bytesrate"];
const LINKS_OUT: [&str; 1] = ["fabric.tx.bytesrate"];

/// Routers, links and circuits. Bytes are per second.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Overview {
    routers: Vec<RouterRow>,
    links: Vec<LinkRow>,
    circuit_count: i64,
    /// The newest of them.
    circuits: Vec<CircuitRow>,
    remarks: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RouterRow {
    name: String,
    id: String,
    state: &'static str,
    since: Option<WireTime>,
    links: usize,
    edge_in: Option<f64>,
    edge_out: Option<f64>,
    links_in: Option<f64>,
    links_out: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkRow {
    id: String,
    from: String,
    to: String,
    state: String,
    cost: u32,
    /// Milliseconds, there and back.
    latency: f64,
    /// In the direction of the dial, and back.
    sent: Option<f64>,
    received: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CircuitRow {
    id: String,
    service: String,
    client: String,
    path: Vec<String>,
    created_at: WireTime,
}

/// What a terminal has room for; no limit where there is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) columns: Option<usize>,
    pub(super) lines: Option<usize>,
}

impl Overview {
    pub(super) fn new(sample: &Sample, rates: &Rates) -> Self {
        let mut routers: Vec<_> = sample
            .routers
            .routers()
            .map(|router| {
                let id = router.base.id.as_str();
                let of_links = sample.links.iter().filter(|link| {
                    [&link.source_router.id, &link.dest_router.id]
                        .iter()
                        .any(|end| end.as_str() == id)
                });
                RouterRow {
                    name: router.name.clone(),
                    id: id.to_owned(),
                    state: match (router.connected, router.disabled) {
                        (_, true) => "disabled",
                        (true, false) => "online",
                        (false, false) => "offline",
                    },
                    since: router.connected_at.or(router.disconnected_at),
                    links: of_links.count(),
                    edge_in: rates.of_router(id, &EDGE_IN),
                    edge_out: rates.of_router(id, &EDGE_OUT),
                    links_in: rates.of_router(id, &LINKS_IN),
                    links_out: rates.of_router(id, &LINKS_OUT),
                }
            })
            .collect();
        routers.sort_by(|one, other| one.name.cmp(&other.name));
        let mut links: Vec<_> = sample
            .links
            .iter()
            .map(|link| {
                let id = link.id.as_str();
                // Both ends count; one of them may not tell.
                let either = |metric: &str, seen_from_there: &str| {
                    let here = rates.of_link(&link.source_router.id, id, metric);
                    here.or_else(|| rates.of_link(&link.dest_router.id, id, seen_from_there))
                };
                LinkRow {
                    id: id.to_owned(),
                    from: link.source_router.name.clone(),
                    to: link.dest_router.name.clone(),
                    state: if link.down {
                        "down".to_owned()
                    } else {
                        link.state.to_lowercase()
                    },
                    cost: link.cost,
                    latency: milliseconds(link.source_latency) + milliseconds(link.dest_latency),
                    sent: either("link.tx.bytesrate", "link.rx.bytesrate"),
                    received: either("link.rx.bytesrate", "link.tx.bytesrate"),
                }
            })
            .collect();
        links.sort_by(|one, other| {
            let order = other.traffic().total_cmp(&one.traffic());
            order.then_with(|| {
                (&one.from, &one.to, &one.id).cmp(&(&other.from, &other.to, &other.id))
            })
        });
        let circuits = sample.circuits.iter().map(|circuit| CircuitRow {
            id: circuit.base.id.to_string(),
            service: circuit.service.name.clone(),
            client: circuit.client_id.to_string(),
            path: circuit
                .path
                .nodes
                .iter()
                .map(|router| router.name.clone())
                .collect(),
            created_at: circuit.base.created_at,
        });
        Self {
            routers,
            links,
            circuit_count: sample.circuit_count,
            circuits: circuits.collect(),
            remarks: sample.remarks.clone(),
        }
    }

    pub(super) fn router_names(&self) -> impl Iterator<Item = &str> {
        self.routers.iter().map(|router| router.name.as_str())
    }

    /// All tables, whole.
    pub(super) const fn tables(&self, now: Timestamp) -> Tables<'_> {
        Tables {
            overview: self,
            now,
            shown: None,
        }
    }

    /// A title and as many rows of each table as fit.
    pub(super) fn fitting(&self, title: &str, room: Room, now: Timestamp) -> String {
        let cut = |line: &str| match room.columns {
            Some(columns) => truncate(line, columns),
            None => line.to_owned(),
        };
        let shown = room.lines.map(|lines| {
            // The title, two lines around each table, and blank lines between them.
            let rows = lines.saturating_sub(1 + 3 * 2 + 3 + usize::from(!self.remarks.is_empty()));
            share(
                rows,
                [self.routers.len(), self.links.len(), self.circuits.len()],
            )
        });
        let tables = Tables {
            overview: self,
            now,
            shown,
        };
        let text = format!("{}\n\n{}", one_line(title), tables.render(room.columns));
        let lines = text.lines().take(room.lines.unwrap_or(usize::MAX));
        lines.map(cut).collect::<Vec<_>>().join("\n")
    }

    fn routers(&self, now: Timestamp, most: usize) -> Grid {
        let titles = [
            "router",
            "state",
            "since",
            "links",
            "edge in",
            "edge out",
            "links in",
            "links out",
        ];
        let mut grid = Grid::with_titles(titles.map(Title::from), true);
        for router in self.routers.iter().take(most) {
            let since = router.since.map(|since| moment::relative(since, now));
            grid.push([
                router.name.clone(),
                router.state.to_owned(),
                since.unwrap_or_default(),
                router.links.to_string(),
                bytes(router.edge_in),
                bytes(router.edge_out),
                bytes(router.links_in),
                bytes(router.links_out),
            ]);
        }
        let online = self
            .routers
            .iter()
            .filter(|router| router.state == "online");
        let online = online.count();
        let count = pluralize(self.routers.len(), "router", "routers");
        grid.footer(format!(
            "{count}, {online} online{}",
            more(self.routers.len(), most)
        ))
    }

    fn links(&self, most: usize) -> Grid {
        let titles = [
            "from", "to", "state", "cost", "latency", "sent", "received", "link",
        ];
        let mut grid = Grid::with_titles(titles.map(Title::from), true);
        for link in self.links.iter().take(most) {
            grid.push([
                link.from.clone(),
                link.to.clone(),
                link.state.clone(),
                link.cost.to_string(),
                format!("{:.1}ms", link.latency),
                bytes(link.sent),
                bytes(link.received),
                link.id.clone(),
            ]);
        }
        let count = pluralize(self.links.len(), "link", "links");
        grid.footer(format!("{count}{}", more(self.links.len(), most)))
    }

    fn circuits(&self, now: Timestamp, most: usize) -> Grid {
        let titles = ["service", "client", "path", "since", "circuit"];
        let mut grid = Grid::with_titles(titles.map(Title::from), true);
        for circuit in self.circuits.iter().take(most) {
            grid.push([
                circuit.service.clone(),
                circuit.client.clone(),
                circuit.path.join(" > "),
                moment::relative(circuit.created_at, now),
                circuit.id.clone(),
            ]);
        }
        let all = usize::try_from(self.circuit_count).unwrap_or_default();
        let count = pluralize(all, "circuit", "circuits");
        grid.footer(format!(
            "{count}{}",
            more(all, most.min(self.circuits.len()))
        ))
    }
}

impl LinkRow {
    fn traffic(&self) -> f64 {
        self.sent.unwrap_or_default() + self.received.unwrap_or_default()
    }
}

/// The tables below each other.
pub(super) struct Tables<'o> {
    overview: &'o Overview,
    now: Timestamp,
    /// Rows of each table; all if there is no limit.
    shown: Option<[usize; 3]>,
}

impl Render for Tables<'_> {
    fn render(&self, room: Option<usize>) -> String {
        let [routers, links, circuits] = self.shown.unwrap_or([usize::MAX; 3]);
        let tables = [
            self.overview.routers(self.now, routers),
            self.overview.links(links),
            self.overview.circuits(self.now, circuits),
        ];
        let mut text = tables.map(|table| table.render(room)).join("\n");
        for remark in &self.overview.remarks {
            text.push_str(&one_line(remark));
            text.push('\n');
        }
        text
    }
}

/// Divides rows among tables: none gets more than it has, and those that are short leave theirs to others.
fn share(rows: usize, wanted: [usize; 3]) -> [usize; 3] {
    let mut given = [0; 3];
    for _ in 0..rows {
        let hungry = given
            .iter_mut()
            .zip(wanted)
            .filter(|(given, wanted)| **given < *wanted);
        let Some((least, _)) = hungry.min_by_key(|(given, _)| **given) else {
            break;
        };
        *least += 1;
    }
    given
}

/// How many rows are not shown.
fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        hidden => format!(", {hidden} of them not shown"),
    }
}

fn bytes(rate: Option<f64>) -> String {
    rate.map_or_else(|| "?".to_owned(), human)
}

/// Nanoseconds as milliseconds; what is longer than a day is not a latency.
fn milliseconds(nanoseconds: i64) -> f64 {
    let micros = u32::try_from(nanoseconds / 1000).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}

#[cfg(test)]
mod tests;
