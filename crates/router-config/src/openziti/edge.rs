//! Sections `csr` and `edge`.

use std::net::IpAddr;
use std::path::Path;

use portcullis_yaml::{Field, KeyPath, Section, Segment};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::Verdict;
use crate::model_file::default_model_file;
use crate::network::SocketOwner;
use crate::openziti::address::parse_listen_address;
use crate::openziti::listeners;
use crate::openziti::loader::Loader;
use crate::table::{EDGE, OnMistake};
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
    loader.effective.set_default("edge.enabled", false);
    let model_file = default_model_file(Path::new(file.trim()));
    loader
        .effective
        .set_default("edge.db", model_file.display().to_string());
    loader.effective.set_default("edge.dbSaveInterval", "30s");
    for part in ["listener", "upstream"] {
        loader
            .effective
            .set_default(&format!("edge.apiProxy.{part}"), "");
    }
    loader.effective.set_default("edge.apiProxy.enabled", false);
    let Some(field) = root.get_non_null("edge") else {
        return;
    };
    let Some(edge) = loader.section(&field, OnMistake::Refuse) else {
        return;
    };
    loader.set_from_file("edge.enabled".to_owned(), json!(true), &field);
    database(loader, &edge);
    loader.keys(Some(&edge), EDGE, "edge");
    if let Some(field) = edge.get("apiProxy")
        && field.as_section().is_some()
    {
        loader.set_from_file("edge.apiProxy.enabled".to_owned(), json!(true), &field);
    }
    listeners::load_edge(loader, root);
    if let Some(transport) = root.get_non_null("transport") {
        loader.section(&transport, OnMistake::Refuse);
    }
}

fn database(loader: &mut Loader<'_>, edge: &Section<'_>) {
    let Some(field) = edge.get("db") else { return };
    if let Some(text) = loader.text(&field, OnMistake::Crash)
        && !text.is_empty()
    {
        loader.set_from_file("edge.db".to_owned(), json!(text), &field);
    }
}

/// Opens the API proxy, which starts before the listeners.
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
    match parse_listen_address(text) {
        Ok(place) => {
            loader.listen_at(&field, "tcp", &place, SocketOwner::ApiProxy);
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
        (None, Some(edge)) => {
            let Some(section) = loader.section(&edge, OnMistake::Refuse) else {
                return;
            };
            match section.get("csr") {
                None => return loader.missing(&section, "csr", Verdict::Refuse),
                Some(field) => field,
            }
        },
    };
    if let Some(section) = loader.section(&field, OnMistake::Refuse) {
        request(loader, &section);
    }
}

/// Returns a key in any case; an exact match takes precedence.
fn get_ignore_case<'tree>(section: &Section<'tree>, name: &str) -> Option<Field<'tree>> {
    section.get(name).or_else(|| {
        let similar = section.map().iter().find_map(|entry| {
            let key = entry.key.as_str()?;
            key.eq_ignore_ascii_case(name).then_some(key)
        })?;
        section.get(similar)
    })
}

/// Whether a key of the certificate request is read although its case differs.
pub(super) fn is_read_in_other_case(root: &Section<'_>, path: &KeyPath) -> bool {
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
        match get_ignore_case(section, name).filter(|field| !field.node().is_null()) {
            None => loader.effective.set_default(&path, ""),
            Some(field) => {
                if let Some(text) = loader.text(&field, OnMistake::Refuse) {
                    loader.set_from_file(path, json!(text), &field);
                }
            },
        }
    }
    let sans = get_ignore_case(section, "sans");
    let Some(field) = sans.filter(|field| !field.node().is_null()) else {
        return loader.missing(section, "sans", Verdict::Crash);
    };
    let Some(sans) = loader.section(&field, OnMistake::Refuse) else {
        return;
    };
    for name in SANS {
        names(loader, &sans, name);
    }
}

fn names(loader: &mut Loader<'_>, sans: &Section<'_>, name: &str) {
    let path = format!("edge.csr.sans.{name}");
    loader.effective.set_default(&path, Json::Array(vec![]));
    let Some(field) = get_ignore_case(sans, name).filter(|field| !field.node().is_null()) else {
        return;
    };
    let Some(items) = loader.list(&field) else {
        return;
    };
    let mut texts = Vec::new();
    for item in &items {
        let text = loader.item(&field, item, |loader| name_of(loader, &field, item, name));
        texts.extend(text.map(|text| json!(text)));
    }
    loader.set_from_file(path, texts.into(), &field);
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
        loader.text(item, OnMistake::Refuse)?
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
