//! From the model of a file to what lives by it.

use std::net::IpAddr;

use portcullis_router::IncompleteConfigError;
use portcullis_router::circuits::ForwarderSettings;
use portcullis_router::control::InterfaceSettings;
use portcullis_router::health::HealthOptions;
use portcullis_router::links::{ConnectionLayout, GroupNames, LinkSettings, dialers};
use portcullis_router::metrics::MetricsOptions;
use portcullis_router::web::{TlsVersion, WebApi, WebServer, web_servers};
use portcullis_router_config::model::RouterConfig;

use crate::world::config;

#[test]
fn servers_are_the_entries_that_bind_the_api() {
    let config = config(
        "web:
  - name: one
    bindPoints:
      - {interface: '0.0.0.0:8081', address: 'r.example.test:8081', newAddress: 'r.example.test:1'}
      - {interface: '127.0.0.1:8082', address: 'localhost:8082'}
      - {identity: {file: web.json, service: health}}
    apis: [{binding: edge-client}, {binding: health-checks}]
    options: {readTimeout: 7s}
  - name: two
    bindPoints: [{interface: '0.0.0.0:8083', address: 'r.example.test:8083'}]
    apis: [{binding: edge-client}]
  - name: three
    bindPoints: [{interface: '0.0.0.0:8084', address: 'r.example.test:8084'}]
    apis: [{binding: health-checks}, {binding: metrics}, {binding: health-checks}]
    identity: {cert: a, key: b, server_cert: c, ca: d}
    options: {minTLSVersion: TLS1.3}
",
    );
    let found = web_servers(&config.web).unwrap();
    let shape = |server: &WebServer<'_>| {
        let points = server.bind_points.iter();
        let points = points.map(|point| {
            (
                point.interface().to_owned(),
                point.new_address().map(str::to_owned),
            )
        });
        (server.apis.clone(), points.collect::<Vec<_>>())
    };
    assert_eq!(
        found.iter().map(shape).collect::<Vec<_>>(),
        [
            (
                vec![WebApi::HealthChecks],
                vec![
                    (
                        "0.0.0.0:8081".to_owned(),
                        Some("r.example.test:1".to_owned())
                    ),
                    ("127.0.0.1:8082".to_owned(), None),
                ]
            ),
            (
                vec![WebApi::HealthChecks, WebApi::Metrics],
                vec![("0.0.0.0:8084".to_owned(), None)]
            ),
        ]
    );
    assert_eq!(found[0].options.read_timeout.as_secs(), 7);
    assert_eq!(found[0].options.min_tls_version, TlsVersion::Tls12);
    assert_eq!(found[1].options.min_tls_version, TlsVersion::Tls13);
    assert!(found[0].identity.is_none());
    assert!(found[1].identity.is_some());
    assert!(web_servers(&[]).unwrap().is_empty());
}

#[test]
fn tls_before_1_2_is_not_served() {
    let config = config(
        "web: [{name: old, bindPoints: [{interface: '127.0.0.1:1'}], apis: [{binding: metrics}], \
         options: {minTLSVersion: TLS1.0, maxTLSVersion: TLS1.1}}]",
    );
    let error = web_servers(&config.web).unwrap_err();
    assert_eq!(error.key, "web.options.maxTLSVersion");
}

#[test]
fn dialers_have_the_defaults_of_the_specification() {
    let config = config("link: {dialers: [{binding: transport}]}");
    let dialer = &dialers(&config.link).unwrap()[0];
    assert_eq!(dialer.groups, GroupNames::default());
    assert_eq!(dialer.interface, None);
    assert_eq!(dialer.startup_delay.as_secs(), 3);
    let pauses = [dialer.healthy, dialer.unhealthy].map(|p| (p.min().as_secs(), p.max().as_secs()));
    assert_eq!(pauses, [(5, 300), (60, 3600)]);
    let several = ConnectionLayout::Multiple {
        data: 3,
        acknowledgments: 1,
    };
    assert_eq!(dialer.connections_for(Some("v2.1.0")), several);
    assert_eq!(dialer.connections_for(None), ConnectionLayout::Pair);
}

#[test]
fn dialers_are_taken_as_they_are_given() {
    let config = config(
        "link:
  listeners:
    - {binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r:1', bindInterface: eth9}
  dialers:
    - binding: transport
      bind: 10.0.0.1
      bindInterface: eth1
      groups: internal
      split: false
      maxDefaultConnections: 5
      maxAckConnections: 0
    - {binding: transport, bind: 10.0.0.2, groups: [a, b, a]}
    - {binding: transport, groups: []}
",
    );
    let dialers = dialers(&config.link).unwrap();
    let interfaces: Vec<_> = dialers
        .iter()
        .map(|dialer| dialer.interface.as_deref())
        .collect();
    assert_eq!(interfaces, [Some("eth1"), Some("10.0.0.2"), None]);
    let groups: Vec<Vec<_>> = dialers
        .iter()
        .map(|dialer| dialer.groups.iter().collect())
        .collect();
    assert_eq!(groups, [vec!["internal"], vec!["a", "b"], vec!["default"]]);
    assert_eq!(
        dialers[0].connections_for(Some("1.6.5")),
        ConnectionLayout::Single
    );
    let several = ConnectionLayout::Multiple {
        data: 5,
        acknowledgments: 0,
    };
    assert_eq!(dialers[0].connections_for(Some("1.6.6")), several);
}

#[test]
fn a_lone_dialer_has_the_interface_of_a_lone_listener_in_its_keys() {
    let named = "{binding: transport, bind: 'tls:0.0.0.0:1', bindInterface: eth9}";
    let found = "{binding: transport, bind: 'tls:10.0.0.9:1'}";
    let cases = [
        ("{binding: transport}", named.to_owned(), Some("eth9")),
        ("{binding: transport}", found.to_owned(), Some("eth0")),
        (
            "{binding: transport, bind: 10.0.0.1}",
            named.to_owned(),
            Some("10.0.0.1"),
        ),
        (
            "{binding: transport}",
            "{binding: transport, bind: 'tls:0.0.0.0:1'}".to_owned(),
            None,
        ),
        ("{binding: transport}", format!("{named}, {named}"), None),
        (
            "{binding: transport}, {binding: transport}",
            named.to_owned(),
            None,
        ),
        ("{binding: transport}", String::new(), None),
    ];
    let interface_of = |address: IpAddr| {
        assert_eq!(address.to_string(), "10.0.0.9");
        Some("eth0".to_owned())
    };
    for (dialers, listeners, expected) in cases {
        let config = config(&format!(
            "link: {{dialers: [{dialers}], listeners: [{listeners}]}}"
        ));
        let links = LinkSettings::from_config(&config.link).unwrap();
        let links = links.with_interfaces(interface_of);
        let dialer = &links.dialers[0];
        assert_eq!(
            dialer.interface.as_deref(),
            expected,
            "{dialers} {listeners}"
        );
        let is_given = expected == Some("10.0.0.1");
        assert_eq!(dialer.from.is_some(), is_given, "it dials from anywhere");
    }
}

#[test]
fn values_of_a_refused_file_are_named() {
    let dialers = |text: &str| dialers(&config(text).link).map(|_| ());
    let health = |text: &str| HealthOptions::from_config(&config(text).health_checks).map(|_| ());
    let cases = [
        (
            dialers("link: {dialers: [{binding: transport, startupDelay: 5}]}"),
            "link.dialers[0].startupDelay",
        ),
        (
            dialers("link: {dialers: [{}, {healthyDialBackoff: {minRetryInterval: 10m}}]}"),
            "link.dialers[1].healthyDialBackoff.minRetryInterval",
        ),
        (
            dialers("link: {dialers: [{unhealthyDialBackoff: {retryBackoffFactor: x}}]}"),
            "link.dialers[0].unhealthyDialBackoff.retryBackoffFactor",
        ),
        (
            health("healthChecks: {ctrlPingCheck: {interval: 30}}"),
            "healthChecks.ctrlPingCheck.interval",
        ),
        (
            health("healthChecks: {linkCheck: {minLinks: x}}"),
            "healthChecks.linkCheck.minLinks",
        ),
    ];
    for (result, key) in cases {
        let key = key.to_owned();
        assert_eq!(result, Err(IncompleteConfigError { key }));
    }
}

/// What a part of the file says, as text, and how it is read.
type Case = (&'static str, fn(&RouterConfig) -> String, &'static str);

#[test]
fn sizes_and_times_are_taken_as_they_are_given() {
    fn queues(config: &RouterConfig) -> String {
        let links = LinkSettings::from_config(&config.link).unwrap();
        format!("{} {}", links.payload_queue, links.acknowledgment_queue)
    }
    fn strangers(config: &RouterConfig) -> String {
        let links = LinkSettings::from_config(&config.link).unwrap();
        links.listeners[0].max_unknown.to_string()
    }
    fn metrics(config: &RouterConfig) -> String {
        let options = MetricsOptions::from_config(&config.metrics).unwrap();
        let usage = options.usage_age;
        format!(
            "{:?} {} {usage:?}",
            options.report_interval, options.queue_size
        )
    }
    fn interfaces(config: &RouterConfig) -> String {
        let discovery = &config.interface_discovery;
        InterfaceSettings::from_config(discovery)
            .unwrap()
            .map_or_else(
                || "none".to_owned(),
                |settings| {
                    format!(
                        "{:?} {:?}",
                        settings.check_interval, settings.report_interval
                    )
                },
            )
    }
    fn pause(config: &RouterConfig) -> String {
        let settings = ForwarderSettings::from_config(&config.forwarder).unwrap();
        format!("{:?}", settings.service_dial_pause)
    }
    let cases: &[Case] = &[
        ("link: {}", queues, "128 64"),
        (
            "link: {payloadSenderQueueSize: 3, ackSenderQueueSize: 7}",
            queues,
            "3 7",
        ),
        (
            "link: {listeners: [{binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r:1'}]}",
            strangers,
            "17",
        ),
        (
            "link: {listeners: [{binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r:1', \
             options: {maxQueuedConnects: 5, maxOutstandingConnects: 40}}]}",
            strangers,
            "45",
        ),
        ("metrics: {}", metrics, "60s 10 80s"),
        (
            "metrics: {reportInterval: 7s, messageQueueSize: 4, intervalAgeThreshold: 9s}",
            metrics,
            "7s 4 9s",
        ),
        ("interfaceDiscovery: {}", interfaces, "60s 86400s"),
        (
            "interfaceDiscovery: {checkInterval: 3s, minReportInterval: 5m}",
            interfaces,
            "3s 300s",
        ),
        ("interfaceDiscovery: {disabled: true}", interfaces, "none"),
        ("forwarder: {}", pause, "0ns"),
        ("forwarder: {xgressDialDwellTime: 250}", pause, "250ms"),
    ];
    for (file, read, expected) in cases {
        assert_eq!(read(&config(file)), *expected, "{file}");
    }
}
