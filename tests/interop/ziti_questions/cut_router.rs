//! What streams and validations say of a router that has gone: a network of its own.

use super::{PATIENCE, found};
use crate::overlay::echo::EchoServer;
use crate::overlay::router::RouterProgram;
use crate::overlay::tunneler;
use crate::overlay::{self, Overlay};
use crate::ziti_cli::Ziti;
use serde_json::json;
use support::{Running, TestDirectory, wait};

/// Waits until events are told that have all of these parts, for each of some.
fn until_told(events: &Running, wanted: &[&[&str]]) {
    let told = wait::until(PATIENCE, || {
        let logged = events.logged();
        let is_told = |parts: &&[&str]| {
            let mut lines = logged.lines();
            lines.any(|line| parts.iter().all(|part| line.contains(part)))
        };
        if wanted.iter().all(is_told) {
            Ok(())
        } else {
            Err(logged)
        }
    });
    told.unwrap_or_else(|logged| panic!("{wanted:?}: {logged}"));
}

#[test]
fn routers_links_and_hosts_come_and_go() {
    let Some(program) = found() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program: program.clone(),
        site: &site,
    };
    ziti.log_in(&controller);
    let flags = ["--routers", "--links", "--sdk", "--terminators"];
    let events = ziti.follows("events", &[&["stream", "events"], &flags[..]].concat());

    let overlay = Overlay::new(&site, &controller);
    let server = EchoServer::start();
    let stays = overlay.router("r1", &RouterProgram::Ours);
    let cut = overlay.router("r2", &RouterProgram::Ours);
    overlay.until_linked();
    overlay.service("echo", &[overlay::host(server.port())]);
    overlay.allow("Bind", "host");
    let host = overlay.identity("host", "r2");
    let hosting = tunneler::host(&site, &program, &host);
    overlay.until_hosted("echo");
    let [stays_id, cut_id] = ["r1", "r2"].map(|name| overlay.id("edge-routers", name));
    let host_id = overlay.id("identities", "host");
    until_told(
        &events,
        &[
            &["\"router-online\"", &stays_id],
            &["\"router-online\"", &cut_id],
            &["\"routerLinkNew\"", &stays_id, &cut_id],
            &["\"sdk-online\"", &host_id],
        ],
    );

    // Killed, it says goodbye to nobody.
    drop(cut);
    until_told(
        &events,
        &[
            &["\"router\"", "\"router-offline\"", &cut_id],
            &["\"link\"", "\"fault\""],
            &["\"terminator\"", "\"router-offline\"", &cut_id],
        ],
    );
    validations(&ziti);
    fixes(&ziti, &overlay, &stays_id);
    drop((hosting, stays));
}

/// A router that cannot be asked is an error of each validation of routers; what is known of its terminators is
/// told for each of them.
fn validations(ziti: &Ziti<'_>) {
    for (kind, reason) in [
        ("circuits", "is not connected"),
        ("router-data-model", "router not connected to controller"),
        ("router-ert-terminators", "router not connected"),
        ("router-links", "1 errors found"),
        ("router-sdk-terminators", "router not connected"),
    ] {
        let (outcome, said) = ziti.fabric(&["validate", kind]);
        assert_eq!(outcome.code(), 1, "{kind}: {said}");
        assert!(said.contains(reason), "{kind}: {said}");
        ziti.agrees(&[kind, r#"name = "r1""#]);
    }
    let told = ziti.agrees(&["terminators"]);
    assert!(told.contains("detail: router off-line"), "{told}");
}

/// What leads nowhere is deleted, and not what leads to a router that cannot be asked.
fn fixes(ziti: &Ziti<'_>, overlay: &Overlay<'_>, router: &str) {
    let before = terminators(overlay);
    let nowhere = json!({
        "service": overlay.id("services", "echo"), "router": router, "binding": "tunnel",
        "address": "nobody",
    });
    let nowhere = overlay.create("terminators", &nowhere);
    assert!(terminators(overlay).contains(&nowhere));
    ziti.agrees(&["terminators", "--fix-invalid"]);
    let left = terminators(overlay);
    assert!(!left.is_empty() && left == before, "{left:?}");

    let of_one = r#"name = "r1""#;
    ziti.agrees(&["router-data-model", of_one, "--fix"]);
}

/// Their ids.
fn terminators(overlay: &Overlay<'_>) -> Vec<String> {
    let listed = overlay.admin.get("/terminators").data();
    let ids = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str());
    ids.map(|id| id.unwrap().to_owned()).collect()
}
