//! What other routers do and this one does not.

use portcullis_router_config::model::{Identity, Listener, RouterConfig, SourcedValue};
use portcullis_router_config::{
    Binding, Diagnostic, Finding, KeyPath, PemSource, Severity, Source, parse_pem_source,
};
use portcullis_yaml::SourceLocation;
use portcullis_yaml::syntax::HostPort;

use crate::address::PacketAddress;
use crate::control::ControlAddress;
use crate::ingress::{Entrance, IngressError, IngressSettings, ingress_settings};
use crate::links::parse_address;
use crate::tunnel::{TunnelError, TunnelSettings};

/// The code of findings about what this router cannot do.
pub const UNSUPPORTED: &str = "unsupported";

/// Why an entry cannot be served, and what to do about it.
struct Reason {
    severity: Severity,
    key: &'static str,
    message: String,
    help: &'static str,
}

/// Refuses what this router cannot do: one that left out a listener would seem to work, and be reached by
/// nobody, and one that cannot use any address of a controller or a key does not start. What leaves it able to
/// do the rest is a warning.
pub(crate) fn unsupported_entries(config: &RouterConfig) -> Vec<Finding> {
    let mut findings = controllers(config);
    findings.extend(identity_keys(
        &config.identity,
        &KeyPath::root().key("identity"),
    ));
    for (index, server) in config.web.iter().enumerate() {
        let section = KeyPath::root().key("web").index(index).key("identity");
        findings.extend(identity_keys(&server.identity, &section));
    }
    findings.extend(listeners(config));
    findings.extend(tunnel(config));
    findings.extend(links(config));
    findings
}

fn controllers(config: &RouterConfig) -> Vec<Finding> {
    let ctrl = &config.ctrl;
    let one = ctrl.endpoint.as_ref();
    let one = one.map(|one| ("endpoint", &one.value, place_of(Some(one))));
    let many = ctrl.endpoints.iter();
    let many = many.flat_map(|many| {
        let place = place_of(Some(many));
        many.value.iter().map(move |one| ("endpoints", one, place))
    });
    let addresses: Vec<_> = one.into_iter().chain(many).collect();
    let is_usable = |text: &String| text.parse::<ControlAddress>().is_ok();
    let severity = if addresses.iter().any(|(_, text, _)| is_usable(text)) {
        Severity::Warning
    } else {
        Severity::Error
    };
    let section = KeyPath::root().key("ctrl");
    let refused = addresses.into_iter().filter(|(_, text, _)| {
        // Port 0 is warned about as it is.
        !is_usable(text) && parse_address(text).is_none()
    });
    let findings = refused.map(|(key, text, place)| {
        let reason = Reason {
            severity,
            key,
            message: format!("`{text}`: this router reaches controllers by TLS over TCP only"),
            help: "write an address such as `tls:ctrl.example.com:6262`",
        };
        finding(section.key(key), place, reason)
    });
    findings.collect()
}

/// Keys in hardware, of a section `identity` and its `alt_server_certs`.
fn identity_keys(identity: &Identity, section: &KeyPath) -> Vec<Finding> {
    let own = [("key", &identity.key), ("server_key", &identity.server_key)];
    let own = own.map(|(name, value)| (section.key(name), name, value));
    let alternatives = identity.alt_server_certs.iter().enumerate();
    let alternatives = alternatives.map(|(index, entry)| {
        let section = section.key("alt_server_certs").index(index);
        (section.key("server_key"), "server_key", &entry.server_key)
    });
    let keys = own.into_iter().chain(alternatives);
    let findings = keys.filter_map(|(path, key, value)| {
        let value = value.as_ref()?;
        let PemSource::UnsupportedScheme(scheme) = parse_pem_source(&value.value) else {
            return None;
        };
        let reason = Reason {
            severity: Severity::Error,
            key,
            message: format!("`{scheme}:`: this router has its keys in files, not in hardware"),
            help: "write the path of a file; `portcullis-router enroll` makes the key",
        };
        Some(finding(path, place_of(Some(value)), reason))
    });
    findings.collect()
}

fn listeners(config: &RouterConfig) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, entry) in config.listeners.iter().enumerate() {
        let section = KeyPath::root().key("listeners").index(index);
        let source = |key| match key {
            "binding" => entry.binding.as_ref(),
            _ => entry.address.as_ref(),
        };
        if let Some(reason) = reason(entry) {
            let place = place_of(source(reason.key));
            findings.push(finding(section.key(reason.key), place, reason));
        }
    }
    findings
}

/// The entry of the tunneler, if it asks for what this router cannot do.
fn tunnel(config: &RouterConfig) -> Option<Finding> {
    let settings = TunnelSettings::from_config(&config.listeners, &config.dialers);
    let error = settings.err()?;
    let (entry, key, help) = match &error {
        TunnelError::Diverter { entry, .. } => (*entry, "mode", "write `tproxy`"),
        TunnelError::Option { entry, key, .. } => (
            *entry,
            *key,
            "`portcullis router-config explain listeners[tunnel].options` says what each option may be",
        ),
        TunnelError::Incomplete(_) | TunnelError::NoEdge { .. } => return None,
    };
    let given = config.listeners.get(entry)?;
    let place = match key {
        "mode" => place_of(given.mode.as_ref()),
        "dnsUpstream" => place_of(given.dns_upstream.as_ref()),
        "dnsUpstreamMode" => place_of(given.dns_upstream_mode.as_ref()),
        "dnsUnanswerable" => place_of(given.dns_unanswerable.as_ref()),
        _ => place_of(given.dns_svc_ip_range.as_ref()),
    };
    let section = KeyPath::root().key("listeners").index(entry).key("options");
    let reason = Reason {
        severity: Severity::Error,
        key,
        message: error.to_string(),
        help,
    };
    Some(finding(section.key(reason.key), place, reason))
}

fn links(config: &RouterConfig) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, entry) in config.link.listeners.iter().enumerate() {
        let section = KeyPath::root().key("link").key("listeners").index(index);
        for (key, value) in [("bind", &entry.bind), ("advertise", &entry.advertise)] {
            let Some(value) = value else { continue };
            let reason = match key {
                "bind" if parse_address(&value.value).is_none() => Reason {
                    severity: Severity::Error,
                    key,
                    message: "the links of this router use TLS over TCP only".to_owned(),
                    help: "write an address such as `tls:0.0.0.0:10080`",
                },
                // One without a protocol is warned about as it is.
                "advertise" if has_other_protocol(&value.value) => Reason {
                    severity: Severity::Warning,
                    key,
                    message: "the links of this router use TLS over TCP only, so none of its kind dials it here"
                        .to_owned(),
                    help: "write an address such as `tls:r1.example.com:10080`",
                },
                _ => continue,
            };
            findings.push(finding(section.key(key), place_of(Some(value)), reason));
        }
    }
    findings
}

fn has_other_protocol(address: &str) -> bool {
    let place = address.split_once(':').map(|(_, place)| place);
    let has_protocol = place.is_some_and(|place| place.parse::<HostPort>().is_ok());
    has_protocol && parse_address(address).is_none()
}

fn reason(entry: &Listener) -> Option<Reason> {
    match Binding::from_name(&entry.binding.as_ref()?.value) {
        Some(Binding::Edge) => {
            let address = &entry.address.as_ref()?.value;
            let place = address
                .split_once(':')
                .filter(|(protocol, _)| ["tls", "wss"].contains(protocol));
            let is_place = place.is_some_and(|(_, place)| place.parse::<HostPort>().is_ok());
            (!is_place).then(|| Reason {
                severity: Severity::Error,
                key: "address",
                message: "this router lets SDKs in by TLS and by WebSockets over TLS".to_owned(),
                help: "write an address such as `tls:0.0.0.0:3022` or `wss:0.0.0.0:443`",
            })
        },
        _ => match ingress_settings(std::slice::from_ref(entry)) {
            Err(IngressError::Address { error, .. }) => Some(Reason {
                severity: Severity::Error,
                key: "address",
                message: error.to_string(),
                help: "`portcullis-router config explain listeners` says which addresses there are",
            }),
            Ok(settings) if settings.iter().any(is_unix) => Some(Reason {
                severity: Severity::Error,
                key: "address",
                message: "this router does not listen for datagrams in the file system".to_owned(),
                help: "write an address such as `udp:127.0.0.1:5000`",
            }),
            Err(IngressError::Incomplete(_)) | Ok(_) => None,
        },
    }
}

fn is_unix(settings: &IngressSettings) -> bool {
    match &settings.entrance {
        Entrance::Packets(door) => matches!(door.address, PacketAddress::Unix(_)),
        Entrance::Streams(_) => false,
    }
}

fn place_of<T>(value: Option<&SourcedValue<T>>) -> SourceLocation {
    match value.map(|value| &value.source) {
        Some(Source::File(place) | Source::Environment(place, _)) => *place,
        Some(Source::Default | Source::Derived(_)) | None => SourceLocation::default(),
    }
}

fn finding(path: KeyPath, place: SourceLocation, reason: Reason) -> Finding {
    let Reason {
        severity,
        message,
        help,
        ..
    } = reason;
    let mut diagnostic = Diagnostic::new(severity, UNSUPPORTED, path, place, message);
    diagnostic.help(help);
    Finding {
        diagnostic,
        effect: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    #[test]
    fn what_would_stop_the_router_has_its_place() {
        for (text, path, line) in [
            (
                "ctrl:\n  endpoint: wss:localhost:6262\n",
                "ctrl.endpoint",
                2,
            ),
            ("identity:\n  key: pkcs11:x\n", "identity.key", 2),
            (
                "identity:\n  alt_server_certs:\n  - {server_cert: a, server_key: pkcs11:x}\n",
                "identity.alt_server_certs[0].server_key",
                3,
            ),
            (
                "web:\n- identity: {key: pkcs11:x}\n",
                "web[0].identity.key",
                2,
            ),
            (
                "listeners:\n- {binding: proxy_udp, address: 'unixgram:/a', service: s}\n",
                "listeners[0].address",
                2,
            ),
            (
                "link:\n  listeners:\n  - {binding: transport, bind: 'tcp:0.0.0.0:1', advertise: 'tls:r:1'}\n",
                "link.listeners[0].bind",
                3,
            ),
        ] {
            assert_is_found(text, path, line, Severity::Error);
        }
    }

    #[test]
    fn what_leaves_the_router_able_to_do_the_rest_is_warned_about() {
        for (text, path, line) in [
            (
                "ctrl:\n  endpoints: [tls:localhost:6262, tcp:localhost:6262]\n",
                "ctrl.endpoints",
                2,
            ),
            (
                "link:\n  listeners:\n  - {binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tcp:r:1'}\n",
                "link.listeners[0].advertise",
                3,
            ),
        ] {
            assert_is_found(text, path, line, Severity::Warning);
        }
    }

    #[test]
    fn tunneler_that_cannot_run_is_refused() {
        for (options, path) in [
            ("{mode: 'tproxy:/bin/divert'}", "listeners[1].options.mode"),
            (
                "{mode: tproxy, dnsUpstream: 'udp://dns.example:53'}",
                "listeners[1].options.dnsUpstream",
            ),
        ] {
            let text = format!(
                "listeners:\n- {{binding: edge, address: 'tls:0.0.0.0:1'}}\n- {{binding: tunnel, options: {options}}}\n"
            );
            assert_is_found(&text, path, 3, Severity::Error);
        }
        for options in [
            "{mode: host}",
            "{mode: tproxy}",
            "{mode: proxy, services: ['wiki:80:udp']}",
        ] {
            let text = format!("listeners: [{{binding: tunnel, options: {options}}}]\n");
            assert_eq!(findings_of(&text).len(), 0, "{options}");
        }
    }

    fn assert_is_found(text: &str, path: &str, line: u32, severity: Severity) {
        let found = findings_of(text);
        let [Finding { diagnostic, .. }] = &found[..] else {
            panic!("{text}: {found:?}");
        };
        assert_eq!(diagnostic.path.dotted(), path);
        assert_eq!(diagnostic.line, line, "{text}");
        assert_eq!(diagnostic.severity, severity, "{text}");
    }

    #[test]
    fn what_the_router_can_do_is_not_refused() {
        let text = "ctrl: {endpoints: ['tls:localhost:6262', 'tls:[::1]:6262', 'tls:localhost:0']}
identity: {key: r1.key, server_key: 'pem:x'}
link:
  listeners:
  - {binding: transport, bind: 'tls:0.0.0.0:1', advertise: 'tls:r1.example.test:1'}
  - {binding: transport, bind: 'tls:0.0.0.0:2', advertise: 'r1.example.test:2'}
  - {binding: transport, bind: 'tls:[::]:3', advertise: 'tls:[2001:db8::1]:3'}
  - {binding: transport, bind: 'tls:[::]:4', advertise: '[2001:db8::1]:4'}
listeners: [{binding: proxy_udp, address: 'udp:127.0.0.1:1', service: s}]
";
        assert_eq!(findings_of(text).len(), 0);
    }

    fn findings_of(text: &str) -> Vec<Finding> {
        let file = SourceFile::new("router.yml", text.as_bytes());
        unsupported_entries(&load(&file, &CheckOptions::new()).config)
    }
}
