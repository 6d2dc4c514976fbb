//! Section `web`.

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::{Stage, Verdict};
use crate::network::SocketOwner;
use crate::openziti::address::parse_listen_address;
use crate::openziti::channel::record;
use crate::openziti::identity;
use crate::openziti::loader::Loader;
use crate::table::{OnMistake, ReadMode, WEB, WEB_OPTIONS};

const VERSIONS: [(&str, u16); 4] = [
    ("TLS1.0", 769),
    ("TLS1.1", 770),
    ("TLS1.2", 771),
    ("TLS1.3", 772),
];

/// Reads the servers and returns the bind points that they open when they run.
pub(super) fn start<'tree>(loader: &mut Loader<'_>, root: &Section<'tree>) -> Vec<Section<'tree>> {
    let Some(field) = root.get("web") else {
        return vec![];
    };
    let Some(items) = loader.list(&field) else {
        return vec![];
    };
    let before = loader.effective.clone();
    let known = loader.findings.len();
    for (index, item) in items.iter().enumerate() {
        if let Some(section) = loader.section(item, OnMistake::Refuse) {
            server(loader, &section, &format!("web[{index}]"));
        }
    }
    if loader.findings.len() != known {
        loader.effective = before;
        return vec![];
    }
    items
        .iter()
        .filter_map(Field::as_section)
        .flat_map(|section| points(&section))
        .collect()
}

/// Opens the bind points in the background, when links and listeners have taken their ports.
pub(super) fn run(loader: &mut Loader<'_>, points: &[Section<'_>]) {
    for point in points {
        open(loader, point);
    }
}

fn points<'tree>(section: &Section<'tree>) -> Vec<Section<'tree>> {
    let items = section
        .get("bindPoints")
        .and_then(|field| field.items())
        .unwrap_or_default();
    items.iter().filter_map(Field::as_section).collect()
}

fn open(loader: &mut Loader<'_>, point: &Section<'_>) {
    let field = point
        .get("interface")
        .filter(|_| point.get_non_null("identity").is_none());
    let place = field
        .as_ref()
        .and_then(|field| parse_host_port(field.node().as_str()?));
    if let (Some(field), Some(place)) = (field, place) {
        if field
            .node()
            .as_str()
            .is_some_and(|text| text.trim() != text)
        {
            // They are not trimmed when it is opened.
            let message = "there are spaces before or after the address";
            return loader.with_stage(Stage::Run, |loader| {
                loader.crash(&field, codes::INVALID_VALUE, message);
            });
        }
        loader.listen_at(&field, "tls", &place, SocketOwner::Web);
    }
}

fn server(loader: &mut Loader<'_>, section: &Section<'_>, prefix: &str) {
    loader.named(Some(section), WEB, &["name"], prefix);
    apis(loader, section, prefix);
    bind_points(loader, section, prefix);
    if let Some(field) = section.get("identity") {
        check_own_identity(loader, &field);
    }
    let options = section.get("options").and_then(|field| field.as_section());
    let prefix = format!("{prefix}.options");
    timeouts(loader, options.as_ref(), &prefix);
    versions(loader, options.as_ref(), &prefix);
}

/// Reads a list of maps that must not be empty.
fn list<'tree>(
    loader: &mut Loader<'_>,
    section: &Section<'tree>,
    name: &str,
) -> Vec<Section<'tree>> {
    let Some(field) = section.get(name) else {
        loader.missing(section, name, Verdict::Refuse);
        return vec![];
    };
    if field.items().is_some_and(|items| items.is_empty()) {
        let message = format!("`{}` must not be empty", field.path());
        loader.refuse(&field, codes::INVALID_VALUE, message);
    }
    loader.sections(&field)
}

fn apis(loader: &mut Loader<'_>, section: &Section<'_>, prefix: &str) {
    let mut names: Vec<Json> = Vec::new();
    for api in list(loader, section, "apis") {
        match api.get("binding") {
            None => loader.missing(&api, "binding", Verdict::Refuse),
            Some(field) => match loader.text(&field, OnMistake::Refuse) {
                Some("health-checks") => names.push(json!("health-checks")),
                Some(other) => {
                    let message =
                        format!("a router does not serve the API `{other}`, only `health-checks`");
                    loader.refuse(&field, codes::INVALID_VALUE, message);
                },
                None => {},
            },
        }
        if let Some(field) = api.get("options") {
            loader.section(&field, OnMistake::Refuse);
        }
    }
    record(
        loader,
        format!("{prefix}.apis"),
        names.into(),
        section.get("apis").as_ref(),
    );
}

fn bind_points(loader: &mut Loader<'_>, section: &Section<'_>, prefix: &str) {
    for (index, point) in list(loader, section, "bindPoints").iter().enumerate() {
        let prefix = format!("{prefix}.bindPoints[{index}]");
        if let Some(field) = point.get_non_null("identity") {
            overlay(loader, &field);
            continue;
        }
        loader
            .effective
            .set_default(&format!("{prefix}.allowLegacyAddress"), true);
        for (name, shown, required) in [
            ("interface", "interfaceAddress", true),
            ("address", "address", true),
            ("newAddress", "newAddress", false),
        ] {
            let field = point.get(name);
            let text = field
                .as_ref()
                .and_then(|field| field.node().as_str())
                .unwrap_or_default();
            record(
                loader,
                format!("{prefix}.{shown}"),
                json!(text),
                field.as_ref(),
            );
            if (required || !text.is_empty()) && !is_host_port(text) {
                match &field {
                    Some(field) => {
                        let message = format!(
                            "`{}` must be a host with a port from 1 to 65535",
                            field.path()
                        );
                        loader.refuse(field, codes::INVALID_VALUE, message);
                    },
                    None => loader.missing(point, name, Verdict::Refuse),
                }
            }
        }
    }
}

fn is_host_port(text: &str) -> bool {
    parse_host_port(text).is_some_and(|place| !place.host.is_empty() && place.port > 0)
}

/// Surrounding whitespace is ignored when the address is checked.
fn parse_host_port(text: &str) -> Option<HostPort> {
    parse_listen_address(text.trim()).ok()
}

/// Checks a bind point on the overlay network, whose identity is read at once.
fn overlay(loader: &mut Loader<'_>, field: &Field<'_>) {
    let Some(section) = loader.section(field, OnMistake::Refuse) else {
        return;
    };
    let named = |name: &str| {
        section
            .get(name)
            .is_some_and(|field| field.node().as_str().is_some())
    };
    if !named("file") && !named("env") {
        loader.missing(&section, "file", Verdict::Refuse);
    }
    if !named("service") {
        loader.missing(&section, "service", Verdict::Refuse);
    }
    if let Some(field) = section.get("listenOptions") {
        loader.section(&field, OnMistake::Crash);
    }
}

/// OpenZiti loses the error about a value of the wrong type and crashes.
fn check_own_identity(loader: &mut Loader<'_>, field: &Field<'_>) {
    let Some(section) = loader.section(field, OnMistake::Refuse) else {
        return;
    };
    let known = loader.findings.len();
    let mut shadow = Loader::new(loader.machine);
    identity::parse(&mut shadow, &section);
    for finding in shadow.findings {
        loader.push(finding.diagnostic, Verdict::Crash);
    }
    for name in ["cert", "server_cert", "key", "ca"] {
        match section.get(name) {
            None => loader.missing(&section, name, Verdict::Refuse),
            Some(field) if field.node().as_str() == Some("") => {
                loader.refuse(&field, codes::INVALID_VALUE, "this must not be empty");
            },
            Some(_) => {},
        }
    }
    if loader.findings.len() == known {
        identity::check_material(loader, &section);
    }
}

/// Reads the timeouts, whose type is checked before they are parsed.
fn timeouts(loader: &mut Loader<'_>, options: Option<&Section<'_>>, prefix: &str) {
    for key in WEB_OPTIONS {
        let field = options.and_then(|options| options.get(key.name));
        if key.openziti.mode == ReadMode::Duration
            && field.is_none_or(|field| loader.text(&field, OnMistake::Refuse).is_some())
        {
            loader.key(options, key, prefix);
        }
    }
}

fn versions(loader: &mut Loader<'_>, options: Option<&Section<'_>>, prefix: &str) {
    let mut numbers = Vec::new();
    for (name, default) in [("minTLSVersion", 771), ("maxTLSVersion", 772)] {
        let path = format!("{prefix}.{name}");
        let field = options.and_then(|options| options.get(name));
        let text = match &field {
            Some(field) => loader.text(field, OnMistake::Refuse),
            None => Some(""),
        };
        let Some(text) = text else { continue };
        let number = match &field {
            None => default,
            Some(field) => {
                if let Some((_, number)) = VERSIONS.iter().find(|(version, _)| *version == text) {
                    *number
                } else {
                    let message =
                        format!("`{text}` is not a TLS version; write one such as `TLS1.2`");
                    loader.refuse(field, codes::INVALID_VALUE, message);
                    continue;
                }
            },
        };
        record(loader, path.clone(), json!(number), field.as_ref());
        record(loader, format!("{path}Str"), json!(text), field.as_ref());
        numbers.push((number, field));
    }
    if let [(least, least_field), (most, most_field)] = numbers.as_slice()
        && least > most
        && let Some(field) = least_field.as_ref().or(most_field.as_ref())
    {
        let message = "the minimum TLS version is above the maximum";
        loader.refuse(field, codes::CONFLICT, message);
    }
}
