//! A network with a router, as the fabric commands show it.

use crate::Session;
use crate::session::PASSWORD;
use serde_json::{Value, json};
use std::time::Duration;
use support::{TestDirectory, wait};

/// Time for the router to be online.
const PATIENCE: Duration = Duration::from_secs(30);

/// A controller with a router beside it, which is connected.
fn with_router() -> Session {
    let site = TestDirectory::new();
    let arguments = ["--password", PASSWORD, "--router", "--router-port", "0"];
    let controller = site.quickstart().with(arguments).start();
    let session = Session { controller, site };
    session.log_in();
    let online = wait::until(PATIENCE, || {
        let routers = session.json(&["fabric", "router", "list"]);
        let is_connected = routers[0]["connected"] == json!(true);
        is_connected.then_some(()).ok_or(routers)
    });
    online.expect("the router is online");
    session
}

#[test]
fn a_router_that_is_there_is_asked() {
    let session = with_router();
    let router = session.json(&["fabric", "router", "list"])[0].clone();
    let (id, name) = (
        router["id"].as_str().unwrap(),
        router["name"].as_str().unwrap(),
    );

    let pattern = format!("^{name}$");
    let inspect = ["fabric", "inspect", "router-controllers", "--app", &pattern];
    let told = session.json(&inspect);
    assert_eq!(told["values"][0]["appId"], id);
    assert_eq!(told["values"].as_array().unwrap().len(), 1);
    let shown = session.run(&inspect).success().text();
    let heading = format!("{name} ({id}) router-controllers\n  ");
    assert!(shown.starts_with(&heading), "{shown}");

    // A router that has just connected may still be getting its copy of the data model.
    let healthy = wait::until(PATIENCE, || {
        let report = session.run(&["fabric", "doctor", "-o", "json"]);
        let is_healthy = report.code() == 0;
        let report: Value = serde_json::from_str(&report.text()).unwrap();
        if is_healthy { Ok(report) } else { Err(report) }
    });
    let report = healthy.expect("router and controller agree");
    assert_eq!(report["findings"], json!([]), "{report}");
    for check in report["checks"].as_array().unwrap() {
        let count = match check["check"].as_str().unwrap() {
            "terminators" => 0,
            // The controller's own is compared as well.
            "data-model" => 2,
            _ => 1,
        };
        assert_eq!(
            (&check["result"], &check["count"]),
            (&json!("fine"), &json!(count))
        );
    }

    let top = session.json(&["fabric", "top", "--once"]);
    assert_eq!(top["routers"][0]["state"], "online");
    assert!(top["routers"][0]["linksIn"].is_number(), "{top}");
    assert_eq!(top["remarks"], json!([]));
}
