//! What routers and controllers say of themselves.

use portcullis_channel::hello::Accepted;
use portcullis_channel::{BuildVersion, HeaderKey, Headers};
use portcullis_router::control::{ControlSettings, EdgeOffer, Greeting, check_controller};
use portcullis_wire::capability::{Capabilities, ControllerCapability};
use portcullis_wire::control::edge_hello::EdgeAddress;
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use portcullis_wire::control::peer::Listener;
use std::path::Path;
use std::time::Duration;

use crate::world::config;

fn version(version: &str) -> BuildVersion {
    BuildVersion {
        version: version.to_owned(),
        revision: "r".to_owned(),
        build_date: "d".to_owned(),
        os: "linux".to_owned(),
        arch: "amd64".to_owned(),
    }
}

#[test]
fn hello_has_the_mask_of_a_router_of_today_and_its_link_listeners() {
    let listener = Listener {
        address: "tls:r.test:1".to_owned(),
        protocol: "tls".to_owned(),
        ..Listener::default()
    };
    let greeting = Greeting::new(
        "r1".to_owned(),
        version("v2.1.0"),
        vec![listener.clone()],
        None,
    );
    let headers = greeting.headers();
    let mask = headers.get(HeaderKey(1002)).unwrap();
    assert_eq!(mask, [0x40, 0, 0, 0, 0, 0, 0, 0x76]);
    let hello = RouterHello::from_headers(&headers).unwrap();
    assert_eq!(hello.listeners, [listener]);
    assert_eq!(greeting.client_hello(3), None, "it is no edge router");
}

#[test]
fn edge_router_says_where_it_listens_as_openziti_does() {
    let config = config(
        "listeners:
  - {binding: transport, address: 'tcp:0.0.0.0:1', options: {}}
  - {binding: edge, address: 'tls:0.0.0.0:3022', options: {advertise: 'r.test:3022'}}
  - {binding: edge, address: 'tls:127.0.0.1:15241', options: {advertise: '127.0.0.1:15241'}}
",
    );
    let offer = EdgeOffer::from_config(&config.listeners);
    let greeting = Greeting::new("r1".to_owned(), version("v2.1.0"), Vec::new(), Some(offer));
    let hello = greeting.client_hello(9).unwrap();
    assert!(hello.has_data_model);
    assert_eq!(hello.model_index, Some(9));
    let body = hello.hello;
    assert_eq!(body.version, "v2.1.0");
    assert_eq!(body.hostname, "127.0.0.1", "that of the last listener");
    assert_eq!(body.protocols, ["tls", "tls"]);
    assert_eq!(body.protocol_ports, ["3022", "15241"]);
    let address = |value: &str, hostname: &str, port| {
        Some(EdgeAddress {
            value: value.to_owned(),
            protocol: "tls".to_owned(),
            hostname: hostname.to_owned(),
            port,
        })
    };
    assert_eq!(
        body.listeners[0].address,
        address("tls:0.0.0.0:3022", "0.0.0.0", 3022)
    );
    assert_eq!(
        body.listeners[0].advertised,
        address("r.test:3022", "r.test", 3022)
    );
    assert_eq!(body.listeners.len(), 2);
}

#[test]
fn controller_is_accepted_if_it_can_do_what_routers_need() {
    let answer = |version: BuildVersion, capability, responder: Option<&str>| Accepted {
        responder: responder.map(str::to_owned),
        group: None,
        secret: None,
        headers: ControllerHello {
            version,
            capabilities: Capabilities::of([capability]),
        }
        .to_headers(),
    };
    let jwts = ControllerCapability::LegacySessionsAreJwts;
    let good = answer(version("v2.1.0"), jwts, Some("c1"));
    assert_eq!(check_controller(&good).unwrap().as_str(), "c1");
    let old = answer(
        version("v1.6.0"),
        ControllerCapability::RouterDataModel,
        Some("c1"),
    );
    let why = check_controller(&old).unwrap_err();
    assert!(why.contains("v1.6.0") && why.contains("too old"), "{why}");
    let nameless = answer(version("v2.1.0"), jwts, None);
    assert!(check_controller(&nameless).unwrap_err().contains("id"));
    let silent = Accepted {
        headers: Headers::empty(),
        ..good
    };
    assert!(check_controller(&silent).unwrap_err().contains("version"));
}

#[test]
fn section_ctrl_is_read_with_its_defaults() {
    let text = "ctrl: {endpoints: ['tls:a.test:1', 'tls:b.test:2']}\n";
    let settings =
        ControlSettings::from_config(&config(text).ctrl, Path::new("/etc/r/router.yml")).unwrap();
    assert_eq!(settings.addresses.len(), 2);
    assert_eq!(settings.endpoints_file, Path::new("/etc/r/endpoints.yml"));
    assert_eq!(settings.startup_timeout, Some(Duration::from_secs(30)));
    assert_eq!(settings.request_timeout, Duration::from_secs(5));
    assert_eq!(settings.connect_timeout, Duration::from_secs(5));
    assert_eq!(settings.unresponsive_after, Duration::from_secs(5));
    assert_eq!(settings.write_timeout, None);
    let beats = settings.channel.heartbeats.unwrap();
    assert_eq!(
        (beats.send_interval.as_secs(), beats.close_after.as_secs()),
        (10, 30)
    );

    let text = "ctrl:
  endpoint: tls:c.test:3
  endpoints: ['tls:a.test:1']
  bind: eth1
  startupTimeout: 0s
  endpointsFile: kept.yml
  heartbeats: {sendInterval: 2s, closeUnresponsiveTimeout: 7s}
  options: {connectTimeoutMs: 900, writeTimeout: 3s, outQueueSize: 5000}
";
    let settings = ControlSettings::from_config(&config(text).ctrl, Path::new("r.yml")).unwrap();
    assert_eq!(settings.addresses[0].to_string(), "tls:c.test:3");
    assert_eq!(settings.addresses.len(), 1, "`endpoint` wins");
    assert_eq!(settings.bind.as_deref(), Some("eth1"));
    assert_eq!(settings.startup_timeout, None);
    assert_eq!(settings.endpoints_file, Path::new("kept.yml"));
    assert_eq!(settings.write_timeout, Some(Duration::from_secs(3)));
    assert_eq!(settings.connect_timeout, Duration::from_millis(900));
    assert_eq!(settings.channel.default_queue.frames, 5000);
    let beats = settings.channel.heartbeats.unwrap();
    assert_eq!(
        (beats.send_interval.as_secs(), beats.close_after.as_secs()),
        (2, 7)
    );
}
