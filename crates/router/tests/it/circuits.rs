//! What a router's file says about circuits.

use std::time::Duration;

use portcullis_forwarding::ForwardingOptions;
use portcullis_router::circuits::{ForwarderSettings, QueueSize, end_options};
use portcullis_router::edge::{EdgeLimits, EdgeListenerSettings, EdgeSettings, WebSocketSettings};
use portcullis_xgress::{Factor, Options};

use crate::world::config;

#[test]
fn a_file_that_says_nothing_gives_the_defaults() {
    let config = config(
        "listeners: [{binding: edge, address: 'tls:0.0.0.0:3022'}]
dialers: [{binding: transport}, {binding: edge}]
",
    );
    for entry in config.listeners.iter().chain(&config.dialers) {
        assert_eq!(end_options(&entry.circuits), Ok(Options::default()));
    }
    let settings = ForwarderSettings::from_config(&config.forwarder).unwrap();
    assert_eq!(settings.forwarding, ForwardingOptions::default());
    assert_eq!(settings.service_dial_pause, Duration::ZERO);
    let sizes = [
        settings.link_dials,
        settings.rate_limited,
        settings.service_dials,
    ];
    let sizes = sizes.map(|size| (size.waiting, size.workers));
    assert_eq!(sizes, [(1_000, 32), (5_000, 5), (1_000, 128)]);
}

#[test]
fn every_option_has_its_effect() {
    let config = config(
        "dialers:
  - binding: transport
    options:
      txPortalStartSize: 1
      txPortalMinSize: 2
      txPortalMaxSize: 3
      txPortalIncreaseThresh: 4
      txPortalIncreaseScale: 5.5
      txPortalRetxThresh: 6
      txPortalRetxScale: 0.5
      txPortalDupAckThresh: 7
      rxBufferSize: 8
      retxStartMs: 9
      retxScale: 2.5
      retxAddMs: 10
      retxMaxMs: 11
      maxRttScale: 12
      maxCloseWaitMs: 13
      circuitStartTimeout: 14s
",
    );
    let expected = Options {
        start_window: 1,
        min_window: 2,
        max_window: 3,
        growth_threshold: 4,
        growth: Factor::from_millionths(5_500_000),
        shrink_threshold: 6,
        shrink: Factor::from_millionths(500_000),
        duplicate_threshold: 7,
        receive_buffer: 8,
        first_ack_timeout: Duration::from_millis(9),
        ack_timeout_scale: Factor::from_millionths(2_500_000),
        ack_timeout_margin: Duration::from_millis(10),
        max_ack_timeout: Duration::from_millis(11),
        max_round_trip_growth: 12,
        max_close_wait: Duration::from_millis(13),
        start_timeout: Duration::from_secs(14),
    };
    assert_eq!(end_options(&config.dialers[0].circuits), Ok(expected));
}

#[test]
fn the_forwarder_lives_by_its_section() {
    let config = config(
        "forwarder:
  faultTxInterval: 0
  idleCircuitTimeout: 2
  idleTxInterval: 3
  linkDialQueueLength: 4
  linkDialWorkerCount: 5
  rateLimitedQueueLength: 6
  rateLimitedWorkerCount: 7
  xgressCloseCheckInterval: 8
  xgressDialDwellTime: 9
  xgressDialQueueLength: 10
  xgressDialWorkerCount: 11
",
    );
    let settings = ForwarderSettings::from_config(&config.forwarder).unwrap();
    let size = |waiting, workers| QueueSize { waiting, workers };
    let expected = ForwarderSettings {
        forwarding: ForwardingOptions {
            fault_interval: None,
            idle_timeout: Duration::from_millis(2),
            idle_interval: Some(Duration::from_millis(3)),
            close_check_interval: Duration::from_millis(8),
            ..ForwardingOptions::default()
        },
        link_dials: size(4, 5),
        rate_limited: size(6, 7),
        service_dials: size(10, 11),
        service_dial_pause: Duration::from_millis(9),
    };
    assert_eq!(settings, expected);
    let mut queue = settings.service_dials.queue();
    assert_eq!(queue.push("dial"), Ok(()));
    assert_eq!(queue.start(), Some("dial"));
}

#[test]
fn a_model_without_values_is_refused() {
    let missing = end_options(&portcullis_router_config::model::CircuitOptions::default());
    assert_eq!(missing.unwrap_err().key, "options.txPortalStartSize");
    let missing =
        ForwarderSettings::from_config(&portcullis_router_config::model::Forwarder::default());
    assert_eq!(
        missing.unwrap_err().key,
        "forwarder.xgressCloseCheckInterval"
    );
}

#[test]
fn the_edge_lives_by_its_section_and_its_listeners() {
    let config = config(
        "edge: {db: /var/lib/model, dbSaveIntervalSeconds: 60, heartbeatIntervalSeconds: 20}
listeners:
  - binding: edge
    address: tls:0.0.0.0:3022
    options:
      advertise: router.example.test:3022
      connectTimeout: 3s
      maxQueuedConnects: 5
      maxOutstandingConnects: 6
      writeTimeout: 7s
      outQueueSize: 8
      getCircuitTimeout: 9s
      rxBufferSize: 10
  - binding: transport
  - binding: edge
    address: tls:0.0.0.0:3023
    options: {connectTimeoutMs: 4000, getCircuitTimeout: 10s, rxBufferSize: 11}
  - binding: edge
    address: wss:0.0.0.0:3024
transport:
  wss: {pingInterval: 0, pongTimeout: 9, readBufferSize: 100}
",
    );
    let settings = EdgeSettings::from_config(&config.edge).unwrap();
    assert_eq!(settings.save_interval, Duration::from_mins(1));
    assert_eq!(settings.heartbeat_interval, Duration::from_secs(20));
    let web_sockets = &config.transport.wss;
    let listeners = EdgeListenerSettings::from_config(&config.listeners, web_sockets).unwrap();
    let expected = [
        EdgeListenerSettings {
            address: "tls:0.0.0.0:3022".to_owned(),
            hello_time: Duration::from_secs(3),
            waiting_clients: 11,
            write_time: Some(Duration::from_secs(7)),
            queue_frames: Some(8),
            circuit_time: Duration::from_secs(9),
            end_options: Options {
                receive_buffer: 10,
                ..Options::default()
            },
            web_sockets: None,
        },
        EdgeListenerSettings {
            address: "tls:0.0.0.0:3023".to_owned(),
            hello_time: Duration::from_secs(4),
            waiting_clients: 17,
            write_time: None,
            queue_frames: None,
            circuit_time: Duration::from_secs(10),
            end_options: Options {
                receive_buffer: 11,
                ..Options::default()
            },
            web_sockets: None,
        },
        EdgeListenerSettings {
            address: "wss:0.0.0.0:3024".to_owned(),
            hello_time: Duration::from_secs(5),
            waiting_clients: 17,
            write_time: None,
            queue_frames: None,
            circuit_time: EdgeLimits::default().circuit_time,
            end_options: Options::default(),
            web_sockets: Some(WebSocketSettings {
                handshake_time: Duration::from_secs(10),
                ping_interval: None,
                pong_time: Duration::from_secs(9),
                read_buffer: 100,
                write_buffer: 4096,
            }),
        },
    ];
    assert_eq!(listeners, expected);
    let places = listeners.iter().map(EdgeListenerSettings::place);
    let ports = places.map(|place| place.map(|place| place.port));
    assert_eq!(
        ports.collect::<Vec<_>>(),
        [Some(3022), Some(3023), Some(3024)]
    );
}

#[test]
fn an_edge_that_says_nothing_has_the_defaults() {
    let config = config("edge: {}\nlisteners: [{binding: edge, address: 'tls:0.0.0.0:3022'}]\n");
    let settings = EdgeSettings::from_config(&config.edge).unwrap();
    assert_eq!(settings.limits, EdgeLimits::default());
    assert_eq!(settings.heartbeat_interval, Duration::from_mins(1));
    assert_eq!(settings.save_interval, Duration::from_secs(30));
    let web_sockets = &config.transport.wss;
    let mut wss = config.listeners.clone();
    for listener in &mut wss {
        let address = listener.address.as_mut().unwrap();
        address.value = "wss:0.0.0.0:3022".to_owned();
    }
    let listeners = EdgeListenerSettings::from_config(&wss, web_sockets).unwrap();
    assert_eq!(listeners[0].end_options, Options::default());
    assert_eq!(listeners[0].web_sockets, Some(WebSocketSettings::default()));
}
