//! What the file says of the tunneler.

use portcullis_router::tunnel::{TunnelError, TunnelMode, TunnelSettings};
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use std::time::Duration;

fn settings(text: &str) -> Result<Option<TunnelSettings>, TunnelError> {
    let file = SourceFile::new("router.yml", text.as_bytes());
    let config: RouterConfig = load(&file, &CheckOptions::new()).config;
    TunnelSettings::from_config(&config.listeners, &config.dialers)
}

#[test]
fn tunneler_has_options_of_both_sections() {
    let text = "\
listeners:
- {binding: edge, address: 'tls:0.0.0.0:1', options: {advertise: 'r:1'}}
- {binding: tunnel, options: {mode: proxy, services: ['wiki:8080', 'dns:53:udp'], udpIdleTimeout: 1m, rxBufferSize: 8}}
dialers:
- {binding: tunnel, options: {rxBufferSize: 9}}
";
    let settings = settings(text).unwrap().unwrap();
    assert_eq!(settings.entry, 1);
    let TunnelMode::Proxy(rules) = &settings.mode else {
        panic!("{settings:?}");
    };
    let rules: Vec<_> = rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["wiki:8080:tcp", "dns:53:udp"]);
    assert_eq!(settings.idle_time, Duration::from_mins(1));
    assert_eq!(settings.initiating_end.receive_buffer, 8);
    assert_eq!(settings.terminating_end.receive_buffer, 9);
}

#[test]
fn tunneler_hosts_without_further_options() {
    for text in [
        "listeners: [{binding: tunnel}]\n",
        "listeners: [{binding: tunnel, options: {mode: host, udpIdleTimeout: 1s}}]\n",
    ] {
        let settings = settings(text).unwrap().unwrap();
        assert_eq!(settings.mode, TunnelMode::Host);
        assert_eq!(settings.idle_time, Duration::from_mins(5));
    }
    assert_eq!(settings("listeners: []\n"), Ok(None));
}

#[test]
fn last_of_several_counts() {
    let text = "listeners: [{binding: tunnel, options: {mode: tproxy}}, {binding: tunnel, options: {mode: host}}]\n";
    let settings = settings(text).unwrap().unwrap();
    assert_eq!((settings.entry, settings.mode), (1, TunnelMode::Host));
}

#[test]
fn traffic_is_not_intercepted() {
    let text = "listeners: [{binding: tunnel, options: {mode: tproxy}}]\n";
    let error = settings(text).unwrap_err().to_string();
    assert_eq!(
        error,
        "`listeners[0].options.mode` is `tproxy`: this router intercepts no traffic yet; write `host` or `proxy`"
    );
}
