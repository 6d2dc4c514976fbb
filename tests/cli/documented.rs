//! What the documentation has people paste.

use crate::Session;
use std::path::Path;
use std::{env, fs};
use support::{binaries, repository, run};

/// The first block of commands below a heading of a document.
fn commands(document: &str, heading: &str) -> String {
    let text = fs::read_to_string(repository::root().join(document)).unwrap();
    let below = text.split(heading).nth(1).expect("the heading is there");
    let block = below.split("```sh\n").nth(1).expect("there are commands");
    block.split("```").next().unwrap().to_owned()
}

#[test]
fn session_about_services_and_policies_works_when_pasted() {
    let session = Session::logged_in();
    let commands = commands("docs/operations.md", "## Who may use what");
    let cli = binaries::cli();
    let path = env::join_paths(
        cli.parent()
            .map(Path::to_owned)
            .into_iter()
            .chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let mut shell = session.command(Path::new("sh"));
    shell
        .env("PATH", path.unwrap())
        .args(["-e", "-c", &commands]);
    let printed = run(&mut shell).success().text();
    assert!(
        printed.contains("`anna` may dial `wiki`, but cannot."),
        "{printed}"
    );
    let missing = "no edge router that both may use is online: r1";
    assert!(printed.contains(missing), "{printed}");
    let anna = session.json(&["identity", "show", "anna"]);
    let path = format!(
        "identities/{}/failed-service-requests",
        anna["id"].as_str().unwrap()
    );
    session.run(&["api", "GET", &path]).success();
}
