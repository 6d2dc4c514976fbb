//! What other routers do and this one does not.

use portcullis_router_config::model::{Listener, RouterConfig, SourcedValue};
use portcullis_router_config::{Binding, Diagnostic, Finding, KeyPath, Severity, Source};
use portcullis_yaml::SourceLocation;
use portcullis_yaml::syntax::HostPort;

use crate::ingress::{IngressError, ingress_settings};
use crate::links::parse_address;

/// The router has no such listener.
const UNSUPPORTED: &str = "unsupported";

/// Why an entry cannot be served, and what to do about it.
struct Reason {
    key: &'static str,
    message: String,
    help: &'static str,
}

/// Refuses listeners that this router cannot open: one that left them out would seem to work, and be reached
/// by nobody.
pub(crate) fn unsupported_entries(config: &RouterConfig) -> Vec<Finding> {
    let root = KeyPath::root();
    let mut findings = Vec::new();
    for (index, entry) in config.listeners.iter().enumerate() {
        let section = root.key("listeners").index(index);
        let source = |key| match key {
            "binding" => entry.binding.as_ref(),
            _ => entry.address.as_ref(),
        };
        if let Some(reason) = reason(entry) {
            let place = place_of(source(reason.key));
            findings.push(finding(section.key(reason.key), place, reason));
        }
    }
    let links = config.link.listeners.iter().enumerate();
    for (index, bind) in links.filter_map(|(index, entry)| Some((index, entry.bind.as_ref()?))) {
        if parse_address(&bind.value).is_none() {
            let reason = Reason {
                key: "bind",
                message: "the links of this router use TLS over TCP only".to_owned(),
                help: "write an address such as `tls:0.0.0.0:10080`",
            };
            let section = root.key("link").key("listeners").index(index);
            findings.push(finding(
                section.key(reason.key),
                place_of(Some(bind)),
                reason,
            ));
        }
    }
    findings
}

fn reason(entry: &Listener) -> Option<Reason> {
    match Binding::from_name(&entry.binding.as_ref()?.value) {
        Some(Binding::Tunnel) => Some(Reason {
            key: "binding",
            message: "this router has no tunnel yet".to_owned(),
            help: "remove the listener, and run a tunneler beside the router; `portcullis-router config \
                   generate edge` writes a file without it",
        }),
        Some(Binding::Edge) => {
            let address = &entry.address.as_ref()?.value;
            let place = address
                .split_once(':')
                .filter(|(protocol, _)| ["tls", "wss"].contains(protocol));
            let is_place = place.is_some_and(|(_, place)| place.parse::<HostPort>().is_ok());
            (!is_place).then(|| Reason {
                key: "address",
                message: "this router lets SDKs in by TLS and by WebSockets over TLS".to_owned(),
                help: "write an address such as `tls:0.0.0.0:3022` or `wss:0.0.0.0:443`",
            })
        },
        _ => match ingress_settings(std::slice::from_ref(entry)) {
            Err(IngressError::Address { error, .. }) => Some(Reason {
                key: "address",
                message: error.to_string(),
                help: "`portcullis-router config explain listeners` says which addresses there are",
            }),
            Err(IngressError::Incomplete(_) | IngressError::Tunnel { .. }) | Ok(_) => None,
        },
    }
}

fn place_of<T>(value: Option<&SourcedValue<T>>) -> SourceLocation {
    match value.map(|value| &value.source) {
        Some(Source::File(place) | Source::Environment(place, _)) => *place,
        Some(Source::Default | Source::Derived(_)) | None => SourceLocation::default(),
    }
}

fn finding(path: KeyPath, place: SourceLocation, reason: Reason) -> Finding {
    let Reason { message, help, .. } = reason;
    let mut diagnostic = Diagnostic::new(Severity::Error, UNSUPPORTED, path, place, message);
    diagnostic.help(help);
    Finding {
        diagnostic,
        effect: None,
    }
}
