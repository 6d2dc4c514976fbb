//! Missing sections, and requirements between sections.

use portcullis_yaml::{Diagnostics, Field, Section};

use crate::binding::Binding;
use crate::codes;
use crate::semantics::query::{entries, field_at, listeners, push_note, section_at, string_at};
use crate::table::LISTENERS;

const CONSEQUENCES: [(&str, &str); 4] = [
    (
        "dialers",
        "the router cannot terminate circuits at services (OpenZiti dials with default options)",
    ),
    (
        "edge",
        "the router serves the fabric only: no SDKs, no tunnels",
    ),
    (
        "link",
        "the router can neither dial other routers nor be dialed by them",
    ),
    ("listeners", "nothing outside the mesh can connect"),
];

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for (name, lost) in CONSEQUENCES {
        if root.get_non_null(name).is_none() {
            let message = format!("without `{name}` {lost}");
            push_note(
                diagnostics,
                codes::MISSING_SECTION,
                root.path().key(name),
                root.location(),
                message,
            );
        }
    }
    check_csr(root, diagnostics);
    check_endpoints(root, diagnostics);
    check_identity(root, diagnostics);
    check_edge(root, diagnostics);
    check_health(root, diagnostics);
    check_web_apis(root, diagnostics);
    check_web_sockets(root, diagnostics);
}

fn check_csr(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let (top, inner) = (root.get_non_null("csr"), field_at(root, &["edge", "csr"]));
    if top.is_none() && inner.as_ref().is_none_or(|field| field.node().is_null()) {
        let message = "without a `csr` the router can neither enroll nor renew its certificates, and \
                       OpenZiti does not load the file";
        diagnostics
            .warning(
                codes::MISSING_SECTION,
                &root.path().key("csr"),
                root.location(),
                message,
            )
            .help("add `csr: {sans: {dns: [router.example.test]}}`");
    }
    if let (Some(_), Some(inner)) = (&top, &inner) {
        let message = "`edge.csr` is not used, because `csr` at the top level wins";
        diagnostics
            .warning(codes::CONFLICT, inner.path(), inner.key_location(), message)
            .help("remove one of the two");
    }
    if let Some(csr) = top.or(inner).and_then(|field| field.as_section())
        && csr.get_non_null("sans").is_none()
        && !has_in_other_case(&csr, "sans")
    {
        let message = "without `sans` nobody can reach the router, and OpenZiti crashes";
        diagnostics.warning(
            codes::MISSING_KEY,
            &csr.path().key("sans"),
            csr.location(),
            message,
        );
    }
}

/// Whether a key exists in another case, which OpenZiti accepts in the `csr`.
fn has_in_other_case(section: &Section<'_>, name: &str) -> bool {
    let mut keys = section.map().iter().filter_map(|entry| entry.key.as_str());
    keys.any(|key| key != name && key.eq_ignore_ascii_case(name))
}

fn check_endpoints(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(ctrl) = section_at(root, &["ctrl"]) else {
        return;
    };
    match (ctrl.get("endpoint"), ctrl.get("endpoints")) {
        (None, None) => ctrl.report_missing("endpoint", "tls:ctrl.example.test:6262", diagnostics),
        (Some(_), Some(many)) => {
            let message = "`endpoints` is not used, because `endpoint` is set";
            diagnostics
                .warning(codes::CONFLICT, many.path(), many.key_location(), message)
                .help("keep one of the two");
        },
        (None, Some(many)) if many.node().as_list().is_some_and(<[_]>::is_empty) => {
            let message = "`ctrl.endpoints` must not be empty";
            diagnostics.error(
                codes::MISSING_KEY,
                many.path(),
                many.key_location(),
                message,
            );
        },
        _ => {},
    }
}

fn check_identity(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(identity) = section_at(root, &["identity"]) else {
        return;
    };
    let has_alternatives = identity
        .get("alt_server_certs")
        .and_then(|field| field.items())
        .is_some_and(|items| !items.is_empty());
    let without_server = if has_alternatives {
        "the router serves only `alt_server_certs`, and cannot store a renewed certificate"
    } else {
        "nobody can dial the router, and OpenZiti crashes at start"
    };
    for (name, lost) in [
        ("server_cert", without_server),
        ("ca", "the router trusts no controller"),
    ] {
        if identity.get(name).is_none() {
            let message = format!("without `{name}` {lost}");
            let path = identity.path().key(name);
            diagnostics
                .warning(codes::MISSING_KEY, &path, identity.location(), message)
                .help(format!("add `{name}: \"/etc/router/router.{name}\"`"));
        }
    }
    let relative = ["cert", "server_cert", "key", "ca"].iter().any(|name| {
        let path = string_at(&identity, name).unwrap_or_default();
        !path.is_empty()
            && !path.starts_with('/')
            && !path.contains(':')
            && !path.starts_with("-----")
    });
    if relative {
        let message =
            "relative paths start at the working directory of the process, not at this file";
        push_note(
            diagnostics,
            codes::GOOD_TO_KNOW,
            identity.path().clone(),
            identity.location(),
            message,
        );
    }
}

/// Whether all listeners have a known binding, so that none could be meant as an edge listener.
fn bindings_are_known(root: &Section<'_>) -> bool {
    let Some(field) = root.get("listeners") else {
        return true;
    };
    let is_clear = |item: &Field<'_>| {
        item.as_section()
            .and_then(|section| string_at(&section, "binding"))
            .is_some_and(|name| LISTENERS.iter().any(|variant| variant.binding == name))
    };
    field
        .items()
        .is_some_and(|items| items.iter().all(is_clear))
}

fn check_edge(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let has_edge = root.get_non_null("edge").is_some();
    let clients = listeners(root, &[Binding::Edge]);
    let tunnels = listeners(root, &[Binding::Tunnel]);
    if has_edge && clients.is_empty() && bindings_are_known(root) {
        let message = "an edge router needs a listener with `binding: edge`; OpenZiti requires one";
        diagnostics
            .warning(codes::MISSING_KEY, &root.path().key("listeners"), root.location(), message)
            .help("add `- {binding: edge, address: tls:0.0.0.0:3022, options: {advertise: router.example.test:3022}}`");
    }
    for listener in clients.iter().filter(|_| !has_edge) {
        let message = "a listener for clients requires the section `edge`";
        diagnostics
            .error(
                codes::CONFLICT,
                listener.path(),
                listener.location(),
                message,
            )
            .help("add `edge: {}`, or remove the listener");
    }
    for tunnel in &tunnels {
        if !has_edge {
            let message = "a tunnel is part of an edge router, but the section `edge` is missing";
            diagnostics.warning(codes::CONFLICT, tunnel.path(), tunnel.location(), message);
        }
        let message = "a tunnel works only if the controller knows the router as tunneler-enabled";
        push_note(
            diagnostics,
            codes::GOOD_TO_KNOW,
            tunnel.path().clone(),
            tunnel.location(),
            message,
        );
    }
}

fn check_health(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    if let Some(checks) = root.get_non_null("healthChecks")
        && root.get_non_null("web").is_none()
    {
        let message = "the checks are not reported anywhere without the section `web`";
        push_note(
            diagnostics,
            codes::UNREACHABLE,
            checks.path().clone(),
            checks.key_location(),
            message,
        )
        .help("add a `web` entry with the API `health-checks`");
    }
    let least = field_at(root, &["healthChecks", "linkCheck", "minLinks"]);
    let wants_links = least
        .as_ref()
        .and_then(|field| field.node().as_integer())
        .is_some_and(|n| n > 0);
    let has_links = ["listeners", "dialers"]
        .iter()
        .any(|name| !entries(root, &["link", name]).is_empty());
    if let Some(field) = least
        && wants_links
        && !has_links
    {
        let message = "without `link.listeners` or `link.dialers` there are no links, so the check always fails";
        diagnostics.warning(codes::CONFLICT, field.path(), field.location(), message);
    }
}

fn check_web_apis(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    for server in entries(root, &["web"]) {
        for api in entries(&server, &["apis"]) {
            if let Some(field) = api.get("binding")
                && field.node().as_str() == Some("metrics")
            {
                let message = "OpenZiti does not start with the API `metrics` in a router's file";
                diagnostics.warning(codes::ONLY_HERE, field.path(), field.location(), message);
            }
        }
    }
}

fn check_web_sockets(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(field) = field_at(root, &["transport", "wss"]) else {
        return;
    };
    let serves = entries(root, &["listeners"]).iter().any(|listener| {
        ["address", "bind"]
            .iter()
            .any(|name| string_at(listener, name).is_some_and(|a| a.starts_with("wss:")))
    });
    if !serves {
        let message = "`transport.wss` is not used, because no listener has an address with `wss:`";
        push_note(
            diagnostics,
            codes::UNUSED_KEY,
            field.path().clone(),
            field.key_location(),
            message,
        );
    }
}
