use super::compare;
use crate::graph::DependencyGraph;
use serde_json::{Value, json};

/// A dependency and its kind.
type Use = (&'static str, Option<&'static str>);

/// Faults of a workspace of the given crates, each with its folder and `(dependency, kind)` pairs; other
/// packages are external and have no dependencies.
fn faults(crates: &[(&str, &[Use])]) -> Vec<String> {
    let name = |folder: &str| match folder.split_once('/') {
        Some(("crates", name)) => format!("portcullis-{name}"),
        Some((_, name)) => name.to_owned(),
        None if folder == "tests" => "portcullis-tests".to_owned(),
        None => folder.to_owned(),
    };
    let mut packages: Vec<Value> = Vec::new();
    let mut nodes: Vec<Value> = Vec::new();
    let mut members = Vec::new();
    for (folder, uses) in crates {
        let name = name(folder);
        let declared: Vec<_> = uses
            .iter()
            .map(|(name, kind)| json!({ "name": name, "kind": kind }))
            .collect();
        let deps: Vec<_> = uses
            .iter()
            .map(|(name, kind)| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] }))
            .collect();
        packages.push(package(
            &name,
            &format!("/w/{folder}/Cargo.toml"),
            &declared,
        ));
        nodes.push(json!({ "id": name, "deps": deps, "features": [] }));
        if ["crates/", "bins/", "tests"]
            .iter()
            .any(|start| folder.starts_with(start))
        {
            members.push(name);
        }
    }
    let metadata = json!({
        "packages": packages,
        "workspace_members": members,
        "workspace_root": "/w",
        "resolve": { "nodes": nodes },
    });
    compare(&DependencyGraph::parse(metadata.to_string().as_bytes()).unwrap()).faults
}

fn package(name: &str, manifest: &str, dependencies: &[Value]) -> Value {
    json!({
        "id": name,
        "name": name,
        "version": "1.0.0",
        "license": "MIT",
        "source": null,
        "manifest_path": manifest,
        "dependencies": dependencies,
        "features": {},
    })
}

const DEV: Option<&str> = Some("dev");
const BUILD: Option<&str> = Some("build");

#[test]
fn arrows_of_the_table_are_allowed() {
    let found = faults(&[
        ("crates/domain", &[]),
        ("crates/api", &[("portcullis-domain", None)]),
        (
            "crates/app",
            &[("portcullis-domain", None), ("portcullis-testkit", DEV)],
        ),
        (
            "crates/http",
            &[("portcullis-app", None), ("portcullis-api", None)],
        ),
        ("crates/testkit", &[("portcullis-http", None)]),
        (
            "bins/portcullis",
            &[("portcullis-http", None), ("portcullis-testkit", DEV)],
        ),
        (
            "tests",
            &[("portcullis", None), ("portcullis-testkit", DEV)],
        ),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn other_arrows_are_faults_of_every_kind() {
    for (kind, words) in [
        (None, "portcullis-index;"),
        (DEV, "in its tests;"),
        (BUILD, "build"),
    ] {
        let found = faults(&[
            ("crates/index", &[]),
            ("crates/http", &[("portcullis-index", kind)]),
        ]);
        let [fault] = found.as_slice() else {
            panic!("{kind:?}: {found:?}")
        };
        assert!(
            fault.starts_with("portcullis-http may not use portcullis-index"),
            "{fault}"
        );
        assert!(fault.contains(words), "{fault}");
        assert!(
            fault.ends_with("it may use api, app, domain, events, listener, metrics, oidc"),
            "{fault}"
        );
    }
}

#[test]
fn testkit_is_for_tests_only() {
    for folder in ["crates/app", "bins/portcullis", "tests"] {
        for kind in [None, BUILD] {
            let found = faults(&[
                ("crates/testkit", &[]),
                (folder, &[("portcullis-testkit", kind)]),
            ]);
            assert_eq!(found.len(), 1, "{folder} {kind:?}: {found:?}");
        }
    }
}

#[test]
fn benchmarks_use_simulated_routers_but_not_the_testkit() {
    const SIMULATED_ROUTER: &str = "portcullis-simulated-router";
    for (folder, used, program, expected) in [
        ("simulated-router", SIMULATED_ROUTER, "portcullis-bench", 0),
        ("simulated-router", SIMULATED_ROUTER, "portcullis", 1),
        ("testkit", "portcullis-testkit", "portcullis-bench", 1),
    ] {
        let found = faults(&[
            (&format!("crates/{folder}"), &[]),
            (&format!("bins/{program}"), &[(used, None)]),
        ]);
        assert_eq!(found.len(), expected, "{used} {program}: {found:?}");
    }
}

#[test]
fn unknown_crate_needs_a_row() {
    let found = faults(&[("crates/novelty", &[])]);
    assert_eq!(found, ["crates/novelty has no row in the table of layers"]);
}

#[test]
fn forbidden_packages_are_found_at_any_distance() {
    let found = faults(&[
        ("crates/filter", &[("reader", None)]),
        ("reader", &[("runtime", None)]),
        ("runtime", &[("tokio", None)]),
        ("tokio", &[]),
    ]);
    let way =
        "portcullis-filter must stay free of tokio: portcullis-filter > reader > runtime > tokio";
    assert_eq!(found, [way]);
}

#[test]
fn tests_may_use_forbidden_packages() {
    let found = faults(&[("crates/filter", &[("tokio", DEV)]), ("tokio", &[])]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn port_of_the_store_is_free_of_its_engine() {
    let found = faults(&[
        ("crates/storage", &[("redb", None)]),
        ("crates/app", &[("portcullis-storage", None)]),
        ("redb", &[]),
    ]);
    assert_eq!(
        found,
        [
            "portcullis-app must stay free of redb: portcullis-app > portcullis-storage > redb",
            "portcullis-storage must stay free of redb: portcullis-storage > redb",
        ]
    );
}
