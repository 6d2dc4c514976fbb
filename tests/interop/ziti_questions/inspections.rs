//! `ziti fabric inspect …`.

use super::stage;
use std::fs;

/// Who tells a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Teller {
    Controller,
    OurRouter,
    TheirRouter,
}

use Teller::{Controller, OurRouter, TheirRouter};

/// Asks those who have a value, or, where nobody here has it, everybody.
fn inspect(name: &str, tellers: &[Teller]) {
    let Some(stage) = stage() else {
        return;
    };
    let ids = tellers.iter().map(|teller| match teller {
        Controller => stage.controller_id.as_str(),
        OurRouter => stage.ours.as_str(),
        TheirRouter => stage.theirs.as_str(),
    });
    let ids: Vec<_> = ids.collect();
    let pattern = match ids[..] {
        [] => ".*".to_owned(),
        _ => format!("^({})$", ids.join("|")),
    };
    let told = stage
        .ziti
        .asked(&["inspect", name, &pattern, "--format", "json"]);
    for id in &ids {
        assert!(told.contains(&format!("{id}.{name}")), "{told}");
    }
    if ids.is_empty() {
        assert!(!told.contains(name), "{told}");
    }
}

macro_rules! commands {
    ($($test:ident($name:literal) of $tellers:expr;)*) => {$(
        #[test]
        fn $test() {
            inspect($name, &$tellers);
        }
    )*};
}

commands! {
    config("config") of [Controller, OurRouter, TheirRouter];
    connected_routers("connected-routers") of [Controller];
    data_model_index("data-model-index") of [Controller];
    ert_terminators("ert-terminators") of [OurRouter, TheirRouter];
    identity_connections("identity-connection-statuses") of [Controller, OurRouter, TheirRouter];
    links("links") of [OurRouter, TheirRouter];
    metrics("metrics") of [Controller, OurRouter, TheirRouter];
    router_circuits("router-circuits") of [OurRouter, TheirRouter];
    router_config_registry("router-config-registry") of [OurRouter, TheirRouter];
    router_controllers("router-controllers") of [OurRouter, TheirRouter];
    router_data_model("router-data-model") of [Controller, OurRouter, TheirRouter];
    router_data_model_index("router-data-model-index") of [Controller, OurRouter, TheirRouter];
    router_edge_circuits("router-edge-circuits") of [OurRouter, TheirRouter];
    router_messaging("router-messaging") of [Controller];
    router_sdk_circuits("router-sdk-circuits") of [OurRouter, TheirRouter];
    sdk_terminators("sdk-terminators") of [OurRouter, TheirRouter];
    stacks("stackdump") of [Controller, OurRouter, TheirRouter];
    terminator_costs("terminator-costs") of [Controller];
    // What only a cluster has, and a controller that dials routers.
    cluster_config("cluster-config") of [];
    connected_peers("connected-peers") of [];
    dialer("ctrl-dialer") of [];
    dialer_of_peers("ctrl-peer-dialer") of [];
}

#[test]
fn circuit() {
    let Some(stage) = stage() else {
        return;
    };
    let circuit = &stage.circuit;
    let told = stage.ziti.asked(&["inspect", "circuit", circuit]);
    for router in [&stage.ours, &stage.theirs] {
        assert!(
            told.contains(&format!("{router}.circuit:{circuit}")),
            "{told}"
        );
    }
    assert!(told.contains("xgressDetails"), "{told}");
}

#[test]
fn circuit_and_stacks() {
    let Some(stage) = stage() else {
        return;
    };
    let circuit = &stage.circuit;
    let told = stage
        .ziti
        .asked(&["inspect", "circuit", circuit, "--include-stacks"]);
    for router in [&stage.ours, &stage.theirs] {
        let answer = format!("{router}.circuitAndStacks:{circuit}");
        assert!(told.contains(&answer), "{told}");
    }
}

#[test]
fn sdk() {
    let Some(stage) = stage() else {
        return;
    };
    let host = stage.overlay.id("identities", "host");
    let told = stage.ziti.asked(&["inspect", "sdk", &stage.ours, &host]);
    assert!(told.contains("virtualConns"), "{told}");
}

/// Values are written to files, as YAML unless JSON is asked for.
#[test]
fn values_in_files() {
    let Some(stage) = stage() else {
        return;
    };
    let line = ["inspect", "router-controllers", "--file"];
    for (format, beginning) in [(&[][..], "controllers:"), (&["--format", "json"], "{")] {
        stage.ziti.asked(&[&line[..], format].concat());
        for router in [&stage.ours, &stage.theirs] {
            let file = stage
                .ziti
                .site
                .file(&format!("{router}.router-controllers"));
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(beginning), "{text}");
            fs::remove_file(file).unwrap();
        }
    }
}
