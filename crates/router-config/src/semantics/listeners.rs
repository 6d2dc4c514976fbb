//! Constraints on listeners, dialers and web servers.

use std::collections::HashMap;

use portcullis_yaml::{Diagnostics, Field, Section};

use crate::binding::Binding;
use crate::codes;
use crate::semantics::query::{entries, listeners, push_note, string_at};

/// Options of the tunnel that only one mode reads.
const OPTION_MODES: [(&str, &str); 6] = [
    ("resolver", "tproxy"),
    ("dnsSvcIpRange", "tproxy"),
    ("dnsUpstream", "tproxy"),
    ("dnsUpstreamMode", "tproxy"),
    ("lanIf", "tproxy"),
    ("services", "proxy"),
];

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for dialer in entries(root, &["dialers"]) {
        note_unused_dialer(&dialer, diagnostics);
    }
    for listener in listeners(root, &[Binding::Edge]) {
        check_advertise(&listener, diagnostics);
    }
    let tunnels = listeners(root, &[Binding::Tunnel]);
    for tunnel in &tunnels {
        check_tunnel_mode(tunnel, diagnostics);
        check_tunnel_options(tunnel, diagnostics);
    }
    warn_replaced(&tunnels, diagnostics);
    warn_replaced(&entries(root, &["dialers"]), diagnostics);
    for server in entries(root, &["web"]) {
        check_bind_points(&server, diagnostics);
    }
}

/// Notes bindings with which nothing is dialed.
fn note_unused_dialer(dialer: &Section<'_>, diagnostics: &mut Diagnostics) {
    if let Some(field) = dialer.get("binding")
        && let Some(binding @ (Binding::Proxy | Binding::ProxyUdp | Binding::Udp)) =
            field.node().as_str().and_then(Binding::from_name)
    {
        let name = binding.name();
        let message = format!("OpenZiti dials nothing with the binding `{name}`");
        push_note(
            diagnostics,
            codes::UNUSED_KEY,
            field.path().clone(),
            field.location(),
            message,
        );
    }
}

/// Requires an advertised address, under `options` or beside it.
fn check_advertise(listener: &Section<'_>, diagnostics: &mut Diagnostics) {
    let options = listener.get("options");
    let inner = options.as_ref().and_then(Field::as_section);
    let beside = listener.get("advertise");
    let under = inner.as_ref().and_then(|options| options.get("advertise"));
    match (beside, under, inner) {
        (None, None, Some(options)) => {
            options.report_missing("advertise", "router.example.test:3022", diagnostics);
        },
        (None, None, None) if options.as_ref().is_none_or(|field| field.node().is_null()) => {
            listener.report_missing(
                "options",
                "{advertise: router.example.test:3022}",
                diagnostics,
            );
        },
        _ => {},
    }
}

/// Warns about all but the last entry with a binding, since only the last is used.
fn warn_replaced(sections: &[Section<'_>], diagnostics: &mut Diagnostics) {
    let mut later: HashMap<&str, &Section<'_>> = HashMap::new();
    for section in sections.iter().rev() {
        let Some(binding) = string_at(section, "binding") else {
            continue;
        };
        let Some(last) = later.get(binding) else {
            later.insert(binding, section);
            continue;
        };
        let message = format!(
            "`{}` is not used: `{}` has the same binding `{binding}`, and the last one wins",
            section.path(),
            last.path()
        );
        diagnostics
            .warning(codes::CONFLICT, section.path(), section.location(), message)
            .help("remove one of the two");
    }
}

fn check_tunnel_mode(tunnel: &Section<'_>, diagnostics: &mut Diagnostics) {
    let options = tunnel.get_non_null("options");
    let section = options.as_ref().map(Field::as_section);
    let place = match section {
        None => tunnel.location(),
        Some(Some(ref section)) if section.get("mode").is_none() => section.location(),
        Some(_) => return,
    };
    let message = "without a mode OpenZiti uses `tproxy`, while the specification says `host`";
    let path = tunnel.path().key("options").key("mode");
    let options = section.flatten();
    let is_given = |name| options.as_ref().is_some_and(|o| o.get(name).is_some());
    let help = match OPTION_MODES.iter().find(|(name, _)| is_given(name)) {
        Some((name, mode)) => format!("write `mode: {mode}`; without it `{name}` is not read"),
        None => "set the mode".to_owned(),
    };
    diagnostics
        .warning(codes::SUSPICIOUS, &path, place, message)
        .help(help);
}

fn check_tunnel_options(tunnel: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(options) = tunnel.get("options").and_then(|field| field.as_section()) else {
        return;
    };
    // A missing mode has been reported.
    let Some(given) = string_at(&options, "mode") else {
        return;
    };
    let mode = given.split(':').next().unwrap_or_default();
    for (name, only) in OPTION_MODES {
        if let Some(field) = options.get(name)
            && mode != only
        {
            let message = format!("`{name}` is read only in mode `{only}`, not in mode `{mode}`");
            diagnostics
                .warning(
                    codes::UNUSED_KEY,
                    field.path(),
                    field.key_location(),
                    message,
                )
                .help(format!("write `mode: {only}`, or remove `{name}`"));
        }
    }
    if mode == "proxy" && options.get("services").is_none() {
        let message = "in mode `proxy` without `services` nothing is proxied";
        diagnostics
            .warning(
                codes::MISSING_KEY,
                &options.path().key("services"),
                options.location(),
                message,
            )
            .help("add `services: [\"echo:8000\"]`");
    }
}

fn check_bind_points(server: &Section<'_>, diagnostics: &mut Diagnostics) {
    for name in ["bindPoints", "apis"] {
        if let Some(field) = server.get(name)
            && field.node().as_list().is_some_and(<[_]>::is_empty)
        {
            let message = format!("`{}` must not be empty", field.path());
            diagnostics.error(
                codes::INVALID_VALUE,
                field.path(),
                field.key_location(),
                message,
            );
        }
    }
    for point in entries(server, &["bindPoints"]) {
        if point.get_non_null("identity").is_some() {
            continue;
        }
        for (name, form) in [
            ("interface", "0.0.0.0:8081"),
            ("address", "router.example.test:8081"),
        ] {
            if point.get(name).is_none() {
                point.report_missing(name, form, diagnostics);
            }
        }
    }
}
