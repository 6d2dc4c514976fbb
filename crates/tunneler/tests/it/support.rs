//! A tunneler, and services for it.

use portcullis_channel::Moment;
use portcullis_tunneler::{Command, Event, InterceptOptions, Mode, Service, Tunneler};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::ZERO + Duration::from_secs(seconds)
}

pub(crate) fn intercepting() -> Tunneler {
    tunneler(Mode::Intercept(InterceptOptions::default()))
}

pub(crate) fn tunneler(mode: Mode) -> Tunneler {
    let identity = portcullis_tunnel_config::TunnelerIdentity {
        name: "gate".to_owned(),
        app_data: [("site".to_owned(), "north".to_owned())].into(),
    };
    Tunneler::new(identity, mode)
}

/// A service of this name that may be dialed.
pub(crate) fn dialed(name: &str, config_type: &str, config: Value) -> Service {
    Service {
        may_dial: true,
        configs: [(config_type.to_owned(), config)].into(),
        ..Service::new(name, name)
    }
}

/// A service of this name that may be hosted.
pub(crate) fn hosted(name: &str, config: Value) -> Service {
    Service {
        may_dial: false,
        may_host: true,
        ..dialed(name, "host.v1", config)
    }
}

/// An `intercept.v1` for TCP.
pub(crate) fn intercept(addresses: &[&str], ports: (u16, u16)) -> Value {
    json!({
        "protocols": ["tcp"],
        "addresses": addresses,
        "portRanges": [{"low": ports.0, "high": ports.1}],
    })
}

/// A `host.v1` of a server.
pub(crate) fn server(port: u16) -> Value {
    json!({"protocol": "tcp", "address": "127.0.0.1", "port": port})
}

pub(crate) fn commands(tunneler: &mut Tunneler) -> Vec<Command> {
    std::iter::from_fn(|| tunneler.poll_command()).collect()
}

/// Without the advice to check flows, which comes after each change of what is intercepted.
pub(crate) fn commands_but_checks(tunneler: &mut Tunneler) -> Vec<Command> {
    let mut commands = commands(tunneler);
    commands.retain(|command| *command != Command::CheckFlows);
    commands
}

pub(crate) fn events(tunneler: &mut Tunneler) -> Vec<Event> {
    std::iter::from_fn(|| tunneler.poll_event()).collect()
}

/// What it says, as sentences.
pub(crate) fn sentences(tunneler: &mut Tunneler) -> Vec<String> {
    let events = events(tunneler);
    events
        .iter()
        .map(|event| format!("{}: {}", event.service_name, event.fault))
        .collect()
}
