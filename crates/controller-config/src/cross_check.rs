//! Checks across sections.

use std::path::{Component, Path};

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::audit::AuditConfig;
use crate::codes;
use crate::ctrl::CtrlConfig;
use crate::edge::EdgeConfig;
use crate::events::{self, EventFileConfig, EventOutput, EventsConfig};
use crate::web::{ApiKind, WebApi, WebListener};

pub(crate) fn check(
    root: &Section<'_>,
    ctrl: Option<&CtrlConfig>,
    edge: Option<&EdgeConfig>,
    web: Option<&[WebListener]>,
    diagnostics: &mut Diagnostics,
) {
    let Some(web) = web else { return };
    if let Some(edge) = edge {
        check_client_address(root, &edge.api.address, web, diagnostics);
    }
    check_ports(root, web, diagnostics);
    if let Some(ctrl) = ctrl {
        check_control_port(root, &ctrl.listener.endpoint, web, diagnostics);
    }
    check_web_app_paths(root, web, diagnostics);
}

/// Each line of the audit file continues the one before it, so nothing else may be written there.
pub(crate) fn check_event_files(
    root: &Section<'_>,
    audit: Option<&AuditConfig>,
    events: Option<&EventsConfig>,
    diagnostics: &mut Diagnostics,
) {
    let (Some(audit), Some(events)) = (audit.and_then(|audit| audit.file.as_ref()), events) else {
        return;
    };
    for sink in &events.sinks {
        let EventOutput::File(EventFileConfig { path, .. }) = &sink.output else {
            continue;
        };
        let field = || {
            let handler = section_of(root, events::SECTION)
                .and_then(|section| section_of(&section, &sink.name))
                .and_then(|entry| section_of(&entry, events::HANDLER))?;
            handler.get("path")
        };
        if plain(path).eq(plain(audit))
            && let Some(field) = field()
        {
            field
                .error(
                    codes::FILE_TAKEN,
                    format!(
                        "`{}` is the file of the audit trail, `audit.file`",
                        field.path()
                    ),
                    diagnostics,
                )
                .help("give events a file of their own");
        }
    }
}

/// The parts of a path that lead anywhere.
fn plain(path: &Path) -> impl Iterator<Item = Component<'_>> {
    let leads = |part: &Component<'_>| *part != Component::CurDir;
    path.components().filter(leads)
}

/// `edge.api.address` is advertised to clients, so `edge-client` must be served there.
fn check_client_address(
    root: &Section<'_>,
    advertised: &HostPort,
    web: &[WebListener],
    diagnostics: &mut Diagnostics,
) {
    let served: Vec<&HostPort> = web
        .iter()
        .filter(|listener| listener.hosts(ApiKind::EdgeClient))
        .flat_map(|listener| listener.bind_points.iter().map(|point| &point.address))
        .collect();
    let same = |address: &&HostPort| {
        address.port == advertised.port && address.host.eq_ignore_ascii_case(&advertised.host)
    };
    if served.iter().any(same) {
        return;
    }
    let Some(field) = section_of(root, "edge")
        .and_then(|edge| section_of(&edge, "api"))
        .and_then(|api| api.get("address"))
    else {
        return;
    };
    let message =
        format!("no bind point of a listener with `edge-client` has the address `{advertised}`");
    let help = match served.as_slice() {
        [] => "add `- binding: edge-client` to the `apis` of a listener".to_owned(),
        [only] => format!("write `{only}`, or change the `address` of that bind point"),
        [first, ..] => format!("write the `address` of one of its bind points, such as `{first}`"),
    };
    field
        .error(codes::UNSERVED_ADDRESS, message, diagnostics)
        .help(help);
}

fn check_ports(root: &Section<'_>, web: &[WebListener], diagnostics: &mut Diagnostics) {
    let points = || web.iter().flat_map(|listener| &listener.bind_points);
    let fields = interface_fields(root);
    for (number, point) in points().enumerate() {
        let earlier = points()
            .take(number)
            .find(|earlier| ports_conflict(&earlier.interface, &point.interface));
        if let (Some(earlier), Some(field)) = (earlier, fields.get(number)) {
            let message = format!(
                "`{}` conflicts with the bind point at `{}`",
                point.interface, earlier.interface
            );
            field
                .error(codes::PORT_TAKEN, message, diagnostics)
                .help("give it another port, or remove one of the two");
        }
    }
}

/// Routers may share the port of a bind point that has the very same address.
fn check_control_port(
    root: &Section<'_>,
    listener: &HostPort,
    web: &[WebListener],
    diagnostics: &mut Diagnostics,
) {
    let mut interfaces = web
        .iter()
        .flat_map(|listener| &listener.bind_points)
        .map(|point| &point.interface);
    if interfaces.clone().any(|interface| interface == listener) {
        return;
    }
    let taken = interfaces.find(|interface| ports_conflict(interface, listener));
    let field = section_of(root, "ctrl").and_then(|ctrl| ctrl.get("listener"));
    if let (Some(taken), Some(field)) = (taken, field) {
        let message = format!("`{listener}` conflicts with the bind point at `{taken}`");
        let help = format!("write `tls:{taken}` to share its port, or give it another one");
        field
            .error(codes::PORT_TAKEN, message, diagnostics)
            .help(help);
    }
}

fn ports_conflict(left: &HostPort, right: &HostPort) -> bool {
    let any = |host: &str| matches!(host, "0.0.0.0" | "::");
    left.port == right.port
        && (left.host.eq_ignore_ascii_case(&right.host) || any(&left.host) || any(&right.host))
}

/// Of two web applications with one path, the second would never be served.
fn check_web_app_paths(root: &Section<'_>, web: &[WebListener], diagnostics: &mut Diagnostics) {
    let listeners = items(root, "web");
    for (listener, field) in web.iter().zip(&listeners) {
        let Some(section) = field.section(&mut Diagnostics::default()) else {
            continue;
        };
        let mut taken = Vec::new();
        for (api, field) in listener.apis.iter().zip(items(&section, "apis")) {
            let WebApi::Spa(app) = api else { continue };
            if taken.contains(&&app.path) {
                let message = format!(
                    "`/{}` is the path of an earlier web application of this listener",
                    app.path
                );
                path_of_web_app(field)
                    .error(codes::PATH_TAKEN, message, diagnostics)
                    .help("give it another `path`, or remove one of the two");
            }
            taken.push(&app.path);
        }
    }
}

/// The `path` of a web application, or the entry itself if its path is the default.
fn path_of_web_app(item: Field<'_>) -> Field<'_> {
    let section = item.section(&mut Diagnostics::default());
    let options = section.and_then(|section| section_of(&section, "options"));
    options
        .and_then(|options| options.get_non_null("path"))
        .unwrap_or(item)
}

fn items<'tree>(section: &Section<'tree>, name: &str) -> Vec<Field<'tree>> {
    section
        .get(name)
        .and_then(|field| field.list(&mut Diagnostics::default()))
        .unwrap_or_default()
}

/// Finds the `interface` of every bind point in the order of the model, which is that of the file.
fn interface_fields<'tree>(root: &Section<'tree>) -> Vec<Field<'tree>> {
    let quiet = &mut Diagnostics::default();
    let listeners = root
        .get("web")
        .and_then(|field| field.list(quiet))
        .unwrap_or_default();
    let mut fields = Vec::new();
    for listener in &listeners {
        let points = listener
            .section(quiet)
            .and_then(|section| section.get("bindPoints"));
        for point in points
            .and_then(|field| field.list(quiet))
            .unwrap_or_default()
        {
            fields.extend(
                point
                    .section(quiet)
                    .and_then(|section| section.get("interface")),
            );
        }
    }
    fields
}

fn section_of<'tree>(section: &Section<'tree>, name: &str) -> Option<Section<'tree>> {
    section.get(name)?.section(&mut Diagnostics::default())
}
