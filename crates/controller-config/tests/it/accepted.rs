use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use portcullis_controller_config::{
    ApiKind, ClientLimit, ClientLimits, ControllerConfig, NetworkConfig, PemSource,
    SmartReroutingConfig, StoreLocation, TlsVersion, TotpCompatibility, WebApi, read, schema,
};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_key_table::parse_value;
use portcullis_yaml::{Severity, SourceId};

use crate::{SMALLEST, no_variables};

/// Every key that is read, with a value of its own.
const EVERYTHING: &str = r#"
v: 3
cluster:
  dataDir: ${DATA}/raft
trustDomain: spiffe://network.example/some/path
additionalTrustDomains: [old.example, "spiffe://older.example", ""]
identity:
  cert: file:///etc/ziti/client%20cert.pem
  key: "pem:-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n"
  server_cert: |
    -----BEGIN CERTIFICATE-----
    abc
    -----END CERTIFICATE-----
  server_key: file:/etc/ziti/server.key
  ca: pki/cas.pem
  alt_server_certs:
    - {server_cert: alt1.pem, server_key: alt1.key}
    - {server_cert: alt2.pem}
ctrl:
  listener: tls:[::]:6262
  options:
    advertiseAddress: tls:ctrl.example:6262
edge:
  api:
    address: ctrl.example:1280
    sessionTimeout: 1h30m
    activityUpdateInterval: 10m
    activityUpdateBatchSize: 10_000
    disableOidcAutoBinding: yes
  enrollment:
    signingCert: {cert: s.pem, key: s.key, ca: s.ca}
    edgeIdentity: {duration: 5m}
    edgeRouter: {duration: 24h}
    sharedHosts: [ctrl.example, '*.example', 10.0.0.5, '2001:db8::5', '[2001:db8::6]', münchen.example]
  totp: {hostname: mfa.example, compatibility: strict}
  oidc: {accessTokenDuration: 10m, idTokenDuration: 20m, refreshTokenDuration: 1h}
  passwordThrottle: {enabled: true, freeAttempts: 10, longestWait: 15m}
  externalJwtSigners:
    requireExpiry: true
    jwksFetch:
      allowedIPs: [10.0.0.0/8, "::1"]
      deniedIPs: [10.1.2.3]
      allowedHostnames: ["*.Example.test."]
      deniedHostnames: [bad.example]
      blockPrivateAddresses: true
      timeout: 7s
      maxRedirects: 0
web:
  - name: clients
    bindPoints:
      - {interface: "0.0.0.0:1280", address: "CTRL.example:1280", newAddress: "new.example:443"}
    identity: {cert: w.pem, key: w.key, server_cert: ws.pem, ca: wca.pem}
    options:
      idleTimeout: 1s
      readTimeout: 2s
      writeTimeout: 3s
      minTLSVersion: TLS1.3
      maxTLSVersion: TLS1.3
    apis:
      - binding: edge-client
        options: {}
      - binding: edge-oidc
        options: {redirectURIs: ["http://localhost:*/auth/callback"], allowedHostnames: [Ctrl.example]}
  - name: administrators
    bindPoints:
      - {interface: "127.0.0.1:1281", address: "localhost:1281"}
    apis:
      - binding: edge-management
      - binding: fabric
      - binding: health-checks
      - {binding: metrics, options: {scrapeCert: scraper.pem, includeTimestamps: true}}
      - {binding: spa, options: {path: /console/, location: /opt/console, indexFile: start.html}}
      - {binding: zac, options: {location: /opt/zac}}
"#;

fn lookup(name: &str) -> Option<String> {
    (name == "DATA").then(|| "/data".to_owned())
}

fn accept(texts: &[&str]) -> Option<ControllerConfig> {
    let outcome = read(texts, &lookup);
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, [] as [&str; 0]);
    outcome.config
}

#[test]
fn the_schema_takes_what_is_accepted() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    for text in [SMALLEST, EVERYTHING] {
        let file = parse_value(text).expect("it is YAML");
        let errors = validator.iter_errors(&file);
        let complaints: Vec<_> = errors
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(complaints, [""; 0]);
    }
}

#[test]
fn the_smallest_file_has_the_defaults_of_openziti() {
    let config = accept(&[SMALLEST]).expect("file is complete");
    assert_eq!(config.store.store_path(), Path::new("ctrl.db.portcullis"));
    assert_eq!(
        config.store.sealing_key_path(),
        Path::new("ctrl.db.portcullis.key")
    );
    assert_eq!(config.identity.server_cert, PemSource::File("a.pem".into()));
    assert_eq!(config.identity.server_key, PemSource::File("a.key".into()));
    assert_eq!(
        (config.trust_domain, config.additional_trust_domains),
        (None, Vec::new())
    );
    assert_eq!(config.ctrl.advertise_address, None);
    assert_eq!(config.edge.api.session_timeout, Duration::from_mins(30));
    assert_eq!(config.edge.api.session_lifetime, None);
    let of_administrators = config.edge.api.administrator_session_lifetime;
    assert_eq!(of_administrators, Some(Duration::from_hours(24)));
    assert_eq!(config.edge.api.fresh_factor, None);
    assert_eq!(config.edge.api.identity_storage_quota, 1 << 20);
    assert_eq!(
        config.edge.api.activity_update_interval,
        Duration::from_secs(90)
    );
    assert_eq!(config.edge.api.activity_update_batch_size, 250);
    assert_eq!(
        config.edge.enrollment.edge_identity_duration,
        Duration::from_hours(3)
    );
    assert_eq!(
        config.edge.enrollment.edge_router_duration,
        Duration::from_hours(3)
    );
    assert_eq!(config.edge.enrollment.shared_hosts, [""; 0]);
    assert_eq!(config.edge.totp.hostname, "openziti.io");
    assert_eq!(config.edge.totp.compatibility, TotpCompatibility::Strict);
    assert_eq!(
        config.edge.oidc.access_token_duration,
        Duration::from_mins(30)
    );
    assert_eq!(config.edge.oidc.id_token_duration, Duration::from_mins(30));
    assert_eq!(
        config.edge.oidc.refresh_token_duration,
        Duration::from_hours(24)
    );
    let signers = &config.edge.external_jwt_signers;
    assert_eq!(signers.jwks_fetch.timeout, Duration::from_secs(5));
    assert_eq!(signers.jwks_fetch.allowed_ips, []);
    assert!(signers.require_expiry);
    let throttle = config.edge.password_throttle;
    assert_eq!(throttle, Some(ThrottleRules::default()));
    let options = &config.web[0].options;
    assert_eq!(
        (options.idle_timeout, options.read_timeout),
        (Duration::from_secs(5), Duration::from_secs(5))
    );
    assert_eq!(options.write_timeout, Duration::from_secs(100));
    assert_eq!(
        (options.min_tls_version, options.max_tls_version),
        (TlsVersion::Tls12, TlsVersion::Tls13)
    );
    assert!(
        config.web[0].hosts(ApiKind::EdgeOidc),
        "edge-oidc is added beside edge-client"
    );
}

#[test]
fn every_key_of_limits_is_read() {
    let usual = accept(&[SMALLEST]).expect("file is complete").limits;
    assert_eq!(usual, ClientLimits::default());
    assert_eq!(
        (usual.connections.total, usual.connections.per_client),
        (16_384, 4096)
    );
    let limits = |section: &str| {
        let text = format!("{SMALLEST}limits: {section}\n");
        accept(&[&text]).expect("file is complete").limits
    };
    let all = limits(
        "{connections: 100, connectionsPerPeer: 99, routerConnections: 50, requestHeadBytes: 5000000, \
         requestHeadBytesPerPeer: 4999999, unreadAnswerBytes: 20000000, \
         unreadAnswerBytesPerPeer: 19999999, requestBytes: 30000000, \
         requestBytesPerIdentity: 29999999, unauthenticatedRequestBytes: 40000000, \
         unauthenticatedRequestBytesPerPeer: 39999999, passwordsWaiting: 7, \
         logLinesPerMinute: 600, logLinesPerMinutePerPeer: 599}",
    );
    let share = |total, each| ClientLimit {
        total,
        per_client: each,
    };
    assert_eq!(all.connections, share(100, 99));
    assert_eq!(all.request_head_bytes, share(5_000_000, 4_999_999));
    assert_eq!(all.unread_answer_bytes, share(20_000_000, 19_999_999));
    assert_eq!(all.request_bytes, share(30_000_000, 29_999_999));
    assert_eq!(
        (all.router_connections, usual.router_connections),
        (50, 4096)
    );
    assert_eq!(all.passwords_waiting, Some(7));
    assert_eq!(all.log_lines_per_minute, share(600, 599));
    assert_eq!(
        all.unauthenticated_request_bytes,
        share(40_000_000, 39_999_999)
    );
    // One client has a part of what there is, unless it is said how much.
    assert_eq!(usual.passwords_waiting, None);
    assert_eq!(usual.log_lines_per_minute, share(60, 6));
    let totals = limits("{connections: 100, requestBytes: 16777216, logLinesPerMinute: 6}");
    assert_eq!(totals.log_lines_per_minute, share(6, 1));
    assert_eq!(totals.connections, share(100, 25));
    assert_eq!(totals.request_bytes, share(16 << 20, 2 << 20));
}

#[test]
fn every_key_of_network_is_read() {
    let network = |section: &str| {
        let text = format!("{SMALLEST}network: {section}\n");
        accept(&[&text]).expect("file is complete").network
    };
    let all = network(
        "{createCircuitRetries: 3, routeTimeoutSeconds: 20, cycleSeconds: 30, minRouterCost: 40, \
         initialLinkLatency: 50ms, routerConnectChurnLimit: 5s, metricsReportInterval: 10s, \
         intervalAgeThreshold: 2m, \
         smart: {rerouteFraction: 0.5, rerouteCap: 7, minCostDelta: 8}}",
    );
    let expected = NetworkConfig {
        dial_attempts: 3,
        route_timeout: Duration::from_secs(20),
        cycle: Duration::from_secs(30),
        smart: SmartReroutingConfig {
            per_million: 500_000,
            cap: 7,
            min_cost_delta: 8,
        },
        min_router_cost: 40,
        initial_link_latency: Duration::from_millis(50),
        router_connect_churn_limit: Duration::from_secs(5),
        metrics_report_interval: Duration::from_secs(10),
        interval_age_threshold: Duration::from_mins(2),
    };
    assert_eq!(all, expected);
    let usual = accept(&[SMALLEST]).expect("file is complete").network;
    for section in ["", "{}", "{smart: }", "{smart: {}, cycleSeconds: }"] {
        assert_eq!(network(section), usual, "{section}");
    }
    // OpenZiti tries a dial once as well then.
    assert_eq!(network("{createCircuitRetries: 0}").dial_attempts, 1);
}

#[test]
fn every_key_of_the_root_is_read() {
    let config = accept(&[EVERYTHING]).expect("file is complete");
    assert_eq!(config.store, StoreLocation::Cluster("/data/raft".into()));
    assert_eq!(
        config.store.store_path(),
        Path::new("/data/raft/portcullis.redb")
    );
    assert_eq!(config.trust_domain.as_deref(), Some("network.example"));
    assert_eq!(
        config.additional_trust_domains,
        ["old.example", "older.example"]
    );
    let identity = &config.identity;
    assert_eq!(
        identity.cert,
        PemSource::File("/etc/ziti/client cert.pem".into())
    );
    assert!(
        matches!(&identity.key, PemSource::Inline(pem) if pem.starts_with("-----BEGIN PRIVATE KEY"))
    );
    assert!(
        matches!(&identity.server_cert, PemSource::Inline(pem) if pem.starts_with("-----BEGIN CERT"))
    );
    assert_eq!(
        identity.server_key,
        PemSource::File("/etc/ziti/server.key".into())
    );
    assert_eq!(
        identity.alt_server_certs[0].key,
        PemSource::File("alt1.key".into())
    );
    assert_eq!(
        identity.alt_server_certs[1].key, identity.key,
        "without a key of its own the common one serves"
    );
    assert_eq!(config.ctrl.listener.to_string(), "tls:[::]:6262");
    assert_eq!(
        config
            .ctrl
            .advertise_address
            .map(|a| a.to_string())
            .as_deref(),
        Some("tls:ctrl.example:6262")
    );
}

#[test]
fn every_key_of_edge_is_read() {
    let edge = accept(&[EVERYTHING]).expect("file is complete").edge;
    assert_eq!(edge.api.session_timeout, Duration::from_mins(90));
    assert_eq!(edge.api.activity_update_interval, Duration::from_mins(10));
    assert_eq!(edge.api.activity_update_batch_size, 10_000);
    assert!(edge.api.disable_oidc_auto_binding);
    assert_eq!(
        edge.enrollment.edge_identity_duration,
        Duration::from_mins(5)
    );
    assert_eq!(
        edge.enrollment.edge_router_duration,
        Duration::from_hours(24)
    );
    assert_eq!(
        edge.enrollment.shared_hosts,
        [
            "ctrl.example",
            "*.example",
            "10.0.0.5",
            "2001:db8::5",
            "[2001:db8::6]",
            "münchen.example",
        ]
    );
    assert_eq!(
        edge.enrollment.signing_cert.ca,
        Some(PemSource::File("s.ca".into()))
    );
    assert_eq!(edge.totp.hostname, "mfa.example");
    assert_eq!(edge.oidc.access_token_duration, Duration::from_mins(10));
    assert_eq!(edge.oidc.refresh_token_duration, Duration::from_hours(1));
    assert_eq!(
        edge.password_throttle,
        Some(ThrottleRules {
            free_attempts: 10,
            max_wait: SignedDuration::from_mins(15),
        })
    );
    assert!(edge.external_jwt_signers.require_expiry);
    let fetch = &edge.external_jwt_signers.jwks_fetch;
    let allows = |text: &str| {
        let address: IpAddr = text.parse().expect("address is valid");
        fetch
            .allowed_ips
            .iter()
            .any(|network| network.contains(address))
    };
    assert!(allows("10.9.9.9") && allows("::1") && !allows("192.168.0.1"));
    assert_eq!(
        fetch.denied_ips,
        ["10.1.2.3".parse().expect("is a network")]
    );
    assert_eq!(fetch.allowed_hostnames, ["*.example.test"]);
    assert_eq!(fetch.denied_hostnames, ["bad.example"]);
    assert_eq!(
        (fetch.timeout, fetch.max_redirects),
        (Duration::from_secs(7), 0)
    );
}

#[test]
fn every_key_of_web_is_read() {
    let config = accept(&[EVERYTHING]).expect("file is complete");
    let clients = &config.web[0];
    assert_eq!(
        clients.bind_points[0]
            .new_address
            .as_ref()
            .map(ToString::to_string)
            .as_deref(),
        Some("new.example:443")
    );
    assert_eq!(
        clients.identity.as_ref().map(|i| &i.server_key),
        Some(&PemSource::File("w.key".into()))
    );
    assert_eq!(clients.options.write_timeout, Duration::from_secs(3));
    assert_eq!(clients.options.min_tls_version, TlsVersion::Tls13);
    let WebApi::EdgeOidc(oidc) = &clients.apis[1] else {
        panic!("{:?}", clients.apis)
    };
    assert_eq!(
        (oidc.redirect_uris.len(), oidc.allowed_hostnames.as_slice()),
        (1, &["ctrl.example".to_owned()][..])
    );
    let apis = &config.web[1].apis;
    assert_eq!(
        apis.len(),
        6,
        "edge-oidc is not added where it is switched off"
    );
    let WebApi::Metrics(metrics) = &apis[3] else {
        panic!("{apis:?}");
    };
    assert_eq!(
        metrics.scrape_cert,
        Some(PemSource::File("scraper.pem".into()))
    );
    assert!(metrics.include_timestamps);
    assert!(
        matches!(&apis[4], WebApi::Spa(spa) if spa.path == "console" && spa.index_file == "start.html")
    );
    assert!(
        matches!(&apis[5], WebApi::Spa(spa) if spa.path == "zac" && spa.index_file == "index.html")
    );
}

#[test]
fn private_keys_in_the_file_are_not_shown() {
    let shown = format!("{:?}", accept(&[EVERYTHING]).expect("file is complete"));
    assert!(!shown.contains("BEGIN"), "{shown}");
}

#[test]
fn what_makes_the_controller_less_strict_can_be_switched_on() {
    let weaker =
        "edge: {passwordThrottle: {enabled: false}, externalJwtSigners: {requireExpiry: false}}\n";
    // Both are warned about, which is for the tests of mistakes to say.
    let config = read(&[SMALLEST, weaker], &no_variables)
        .config
        .expect("file is complete");
    assert_eq!(config.edge.password_throttle, None);
    assert!(!config.edge.external_jwt_signers.require_expiry);
}

#[test]
fn a_partial_file_lies_over_a_complete_one() {
    let config = accept(&[
        SMALLEST,
        "edge: {totp: {hostname: mfa.example}, api: {sessionTimeout: 5m}}\n",
    ])
    .expect("file is complete");
    assert_eq!(config.edge.totp.hostname, "mfa.example");
    assert_eq!(config.edge.api.session_timeout, Duration::from_mins(5));
    assert_eq!(config.edge.api.address.to_string(), "ctrl.example:1280");

    let outcome = read(
        &[
            SMALLEST,
            "edge:\n  totp:\n    compatibility: openziti\n    hostnam: x\n",
        ],
        &no_variables,
    );
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.source, d.line, d.column, d.severity, d.code))
        .collect();
    assert_eq!(
        found,
        [
            (SourceId(1), 3, 20, Severity::Warning, "weakened"),
            (SourceId(1), 4, 5, Severity::Error, "unknown-key"),
        ]
    );
}

#[test]
fn lifetimes_of_tokens_are_raised_to_their_bounds() {
    for (section, access, id, refresh) in [
        ("{}", 1800, 1800, 86_400),
        (
            "{accessTokenDuration: 0s, idTokenDuration: 59s}",
            60,
            60,
            86_400,
        ),
        (
            "{accessTokenDuration: 1m, refreshTokenDuration: 1s}",
            60,
            1800,
            120,
        ),
        ("{refreshTokenDuration: 30m}", 1800, 1800, 1860),
        ("{refreshTokenDuration: 31m}", 1800, 1800, 1860),
        ("{accessTokenDuration: 24h}", 86_400, 1800, 86_460),
        ("{idTokenDuration: 48h}", 1800, 172_800, 86_400),
    ] {
        let text = SMALLEST.replace("edge:\n", &format!("edge:\n  oidc: {section}\n"));
        let oidc = read(&[&text], &no_variables).config.unwrap().edge.oidc;
        let durations = [
            oidc.access_token_duration,
            oidc.id_token_duration,
            oidc.refresh_token_duration,
        ];
        let expected = [access, id, refresh].map(Duration::from_secs);
        assert_eq!(durations, expected, "{section}");
    }
}

#[test]
fn routers_may_share_a_port_and_are_told_the_host_of_the_apis() {
    for (listener, told) in [
        ("tls:0.0.0.0:6262", "tls:ctrl.example:6262"),
        ("tls:0.0.0.0:1280", "tls:ctrl.example:1280"),
        ("tls::6262", "tls:ctrl.example:6262"),
    ] {
        let text = SMALLEST.replace("tls:0.0.0.0:6262", listener);
        let outcome = read(&[&text], &no_variables);
        assert_eq!(outcome.diagnostics, [], "{listener}");
        let config = outcome.config.unwrap();
        assert_eq!(config.router_address().to_string(), told);
    }
}
