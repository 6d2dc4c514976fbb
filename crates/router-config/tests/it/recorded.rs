//! The recorded behavior of the original, when it is there.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portcullis_router_config::openziti::Machine;
use serde_json::Value;

/// The machine on which the behavior was recorded: one interface, no name service.
pub(crate) const MACHINE: Machine<'static> = Machine::new()
    .interfaces(&[("lo", &["127.0.0.1", "::1"])])
    .host_names(&["localhost"]);

/// Finds the shared material beside one of the folders above this crate, when it is there.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("../shared").join(part))
        .find(|path| path.exists());
    if found.is_none() {
        println!("skipped: there is no ../shared/{part}");
    }
    found
}

/// Reads a file with one JSON value per line.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file can be read");
    let value = |line: &str| serde_json::from_str(line).expect("every line is JSON");
    text.lines().map(value).collect()
}

/// Reads the cases, when they are there.
pub(crate) fn cases() -> Vec<Value> {
    shared("spec/router-diff/cases.jsonl")
        .map(|path| lines(&path))
        .unwrap_or_default()
}

/// Gives the file of a case.
pub(crate) fn bytes(case: &Value) -> Vec<u8> {
    match (case["yaml"].as_str(), case["yaml_base64"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (None, Some(text)) => STANDARD.decode(text).expect("it is base64"),
        (None, None) => panic!("a case without a file: {case}"),
    }
}

/// The environment in which the behavior was recorded.
pub(crate) fn environment(name: &str) -> Option<String> {
    let value = match name {
        "RC_ADDR" => "tls:ctrl.example:6262",
        "RC_HOST" => "ctrl.example",
        "RC_PORT" => "6262",
        "RC_NUM" => "5",
        "RC_BOOL" => "true",
        "RC_DUR" => "30s",
        "RC_EMPTY" => "",
        "RC_YAML" => "a: b",
        "RC_MODE" => "host",
        "RC_NAME" => "RC_HOST",
        "RC_TRANSPORT" => "transport",
        "RC_KEY" => "idleTxInterval",
        "RC_HOME" => "/var/lib/router",
        "TMP" | "TEMP" | "TMPDIR" => "/tmp",
        _ => return None,
    };
    Some(value.to_owned())
}
