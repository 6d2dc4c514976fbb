//! What the file says of the tunneler.

use portcullis_name_server::{NameServerOptions, Unanswerable, UpstreamOrder};
use portcullis_router::tunnel::{InterceptSettings, TunnelError, TunnelMode, TunnelSettings};
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

fn interception(options: &str) -> Result<InterceptSettings, TunnelError> {
    let text = format!("listeners: [{{binding: tunnel, options: {{{options}}}}}]\n");
    match settings(&text)?.unwrap().mode {
        TunnelMode::Intercept(settings) => Ok(*settings),
        mode => panic!("{mode:?}"),
    }
}

#[test]
fn interception_has_options() {
    let settings = interception("mode: tproxy").unwrap();
    assert_eq!(settings.resolvers, ["udp://127.0.0.1:53"]);
    assert_eq!(settings.name_range.to_string(), "100.64.0.1/10");
    assert_eq!(settings.name_server, NameServerOptions::default());
    assert!(settings.lan_interfaces.is_empty());

    let settings = interception(
        "mode: tproxy, resolver: ['udp://10.0.0.1:53'], dnsSvcIpRange: 10.1.0.1/16, lanIf: eth0, \
         dnsUpstream: ['udp://10.0.0.2:53', 'tcp://10.0.0.3:53'], dnsUpstreamMode: Failover, \
         dnsUnanswerable: servfail",
    )
    .unwrap();
    assert_eq!(
        settings.resolvers,
        ["udp://127.0.0.1:53", "udp://10.0.0.1:53"]
    );
    assert_eq!(settings.name_range.to_string(), "10.1.0.1/16");
    assert_eq!(settings.lan_interfaces, ["eth0"]);
    let names = settings.name_server;
    let upstreams: Vec<_> = names.upstreams.iter().map(ToString::to_string).collect();
    assert_eq!(upstreams, ["udp://10.0.0.2:53", "tcp://10.0.0.3:53"]);
    assert_eq!(names.order, UpstreamOrder::Failover);
    assert_eq!(names.unanswerable, Unanswerable::ServerFailure);

    let settings = interception("mode: tproxy, resolver: 'file:///etc/hosts', lanIf: [eth0, eth1]");
    let settings = settings.unwrap();
    assert_eq!(settings.resolvers, ["file:///etc/hosts"]);
    assert_eq!(settings.lan_interfaces, ["eth0", "eth1"]);
}

#[test]
fn what_cannot_be_had_names_its_key() {
    let error = interception("mode: 'tproxy:/bin/divert'").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`listeners[0].options.mode` is `tproxy:/bin/divert`: this router diverts traffic itself, and supports no \
         program that does; write `tproxy`"
    );
    let error = interception("mode: tproxy, dnsUpstream: 'udp://dns.example:53'").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`listeners[0].options.dnsUpstream` must be `udp://` or `tcp://` with the IP address and the port of a name \
         server, such as `udp://10.0.0.2:53`, not \"udp://dns.example:53\""
    );
}
