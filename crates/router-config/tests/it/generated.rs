//! What the table gives: generated files, the schema, explanations, effective values.

use portcullis_router_config::generate::{
    GenerateError, GenerateOptions, RouterKind, Tunnel, generate,
};
use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::table::{KeyState, visit_keys};
use portcullis_router_config::{
    CheckOptions, Severity, Source, SourceFile, Verdict, check, explain, load, openziti,
    reference_page, schema,
};

fn plans() -> Vec<GenerateOptions> {
    let tunnels = [
        Tunnel::None,
        Tunnel::Host,
        Tunnel::Tproxy {
            lan_interface: Some("eth0".to_owned()),
        },
        Tunnel::Tproxy {
            lan_interface: None,
        },
        Tunnel::Proxy {
            services: vec!["echo:8000".to_owned(), "dns:53:udp".to_owned()],
        },
        Tunnel::Proxy { services: vec![] },
    ];
    let mut plans = Vec::new();
    for kind in [RouterKind::Edge, RouterKind::Fabric] {
        for tunnel in &tunnels {
            for (public, web_sockets, health_port) in [
                (true, false, None),
                (false, true, Some(8081)),
                (true, true, Some(443)),
            ] {
                let host = if public {
                    "r1.example.test"
                } else {
                    "10.1.2.3"
                };
                plans.push(GenerateOptions {
                    controller: Some("ctrl.example.test:6262".to_owned()),
                    ip: Some("10.1.2.4".to_owned()),
                    tunnel: tunnel.clone(),
                    public,
                    web_sockets,
                    health_port,
                    ..GenerateOptions::new(kind, "NO", host)
                });
            }
        }
    }
    plans
}

#[test]
fn generated_files_pass_both_verdicts_without_a_warning() {
    for plan in plans() {
        let file = generate(&plan).expect("it is accepted");
        let text = SourceFile::new("router.yml", file.as_bytes());
        let report = check(&text, &CheckOptions::new());
        let remarks: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.diagnostic.severity != Severity::Note)
            .map(|finding| finding.diagnostic.to_string())
            .filter(|text| !text.contains("without `services`"))
            .collect();
        assert_eq!(remarks, Vec::<String>::new(), "{plan:?}\n{file}");
        assert_eq!(evaluate(&text, &Machine::new()).verdict, Verdict::Accept);
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut plan = GenerateOptions::new(RouterKind::Edge, "a$b", "h");
    assert_eq!(
        generate(&plan),
        Err(GenerateError::Unwritable("a$b".to_owned()))
    );
    plan.name = "a".to_owned();
    plan.host = "not a host".to_owned();
    assert!(matches!(generate(&plan), Err(GenerateError::Refused(_))));
}

#[test]
fn every_key_is_explained() {
    let page = reference_page();
    let mut count = 0;
    visit_keys(&mut |path, found| {
        count += 1;
        let explanations = explain(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(!explanations.is_empty(), "{path}");
        let section = path.split(['.', '[']).next().unwrap_or_default();
        assert!(page.contains(&format!("\n## {section}\n")), "{section}");
        assert!(found.key.doc.len() > 3, "{path} has no meaning");
        if found.key.state == KeyState::Active {
            assert!(explanations[0].to_string().contains("form:"), "{path}");
        }
    });
    assert!(count > 300, "{count} keys");
    let error = explain("link.dialer").expect_err("no such key");
    assert_eq!(
        error.to_string(),
        "`link` has no key `dialer`; did you mean `dialers`?"
    );
    let text = explain("forwarder.rateLimitedWorkerCount").expect("a key")[0].to_string();
    assert!(
        text.contains("default:  5") && text.contains("15 with OpenZiti"),
        "{text}"
    );
    assert_eq!(
        explain("listeners[tunnel].options.mode")
            .expect("a key")
            .len(),
        1
    );
}

#[test]
fn the_schema_knows_types_bounds_and_defaults() {
    let schema = schema();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    let forwarder = &schema["properties"]["forwarder"]["properties"];
    let workers = &forwarder["linkDialWorkerCount"];
    assert_eq!(
        (
            &workers["type"],
            &workers["minimum"],
            &workers["maximum"],
            &workers["default"]
        ),
        (&"integer".into(), &1.into(), &10_000.into(), &32.into())
    );
    assert_eq!(
        schema["required"],
        serde_json::json!(["v", "identity", "ctrl"])
    );
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(forwarder["latencyProbeInterval"]["deprecated"], true);
    let bindings = schema["properties"]["listeners"]["items"]["oneOf"]
        .as_array()
        .expect("a list");
    assert_eq!(bindings.len(), 6);
}

#[test]
fn effective_values_name_their_source_and_follow_the_verdict() {
    let file = "v: 3\nidentity: {cert: /a, key: /b, server_cert: /c, ca: /d}\nctrl:\n  endpoint: ${ADDRESS}\n\
                csr: {sans: {dns: [a]}}\nforwarder: {linkDialWorkerCount: 7}\n\
                listeners: [{binding: tunnel, options: {}}]\nlink: {dialers: [{binding: transport}]}\n";
    let lookup = |name: &str| (name == "ADDRESS").then(|| "tls:a:1".to_owned());
    let text = SourceFile::new("router.yml", file.as_bytes());
    let loaded = load(&text, &CheckOptions::new().environment(&lookup));
    let (_, original) = openziti::load(&text, &Machine::new().environment(&lookup));

    let ours = |path: &str| loaded.effective.get(path).expect("a value").clone();
    let theirs = |path: &str| original.get(path).expect("a value").value.clone();
    let workers = "forwarder.rateLimitedWorkerCount";
    assert_eq!(
        (ours(workers).value, theirs(workers)),
        (5.into(), 15.into())
    );
    assert_eq!(ours(workers).source, Source::Default);
    let mode = "listeners[0].options.mode";
    assert_eq!(
        (ours(mode).value, theirs(mode)),
        ("host".into(), "tproxy".into())
    );
    assert!(
        matches!(ours("forwarder.linkDialWorkerCount").source, Source::File(place) if place.line == 6)
    );
    assert!(
        matches!(ours("ctrl.endpoint").source, Source::Environment(_, names) if names == ["ADDRESS"])
    );

    let config = loaded.config;
    let dialer = &config.link.dialers[0];
    assert_eq!(dialer.split.as_ref().map(|split| split.value), Some(true));
    let pause = dialer
        .healthy_dial_backoff
        .min_retry_interval
        .as_ref()
        .expect("a default");
    assert_eq!(pause.value.to_string(), "5s");
    assert_eq!(
        config.csr.dns.as_ref().map(|names| names.value.len()),
        Some(1)
    );
    assert_eq!(
        config
            .health_checks
            .link_check
            .min_links
            .as_ref()
            .map(|n| n.value),
        Some(0)
    );
    let yaml = loaded.effective.to_yaml();
    assert!(
        yaml.contains("  linkDialWorkerCount: 7 # line 6\n"),
        "{yaml}"
    );
    assert!(
        yaml.contains("endpoint: \"tls:a:1\" # line 4, environment ADDRESS\n"),
        "{yaml}"
    );
}
