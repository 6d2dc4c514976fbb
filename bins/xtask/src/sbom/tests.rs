use super::{build_bom, checksums};
use crate::deps::Policy;
use crate::graph::DependencyGraph;
use serde_json::{Value, json};

const REGISTRY: &str = "registry+https://example.test/index";

const POLICY: &str = r#"
    [licenses]
    allow = ["MIT"]
    clarify = [{ crate = "parser", expression = "MIT" }]
    [bans]
    deny = []
"#;

const LOCK: &str = r#"
    [[package]]
    name = "daemon"
    version = "0.1.0"
    [[package]]
    name = "parser"
    version = "0.9.34+deprecated"
    checksum = "c0ffee"
"#;

fn package(name: &str, version: &str, license: Option<&str>, source: Option<&str>) -> Value {
    let uses: &[&str] = match name {
        "daemon" => &["parser", "cc", "mocks"],
        "parser" => &["bytes"],
        _ => &[],
    };
    let declared: Vec<_> = uses.iter().map(|name| json!({ "name": name })).collect();
    json!({
        "id": name,
        "name": name,
        "version": version,
        "license": license,
        "source": source,
        "manifest_path": "/w/Cargo.toml",
        "dependencies": declared,
        "features": {},
    })
}

/// A program with a parser, a compiler in its build script, and mocks in its tests.
fn bom(is_reversed: bool) -> String {
    let mut packages = vec![
        package("daemon", "0.1.0", Some("Apache-2.0"), None),
        package("parser", "0.9.34+deprecated", None, Some(REGISTRY)),
        package("bytes", "1.0.0", Some("MIT / Apache-2.0"), Some(REGISTRY)),
        package("cc", "1.0.0", Some("MIT"), Some(REGISTRY)),
        package("mocks", "1.0.0", Some("MIT"), Some(REGISTRY)),
    ];
    let uses =
        |name: &str, kind: Option<&str>| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
    let mut of_daemon = vec![
        uses("parser", None),
        uses("cc", Some("build")),
        uses("mocks", Some("dev")),
    ];
    if is_reversed {
        packages.reverse();
        of_daemon.reverse();
    }
    let nodes = packages.iter().map(|package| {
        let deps = match package["id"].as_str().unwrap() {
            "daemon" => of_daemon.clone(),
            "parser" => vec![uses("bytes", None)],
            _ => Vec::new(),
        };
        json!({ "id": package["id"], "deps": deps, "features": [] })
    });
    let nodes: Vec<_> = nodes.collect();
    let metadata = json!({
        "packages": packages,
        "workspace_members": ["daemon"],
        "workspace_root": "/w",
        "resolve": { "nodes": nodes },
    });
    let graph = DependencyGraph::parse(metadata.to_string().as_bytes()).unwrap();
    let policy: Policy = toml::from_str(POLICY).unwrap();
    let bom = build_bom(&graph, &policy, &checksums(LOCK).unwrap(), "daemon").unwrap();
    serde_json::to_string_pretty(&bom).unwrap()
}

#[test]
fn bill_names_what_is_built_in_and_where_it_comes_from() {
    let bom: Value = serde_json::from_str(&bom(false)).unwrap();
    let library = |name: &str, version: &str, license: &str, purl: &str| {
        json!({
            "type": "library",
            "bom-ref": format!("{name}@{version}"),
            "name": name,
            "version": version,
            "licenses": [{ "expression": license }],
            "purl": purl,
        })
    };
    let mut parser = library(
        "parser",
        "0.9.34+deprecated",
        "MIT",
        "pkg:cargo/parser@0.9.34%2Bdeprecated",
    );
    parser["hashes"] = json!([{ "alg": "SHA-256", "content": "c0ffee" }]);
    let expected = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "daemon@0.1.0",
                "name": "daemon",
                "version": "0.1.0",
                "licenses": [{ "expression": "Apache-2.0" }],
            },
        },
        "components": [
            library("bytes", "1.0.0", "MIT OR Apache-2.0", "pkg:cargo/bytes@1.0.0"),
            library("cc", "1.0.0", "MIT", "pkg:cargo/cc@1.0.0"),
            parser,
        ],
        "dependencies": [
            { "ref": "bytes@1.0.0", "dependsOn": [] },
            { "ref": "cc@1.0.0", "dependsOn": [] },
            { "ref": "daemon@0.1.0", "dependsOn": ["cc@1.0.0", "parser@0.9.34+deprecated"] },
            { "ref": "parser@0.9.34+deprecated", "dependsOn": ["bytes@1.0.0"] },
        ],
    });
    assert_eq!(bom, expected);
}

#[test]
fn bill_does_not_depend_on_the_order_in_which_cargo_tells() {
    assert_eq!(bom(false), bom(true));
}
