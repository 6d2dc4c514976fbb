//! `portcullis fabric top` at a terminal, while a circuit comes, carries bytes, and goes.

use crate::fabric_network::Doors;
use crate::overlay::Overlay;
use crate::overlay::echo::EchoServer;
use crate::overlay::load::Load;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use support::{Controller, Running, TestDirectory, Tool, binaries, run, tools, wait};

/// Time for a change to be seen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Larger than what is shown.
const ROWS: NonZero<u16> = NonZero::new(50).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(200).unwrap();

/// The program at a terminal of its own.
struct Top(Running);

impl Top {
    fn start(site: &TestDirectory, controller: &Controller) -> Self {
        let profiles: PathBuf = site.file("profiles");
        let mut login = Command::new(binaries::cli());
        login
            .args(["login", controller.url(), "--username", "admin", "--ca"])
            .arg(controller.ca())
            .env("PORTCULLIS_CONFIG_DIR", &profiles)
            .env("PORTCULLIS_PASSWORD", controller.password());
        run(&mut login).success();
        let line = format!(
            "stty rows {ROWS} columns {COLUMNS}; exec '{}' fabric top --interval 1",
            binaries::cli().display()
        );
        let mut command = Command::new("script");
        command
            .args([
                "--quiet",
                "--return",
                "--flush",
                "--command",
                &line,
                "/dev/null",
            ])
            .env("PORTCULLIS_CONFIG_DIR", profiles);
        Self(Running::start(site, "top", command))
    }

    /// The rows that are on the screen now, without blanks at their ends.
    fn rows(&self) -> Vec<String> {
        let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
        screen.process(self.0.logged().as_bytes());
        let rows = screen.screen().rows(0, COLUMNS.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    /// Waits until the screen is so.
    fn until(&self, what: &str, is_so: impl Fn(&[String]) -> bool) {
        let seen = wait::until(PATIENCE, || {
            let rows = self.rows();
            if is_so(&rows) { Ok(()) } else { Err(rows) }
        });
        seen.unwrap_or_else(|rows| panic!("{what}: {}", rows.join("\n")));
    }
}

/// The cells of the row that begins with this.
fn cells<'r>(rows: &'r [String], first: &str) -> Vec<&'r str> {
    let row = rows.iter().find(|row| row.starts_with(first));
    let cells = row.map(|row| row.split("  ").map(str::trim));
    cells
        .into_iter()
        .flatten()
        .filter(|cell| !cell.is_empty())
        .collect()
}

/// Bytes per second at clients and at links, both ways, of a router.
fn carries<'r>(rows: &'r [String], router: &str) -> Vec<&'r str> {
    let cells = cells(rows, router);
    cells.get(4..).unwrap_or_default().to_vec()
}

/// Whether bytes are counted in thousands.
fn are_many(rates: &[&str]) -> bool {
    rates.len() == 4 && rates.iter().all(|rate| rate.ends_with(['k', 'M', 'G']))
}

fn are_none(rates: &[&str]) -> bool {
    rates == ["0"; 4]
}

#[test]
fn the_tables_follow_a_circuit() {
    if !tools::are_available(&[Tool::Curl, Tool::Script]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let server = EchoServer::start();
    let doors = Doors::open_with(&overlay, &server, "");
    overlay.until_circuits(0);
    let top = Top::start(&site, &controller);
    let has_circuits = |rows: &[String], count: &str| rows.iter().any(|row| row == count);
    top.until("nothing passes", |rows| {
        let idle = ["core", "door"].map(|router| carries(rows, router));
        has_circuits(rows, "0 circuits") && idle.iter().all(|rates| are_none(rates))
    });

    let load = Load::start(doors.connect().unwrap());
    top.until("a circuit carries bytes", |rows| {
        let busy = ["core", "door"].map(|router| carries(rows, router));
        let is_listed = cells(rows, "echo").contains(&"door > core");
        has_circuits(rows, "1 circuit") && is_listed && busy.iter().all(|rates| are_many(rates))
    });

    load.finish();
    top.until("nothing passes any more", |rows| {
        let idle = ["core", "door"].map(|router| carries(rows, router));
        has_circuits(rows, "0 circuits") && idle.iter().all(|rates| are_none(rates))
    });
    doors.close();
}
