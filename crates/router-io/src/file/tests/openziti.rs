//! What OpenZiti's router starts with starts this one.

use std::fs;

use portcullis_router::circuits::{ForwarderSettings, end_options};
use portcullis_router::control::{ControlSettings, InterfaceSettings};
use portcullis_router::edge::{EdgeListenerSettings, EdgeSettings, PresenceReports};
use portcullis_router::egress::DialerSettings;
use portcullis_router::health::HealthOptions;
use portcullis_router::ingress::ingress_settings;
use portcullis_router::links::LinkSettings;
use portcullis_router::metrics::MetricsOptions;
use portcullis_router::profile::ProfileSettings;
use portcullis_router::tls::handshake_timeout;
use portcullis_router::web::web_servers;
use portcullis_router_config::Binding;
use serde_json::Value;

use crate::certificate_request::CertificateRequest;
use crate::identity::IdentityFiles;
use crate::router::StartError;

use super::*;

/// What this router refuses although OpenZiti's starts with it: the key, and a part of what is said. They are the
/// list in `docs/operations.md`.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("identity.key", "has its keys in files"),
    ("link.listeners[].bind", "use TLS over TCP only"),
    (
        "listeners[].address",
        "datagrams have a listener of their own",
    ),
    ("listeners[].address", "is not spoken here"),
    ("listeners[].address", "lets SDKs in by TLS"),
    (
        "listeners[].address",
        "does not listen for datagrams in the file system",
    ),
    ("listeners[].options.mode", "diverts traffic itself"),
    ("listeners[].options.dnsUpstream", "with the IP address"),
];

/// Reads a file with one JSON value per line, when the shared material is there.
fn records(part: &str) -> Vec<Value> {
    let Some(path) = shared(part) else {
        return vec![];
    };
    let text = fs::read_to_string(path).unwrap();
    let records = text.lines().map(serde_json::from_str);
    records.collect::<Result<_, _>>().unwrap()
}

fn shared(part: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("../shared").join(part))
        .find(|path| path.exists());
    if found.is_none() {
        println!("skipped: there is no ../shared/{part}");
    }
    found
}

/// The variables with which the cases were recorded.
fn variable(name: &str) -> Option<String> {
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

fn is_started_by_openziti(record: &Value) -> bool {
    record["openziti"]["verdict"] == "accept"
}

/// Why a file does not start the router; `None` if it does, or is an exception.
fn failure(content: &[u8], variables: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    // As a router that knows its controllers.
    let judged = RouterFile::judge_in(variables, Path::new("router.yml"), content, |_| true);
    if let Some(file) = &judged.accepted {
        return read_settings(file).err().map(|error| error.to_string());
    }
    let is_excepted = judged.mistakes().all(is_exception);
    (!is_excepted).then(|| format!("{:?}", judged.mistakes().collect::<Vec<_>>()))
}

fn is_exception(mistake: &Finding) -> bool {
    let diagnostic = &mistake.diagnostic;
    let mut path = diagnostic.path.dotted();
    path.retain(|character| !character.is_ascii_digit());
    let is_meant = |(key, said): &&(&str, &str)| *key == path && diagnostic.message.contains(said);
    EXCEPTIONS.iter().any(|exception| is_meant(&exception))
}

/// Reads all that the router reads when it starts.
fn read_settings(file: &RouterFile) -> Result<(), StartError> {
    let config = &file.config;
    IdentityFiles::from_config(&config.identity)?;
    CertificateRequest::from_config(config);
    ControlSettings::from_config(&config.ctrl, &file.path)?;
    ForwarderSettings::from_config(&config.forwarder)?;
    HealthOptions::from_config(&config.health_checks)?;
    InterfaceSettings::from_config(&config.interface_discovery)?;
    LinkSettings::from_config(&config.link)?;
    MetricsOptions::from_config(&config.metrics)?;
    ProfileSettings::from_config(&config.profile)?;
    handshake_timeout(&config.tls)?;
    ingress_settings(&config.listeners)?;
    web_servers(&config.web)?;
    for binding in Binding::ALL {
        DialerSettings::of_binding(binding, &config.dialers)?;
    }
    for entry in &config.listeners {
        end_options(&entry.circuits)?;
    }
    if file.has_edge {
        EdgeSettings::from_config(&config.edge)?;
        PresenceReports::from_config(&config.connect_events)?;
        let listeners =
            EdgeListenerSettings::from_config(&config.listeners, &config.transport.wss)?;
        assert!(listeners.iter().all(|listener| listener.place().is_some()));
    }
    Ok(())
}

#[test]
fn recorded_cases_start_it() {
    let cases = records("spec/router-diff/cases.jsonl");
    let mut failures = Vec::new();
    for case in cases.iter().filter(|case| is_started_by_openziti(case)) {
        let content = case["yaml"].as_str().expect("it starts with text only");
        if let Some(why) = failure(content.as_bytes(), &variable) {
            failures.push(format!("{} ({}): {why}", case["id"], case["what"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn real_files_start_it() {
    let mut failures = Vec::new();
    for record in records("spec/router-diff/real-files.jsonl") {
        let name = record["file"].as_str().unwrap();
        let Some(file) = shared(&format!("spec/router-configs/{name}")) else {
            continue;
        };
        if is_started_by_openziti(&record)
            && let Some(why) = failure(&fs::read(file).unwrap(), &|_| None)
        {
            failures.push(format!("{name}: {why}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
