//! The command line, whose user logs in in a real browser.

use crate::own;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::tools::are_available;
use support::{TestDirectory, Tool, binaries, command};

const PASSWORD: &str = "a-persons-password";

/// Time for the browser.
const DEADLINE: Duration = Duration::from_mins(1);

#[test]
fn browser_leads_back_to_the_terminal() {
    if !are_available(&[Tool::Chromium, Tool::Playwright]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().with(["--password", PASSWORD]).start();
    let cli = || {
        let mut cli = Command::new(binaries::cli());
        cli.env("PORTCULLIS_CONFIG_DIR", site.file("profiles"));
        cli
    };
    let mut login = cli()
        .args(["login", controller.url(), "--no-open", "--ca"])
        .arg(controller.ca())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let told = BufReader::new(login.stderr.take().unwrap()).lines();
    let mut told = told.map(Result::unwrap);
    let url = told.find(|line| line.starts_with("https://")).unwrap();
    let mut browser = Command::new("python3");
    browser
        .arg("-B")
        .arg(own("browser/sign_in.py"))
        .args([url.as_str(), "admin", PASSWORD]);
    let shown = command::run_with(&mut browser, &[], DEADLINE).success();
    assert!(shown.text().contains("You may close this window"));
    let status = login.wait().unwrap();
    assert!(status.success(), "{:?}", told.collect::<Vec<_>>());
    let who = support::run(cli().args(["whoami", "--output", "json"])).success();
    let who: serde_json::Value = serde_json::from_slice(&who.stdout).unwrap();
    assert_eq!(who["name"], "admin");
}
