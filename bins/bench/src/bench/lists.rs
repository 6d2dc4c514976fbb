//! Lists of identities on stores of several sizes, and what the size costs in memory and at the
//! start.
//!
//! One store grows from size to size. Each time a controller is started on it, and answers one
//! client's requests, one after another.

use super::load::{Budget, Pace, Tally};
use super::memory;
use super::plan::say;
use super::report::{Point, Report, Series, Unit};
use super::scale::Scale;
use super::seed::{self, COMMON_ROLE, COMMON_WORD, RARE_ROLE, RARE_WORD, Seed, TAG};
use super::work::work;
use crate::testbed::calls::{REFUSED, log_in, total, wait_for_list};
use crate::testbed::controller::{Controller, Program};
use crate::testbed::link::Link;
use crate::testbed::request::{self, MANAGEMENT, escaped};
use crate::testbed::statistics::{float, mebibytes, milliseconds, percentile};
use anyhow::{Context as _, ensure};
use std::time::Instant;

/// Size of a page.
const PAGE: u64 = 100;

/// How far into a list the pages of [`Start::Far`] begin.
const FAR: u64 = 100_000;

/// The largest store that lists have a target for, and that of its memory.
const LARGEST: u64 = 1_000_000;
const MANY: u64 = 100_000;

/// The fewest requests that a figure is made of, however long they take.
const FEWEST: usize = 3;

/// A list that is asked for.
struct List {
    name: &'static str,
    /// The filter in a store of so many identities.
    filter: fn(u64) -> String,
    start: Start,
    /// Milliseconds that 99 of 100 are to stay below.
    limit: Option<f64>,
}

/// Where the page lies.
enum Start {
    /// At the beginning.
    First,
    /// At [`FAR`], or in shorter lists at their last page.
    Far,
}

/// The list of someone who asks for nothing in particular.
const DEFAULT: List = List {
    name: "page of 100, default order",
    filter: |_| String::new(),
    start: Start::First,
    limit: None,
};

const LISTS: &[List] = &[
    DEFAULT,
    List {
        name: "  from offset 100 000",
        filter: |_| String::new(),
        start: Start::Far,
        limit: None,
    },
    List {
        name: "by name",
        filter: |_| "sort by name".to_owned(),
        start: Start::First,
        limit: Some(2.0),
    },
    List {
        name: "  from offset 100 000",
        filter: |_| "sort by name".to_owned(),
        start: Start::Far,
        limit: Some(2.0),
    },
    List {
        name: "role attribute of 1 in 500",
        filter: |_| format!(r#"anyOf(roleAttributes) = "{RARE_ROLE}""#),
        start: Start::First,
        limit: Some(5.0),
    },
    List {
        name: "role attribute of 1 in 2, by name",
        filter: |_| format!(r#"anyOf(roleAttributes) = "{COMMON_ROLE}" sort by name"#),
        start: Start::First,
        limit: Some(5.0),
    },
    List {
        name: "name contains, 1 in 500",
        filter: |_| format!(r#"name contains "{RARE_WORD}""#),
        start: Start::First,
        limit: Some(15.0),
    },
    List {
        name: "name contains, nearly all, by name",
        filter: |_| format!(r#"name contains "{COMMON_WORD}" sort by name"#),
        start: Start::First,
        limit: Some(15.0),
    },
    List {
        name: "one identity by exact name",
        filter: |identities| format!(r#"name = "{}""#, seed::name(identities / 3)),
        start: Start::First,
        limit: None,
    },
];

/// A list that only the records can answer.
const SCAN: List = List {
    name: "tag of 1 in 20, which only records have",
    filter: |_| format!(r#"tags.{} = "{}""#, TAG.0, TAG.1),
    start: Start::First,
    limit: None,
};

/// What is measured on each store.
struct Figures {
    lists: Vec<Series>,
    scan: Series,
    scan_memory: Series,
    start: Series,
    resident: Series,
    each: Series,
}

/// Measures all of it, size by size.
pub(super) async fn measure(
    program: &Program,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut figures = Figures::new();
    let controller = program.start().await?;
    let admin = log_in(&mut controller.endpoint(None)?.connect().await?).await?;
    controller.stop().await?;
    let mut before = None;
    for &identities in scale.stores {
        say(&format!("lists of {identities} identities"))?;
        let there = before.map_or(0, |(identities, _)| identities);
        Seed::open(&program.home)?.write(there..identities)?;

        let begin = Instant::now();
        let controller = program.start().await?;
        let link = controller.endpoint(None)?.connect().await?;
        let mut client = Client {
            link,
            controller,
            admin: &admin,
            identities,
        };
        let request = DEFAULT.request(identities, &admin);
        wait_for_list(&client.controller, &request).await?;
        let start = begin.elapsed();
        figures
            .start
            .add(Point::new(identities, milliseconds(start)));

        let resident = client.resident().await?;
        figures.hold(identities, resident, before);
        before = Some((identities, resident));
        figures.ask(&mut client, scale.list).await?;
        client.controller.stop().await?;
    }
    for series in figures.all() {
        report.add_series(series);
    }
    Ok(())
}

impl Figures {
    fn new() -> Self {
        Self {
            lists: LISTS.iter().map(List::series).collect(),
            scan: SCAN.series(),
            scan_memory: Series::new("  memory that it takes for a while", Unit::Mebibytes),
            start: Series::new("start to first list", Unit::Milliseconds),
            resident: Series::new("resident memory", Unit::Mebibytes).below(memory::MANY, MANY),
            each: Series::new("  of each identity more", Unit::Bytes),
        }
    }

    /// Notes the memory of a store, and what each identity more than in the one before takes of it.
    fn hold(&mut self, identities: u64, resident: u64, before: Option<(u64, u64)>) {
        let point = Point::new(identities, mebibytes(resident));
        self.resident.add(point);
        if let Some((fewer, less)) = before {
            let each = float(resident.saturating_sub(less)) / float(identities - fewer);
            self.each.add(Point::new(identities, each));
        }
    }

    /// Asks for each list again and again.
    async fn ask(&mut self, client: &mut Client<'_>, budget: Budget) -> anyhow::Result<()> {
        for (list, series) in LISTS.iter().zip(&mut self.lists) {
            let point = client.repeat(list, budget).await;
            series.add(point.with_context(|| format!("the list `{}`", list.name))?);
        }
        let process = client.controller.process;
        process.forget_peak()?;
        let before = process.resident()?;
        let point = client.scan(budget).await;
        self.scan.add(point.context("the scan of all records")?);
        let more = process.peak()?.saturating_sub(before);
        self.scan_memory
            .add(Point::new(client.identities, mebibytes(more)));
        Ok(())
    }

    fn all(self) -> impl Iterator<Item = Series> {
        let rest = [
            self.scan,
            self.scan_memory,
            self.start,
            self.resident,
            self.each,
        ];
        self.lists.into_iter().chain(rest)
    }
}

impl List {
    fn series(&self) -> Series {
        let series = Series::new(self.name, Unit::Milliseconds);
        match self.limit {
            Some(limit) => series.below(limit, LARGEST),
            None => series,
        }
    }

    /// The request in a store of so many identities.
    fn request(&self, identities: u64, session: &str) -> Vec<u8> {
        let filter = escaped(&(self.filter)(identities));
        let offset = match self.start {
            Start::First => 0,
            Start::Far => FAR.min(identities - PAGE),
        };
        let path = format!("{MANAGEMENT}/identities?limit={PAGE}&offset={offset}&filter={filter}");
        request::get(&path, Some(session))
    }
}

/// One client of a controller.
struct Client<'a> {
    controller: Controller,
    link: Link,
    /// The token of the administrator's session.
    admin: &'a str,
    /// How many identities the store has, apart from the administrator.
    identities: u64,
}

impl Client<'_> {
    /// Connects anew: refusals and long pauses end a connection.
    async fn connect(&mut self) -> anyhow::Result<()> {
        self.link = self.controller.endpoint(None)?.connect().await?;
        Ok(())
    }

    /// Asks once; answers how many entities match.
    async fn ask(&mut self, list: &List) -> anyhow::Result<u64> {
        let request = list.request(self.identities, self.admin);
        total(self.link.expect(200, &request).await?)
    }

    /// Has all records looked at, again and again if that ends in time.
    ///
    /// What takes too long may be refused.
    async fn scan(&mut self, budget: Budget) -> anyhow::Result<Point> {
        self.connect().await?;
        let request = SCAN.request(self.identities, self.admin);
        let start = Instant::now();
        let status = self.link.exchange(&request).await?.status;
        if status == REFUSED {
            let time = milliseconds(start.elapsed());
            return Ok(Point::new(self.identities, time).refused());
        }
        self.repeat(&SCAN, budget).await
    }

    /// Asks again and again.
    async fn repeat(&mut self, list: &List, budget: Budget) -> anyhow::Result<Point> {
        self.connect().await?;
        // A page of nothing would say nothing; the first one also warms up.
        ensure!(self.ask(list).await? > 0, "{}: nothing matches", list.name);
        let request = list.request(self.identities, self.admin);
        let mut times = Vec::new();
        let link = &mut self.link;
        let asking = async {
            let (pace, begin) = (Pace::new(budget), Instant::now());
            while pace.next().is_some() || times.len() < FEWEST {
                let start = Instant::now();
                link.expect(200, &request).await?;
                times.push(start.elapsed());
            }
            Ok(Tally {
                done: u64::try_from(times.len())?,
                elapsed: begin.elapsed(),
            })
        };
        let work = work(self.controller.process, asking).await?;
        times.sort_unstable();
        Ok(Point::of_times(
            self.identities,
            milliseconds(percentile(&times, 50)),
            milliseconds(percentile(&times, 99)),
            work.processor_milliseconds(),
        ))
    }

    /// The controller's memory once it has nothing to do.
    async fn resident(&self) -> anyhow::Result<u64> {
        self.controller.process.calm().await?;
        self.controller.process.resident()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_pages_are_whole() {
        let list = List {
            start: Start::Far,
            ..SCAN
        };
        for (identities, offset) in [(1_000, 900), (100_000, 99_900), (1_000_000, 100_000)] {
            let request = String::from_utf8(list.request(identities, "x")).unwrap();
            assert!(request.contains(&format!("&offset={offset}&")), "{request}");
        }
    }
}
