//! Measures the time to check one file of 5 000 lines, and 1 000 files.
//!
//! `cargo run --release --example speed`

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Instant;

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, SourceFile, check};

fn main() -> io::Result<()> {
    let small = file(1);
    let large = file(830);
    let lines = large.lines().count();
    let ours = time(10, || {
        check(
            &SourceFile::new("large.yml", large.as_bytes()),
            &CheckOptions::new(),
        )
    });
    let theirs = time(10, || {
        evaluate(
            &SourceFile::new("large.yml", large.as_bytes()),
            &Machine::new(),
        )
    });
    let many = time(1, || {
        for _ in 0..1_000 {
            check(
                &SourceFile::new("small.yml", small.as_bytes()),
                &CheckOptions::new(),
            );
        }
    });
    let mut out = io::stdout();
    writeln!(
        out,
        "{lines} lines checked in {ours:.2} ms, judged as the original in {theirs:.2} ms"
    )?;
    writeln!(
        out,
        "1000 files of {} lines checked in {many:.2} ms",
        small.lines().count()
    )
}

/// Runs something several times and returns the milliseconds per run.
fn time<T>(runs: u32, mut run: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        run();
    }
    start.elapsed().as_secs_f64() * 1_000.0 / f64::from(runs)
}

/// Renders a file with the given number of listeners.
fn file(listeners: u16) -> String {
    let mut text = String::from(
        "v: 3\nidentity:\n  cert: r.cert\n  server_cert: r.cert\n  key: r.key\n  ca: r.cas\n\
         ctrl:\n  endpoint: tls:ctrl.example.test:6262\nlink:\n  dialers:\n    - binding: transport\n\
         edge:\n  csr:\n    sans:\n      dns: [r.example.test]\ndialers:\n  - binding: transport\n\
         listeners:\n",
    );
    for number in 0..listeners {
        let port = 10_000 + number;
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "  - binding: edge\n    address: tls:0.0.0.0:{port}\n    options:\n      \
             advertise: r.example.test:{port}\n      connectTimeout: 5s\n      mtu: 1400\n"
        );
    }
    text
}
