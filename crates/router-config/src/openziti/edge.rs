//! The certificate request and `edge`.

use std::net::IpAddr;

use portcullis_yaml::{Field, KeyPath, Section, Segment};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::effective::Source;
use crate::finding::Verdict;
use crate::openziti::address::listenable;
use crate::openziti::loader::Loader;
use crate::openziti::network::Owner;
use crate::openziti::{listeners, value};
use crate::table::{EDGE, Wrong};
use crate::uri;

const SUBJECT: [&str; 5] = [
    "country",
    "locality",
    "organization",
    "organizationalUnit",
    "province",
];
const REQUEST: [&str; 6] = [
    "country",
    "locality",
    "organization",
    "organizationalUnit",
    "province",
    "sans",
];
const SANS: [&str; 4] = ["dns", "ip", "email", "uri"];

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>, file: &str) {
    csr(loader, root);
    loader.effective.fill("edge.enabled", false);
    loader
        .effective
        .fill("edge.db", format!("{}.proto.gzip", file.trim()));
    loader.effective.fill("edge.dbSaveInterval", "30s");
    for part in ["listener", "upstream"] {
        loader.effective.fill(&format!("edge.apiProxy.{part}"), "");
    }
    loader.effective.fill("edge.apiProxy.enabled", false);
    let Some(field) = root.get_non_null("edge") else {
        return;
    };
    let Some(edge) = field.as_section() else {
        return loader.wrong_type(&field, "a map", Wrong::Refuse);
    };
    loader.effective.set(
        "edge.enabled".to_owned(),
        json!(true),
        Source::of(field.node()),
    );
    database(loader, &edge);
    loader.keys(Some(&edge), EDGE, "edge");
    mend(loader, &edge);
    api_proxy(loader, &edge);
    listeners::load_edge(loader, root);
    if let Some(transport) = root.get_non_null("transport")
        && transport.as_section().is_none()
    {
        loader.wrong_type(&transport, "a map", Wrong::Refuse);
    }
}

fn database(loader: &mut Loader<'_>, edge: &Section<'_>) {
    let Some(field) = edge.get("db") else { return };
    if let Some(text) = loader.text(&field, Wrong::Crash)
        && !text.is_empty()
    {
        loader.given("edge.db".to_owned(), json!(text), &field);
    }
}

/// Two values out of bounds are replaced without being refused.
fn mend(loader: &mut Loader<'_>, edge: &Section<'_>) {
    let integer = |name: &str| {
        edge.get(name)
            .and_then(|field| value::integer(field.node()))
    };
    let seconds = integer("dbSaveIntervalSeconds").unwrap_or(30);
    if seconds.wrapping_mul(1_000_000_000) < 30_000_000_000 {
        loader.effective.fill("edge.dbSaveInterval", "30s");
    }
    let heartbeat = integer("heartbeatIntervalSeconds").unwrap_or(60);
    if !(10..=60).contains(&heartbeat) {
        loader.effective.fill("edge.heartbeatIntervalSeconds", 60);
    }
}

fn api_proxy(loader: &mut Loader<'_>, edge: &Section<'_>) {
    let Some(field) = edge.get("apiProxy") else {
        return;
    };
    let Some(section) = field.as_section() else {
        return loader.wrong_type(&field, "a map", Wrong::Crash);
    };
    for name in ["listener", "upstream"] {
        match section.get(name) {
            None => loader.missing(&section, name, Verdict::Refuse),
            Some(part) => match loader.text(&part, Wrong::Crash) {
                Some("") => loader.refuse(&part, codes::INVALID_VALUE, "this must not be empty"),
                Some(text) => loader.given(format!("edge.apiProxy.{name}"), json!(text), &part),
                None => {},
            },
        }
    }
    loader.given("edge.apiProxy.enabled".to_owned(), json!(true), &field);
}

/// The proxy listens before the listeners do.
pub(super) fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    let field = root.get("edge").and_then(|field| {
        field
            .as_section()?
            .get("apiProxy")?
            .as_section()?
            .get("listener")
    });
    let Some(field) = field else { return };
    let Some(text) = field.node().as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    match listenable(text) {
        Ok(place) => {
            loader.listen_at(&field, "tcp", &place, Owner::ApiProxy);
        },
        Err(error) => {
            let message = format!("`{text}` is not a host with a port: {error}");
            loader.refuse(&field, codes::INVALID_VALUE, message);
        },
    }
}

fn csr(loader: &mut Loader<'_>, root: &Section<'_>) {
    let field = match (root.get("csr"), root.get("edge")) {
        (Some(field), _) => field,
        (None, None) => return loader.missing(root, "csr", Verdict::Refuse),
        (None, Some(edge)) => match edge.as_section() {
            None => return loader.wrong_type(&edge, "a map", Wrong::Refuse),
            Some(section) => match section.get("csr") {
                None => return loader.missing(&section, "csr", Verdict::Refuse),
                Some(field) => field,
            },
        },
    };
    match field.as_section() {
        None => loader.wrong_type(&field, "a map", Wrong::Refuse),
        Some(section) => request(loader, &section),
    }
}

/// Keys are found whatever their case; an exact match wins.
fn lookup<'tree>(section: &Section<'tree>, name: &str) -> Option<Field<'tree>> {
    section.get(name).or_else(|| {
        let similar = section.map().iter().find_map(|entry| {
            let key = entry.key.as_str()?;
            key.eq_ignore_ascii_case(name).then_some(key)
        })?;
        section.get(similar)
    })
}

/// Tells whether a key of the certificate request is read although its case is another.
pub(super) fn reads_in_any_case(root: &Section<'_>, path: &KeyPath) -> bool {
    let segments = path.segments();
    let names: Option<Vec<&str>> = segments
        .into_iter()
        .map(|segment| match segment {
            Segment::Key(name) => Some(name.as_str()),
            Segment::Index(_) => None,
        })
        .collect();
    let (way, name, known): (&[&str], &str, &[&str]) = match names.as_deref() {
        Some(["csr", name]) => (&["csr"], name, &REQUEST),
        Some(["edge", "csr", name]) => (&["edge", "csr"], name, &REQUEST),
        Some(["csr", "sans", name]) => (&["csr", "sans"], name, &SANS),
        Some(["edge", "csr", "sans", name]) => (&["edge", "csr", "sans"], name, &SANS),
        _ => return false,
    };
    let section = way.iter().try_fold(root.clone(), |section, step| {
        section.get(step)?.as_section()
    });
    let meant = known.iter().find(|known| known.eq_ignore_ascii_case(name));
    section
        .zip(meant)
        .is_some_and(|(section, meant)| section.get(meant).is_none())
}

fn request(loader: &mut Loader<'_>, section: &Section<'_>) {
    for name in SUBJECT {
        let path = format!("edge.csr.{name}");
        match lookup(section, name).filter(|field| !field.node().is_null()) {
            None => loader.effective.fill(&path, ""),
            Some(field) => {
                if let Some(text) = loader.text(&field, Wrong::Refuse) {
                    loader.given(path, json!(text), &field);
                }
            },
        }
    }
    let sans = lookup(section, "sans");
    let Some(field) = sans.filter(|field| !field.node().is_null()) else {
        return loader.missing(section, "sans", Verdict::Crash);
    };
    let Some(sans) = field.as_section() else {
        return loader.wrong_type(&field, "a map", Wrong::Refuse);
    };
    for name in SANS {
        names(loader, &sans, name);
    }
}

fn names(loader: &mut Loader<'_>, sans: &Section<'_>, name: &str) {
    let path = format!("edge.csr.sans.{name}");
    loader.effective.fill(&path, Json::Array(vec![]));
    let Some(field) = lookup(sans, name).filter(|field| !field.node().is_null()) else {
        return;
    };
    let Some(items) = field.items() else {
        return loader.wrong_type(&field, "a list", Wrong::Refuse);
    };
    let mut texts = Vec::new();
    for item in &items {
        let text = loader.item(&field, item, |loader| name_of(loader, &field, item, name));
        texts.extend(text.map(|text| json!(text)));
    }
    loader.given(path, texts.into(), &field);
}

fn name_of<'tree>(
    loader: &mut Loader<'_>,
    list: &Field<'_>,
    item: &Field<'tree>,
    name: &str,
) -> Option<&'tree str> {
    let text = if item.node().is_null() {
        ""
    } else {
        loader.text(item, Wrong::Refuse)?
    };
    let good = match name {
        "ip" => text.parse::<IpAddr>().is_ok(),
        "uri" => uri::is_parsable(text),
        _ => true,
    };
    if !good {
        let message = format!("`{text}` is not valid in `{}`", list.path());
        loader.refuse(item, codes::INVALID_VALUE, message);
    }
    good.then_some(text)
}
