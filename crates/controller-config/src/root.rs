//! Root of the configuration.

use portcullis_key_table::ConfigFile;
use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{
    Diagnostic, Diagnostics, Field, Limits, Node, Program, Section, SourceId, expand_environment,
    overlay, parse,
};

use crate::address::{TransportAddress, TransportProtocol};
use crate::audit::{self, AuditConfig};
use crate::codes;
use crate::cross_check;
use crate::ctrl::{self, CtrlConfig};
use crate::edge::{self, EdgeConfig};
use crate::events::{self, EventsConfig};
use crate::identity::{self, IdentityConfig, ReportedError, ServerCertRule};
use crate::items::read_all;
use crate::keys::{ControllerFile, Key, KeyGroup, StringFormat, ValueType};
use crate::limits::{self, ClientLimits};
use crate::log::{self, LogConfig};
use crate::network::{self, NetworkConfig};
use crate::otlp::{self, OtlpConfig};
use crate::reachability;
use crate::references::{self, ExternalReferences};
use crate::relative_paths::{self, BaseFolders, SourceText};
use crate::store::{self, StoreLocation};
use crate::web::{self, ApiKind, OidcOptions, WebApi, WebListener};
use std::path::Path;

/// Configuration of the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerConfig {
    /// Location of the data.
    pub store: StoreLocation,
    /// Certificates and keys of the controller.
    pub identity: IdentityConfig,
    /// Trust domain without `spiffe://`, for certificates that name none.
    pub trust_domain: Option<String>,
    /// Further trust domains whose certificates are accepted, without `spiffe://`.
    pub additional_trust_domains: Vec<String>,
    pub audit: AuditConfig,
    pub log: LogConfig,
    pub events: EventsConfig,
    pub ctrl: CtrlConfig,
    pub edge: EdgeConfig,
    /// Listeners and their APIs. `edge-oidc` is added beside `edge-client` unless that is disabled.
    pub web: Vec<WebListener>,
    pub network: NetworkConfig,
    /// Export of metrics and traces, if there is one.
    pub otlp: Option<OtlpConfig>,
    /// Resources shared by clients.
    pub limits: ClientLimits,
}

impl ControllerConfig {
    /// Address at which routers find the controller. It replaces the one that they were configured with.
    ///
    /// Unless it is configured, it is the host at which clients find the APIs, with the port of
    /// `ctrl.listener`: that of the listener may stand for all addresses of the machine.
    pub fn router_address(&self) -> TransportAddress {
        let ctrl = &self.ctrl;
        let default = || TransportAddress {
            protocol: TransportProtocol::Tls,
            endpoint: HostPort {
                host: self.edge.api.address.host.clone(),
                port: ctrl.listener.endpoint.port,
            },
        };
        ctrl.advertise_address.clone().unwrap_or_else(default)
    }
}

/// Result of reading configuration files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// The configuration, if there is no error.
    pub config: Option<ControllerConfig>,
    /// Errors and warnings in the order of the files and the lines in them.
    pub diagnostics: Vec<Diagnostic>,
    /// External references of the file, as far as they are valid, even if there are errors.
    pub references: ExternalReferences,
}

const KEYS: KeyGroup = &[
    Key::count("v", 3, 3, "Version of the format; only 3 is known.")
        .required()
        .example("3"),
    Key::new(
        relative_paths::KEY,
        ValueType::Enum(&["file", "workingDirectory"]),
        "Where relative paths of this file start: at its own directory, or at the working directory of the \
         process. OpenZiti knows only the latter and ignores the key.",
    )
    .default("workingDirectory")
    .example("file"),
    Key::new(
        "db",
        ValueType::String(StringFormat::Path),
        "Where the data lies: the store is kept beside this file under the same name with `.portcullis` added, \
         the key that seals secrets in it with `.portcullis.key` added. Required unless there is `cluster`.",
    )
    .example("ctrl.db"),
    Key::new(
        "cluster",
        ValueType::Map(&[store::CLUSTER_KEYS]),
        "Where the data of a member of a cluster of OpenZiti lies, in place of `db`.",
    ),
    Key::new(
        "identity",
        ValueType::Map(&[identity::KEYS]),
        "Certificates and keys of the controller.",
    )
    .required(),
    Key::new(
        "audit",
        ValueType::Map(&[audit::KEYS]),
        "The audit trail. OpenZiti has no such section.",
    ),
    Key::new(
        "log",
        ValueType::Map(&[log::KEYS]),
        "The log. OpenZiti has no such section.",
    ),
    Key::new(
        events::SECTION,
        ValueType::NamedMaps(&[events::KEYS]),
        "What happens in the network, written as it happens: one entry with a name of your choice for each place. Each \
         start goes on at the end of its files; SIGHUP begins those anew that were moved away.",
    ),
    Key::new(
        "trustDomain",
        ValueType::String(StringFormat::TrustDomain),
        "Name of the network in SPIFFE ids, where the certificates name none.",
    )
    .example("network.example.test"),
    Key::new(
        "additionalTrustDomains",
        ValueType::StringList(StringFormat::TrustDomain),
        "Further trust domains whose certificates are accepted.",
    )
    .example("[old.example.test]"),
    Key::new(
        "ctrl",
        ValueType::Map(&[ctrl::KEYS]),
        "Where routers reach the controller.",
    )
    .required(),
    Key::new(
        "edge",
        ValueType::Map(&[edge::KEYS]),
        "Enrollments, sessions and logins.",
    )
    .required(),
    Key::new(
        "web",
        ValueType::MapList(&[web::KEYS]),
        "Listeners for clients and administrators, and the APIs that they serve.",
    )
    .required(),
    Key::new(
        "network",
        ValueType::Map(&[network::KEYS]),
        "How dials, circuits and links are handled.",
    ),
    Key::new(
        otlp::SECTION,
        ValueType::Map(&[otlp::KEYS]),
        "Export of metrics and traces for OpenTelemetry; without the section there is none. OpenZiti has no such section.",
    ),
    Key::new(
        "limits",
        ValueType::Map(&[limits::KEYS]),
        "What all clients share, and how much of it one of them may have. OpenZiti has no such section.",
    ),
    Key::dead("command", "Portcullis does not queue commands"),
    Key::dead("commandRateLimiter", "Portcullis does not queue commands"),
    Key::dead(
        "connectEvents",
        "routers decide by their own files how they report connections",
    ),
    Key::dead("example", "Portcullis has no plugins"),
    Key::dead("healthChecks", "Portcullis does not time its health checks"),
    Key::dead("metrics", "`network.metricsReportInterval` says how often metrics become events, and an API `metrics` of `web` \
         serves them"),
    Key::dead(
        "mgmt",
        "Portcullis does not have the old management channel",
    ),
    Key::dead("profile", "Portcullis does not write profiles"),
    Key::dead(
        "routerDataModel",
        "Portcullis does not log the router data model",
    ),
    Key::dead("terminator", "Portcullis has no plugins"),
    Key::dead("tls", "the limits of TLS handshakes are fixed"),
    Key::dead("trace", "Portcullis does not write traces"),
];

impl ConfigFile for ControllerFile {
    type Format = StringFormat;
    type Rule = ();
    const NO_RULE: () = ();
    const ROOT: KeyGroup = KEYS;
    const TITLE: &'static str = "Controller configuration";
    const DESCRIPTION: &'static str =
        "Configuration file of a controller, version 3 of the format.";
}

const HINTS: &[(&str, &str)] = &[
    ("cert", "it belongs to `identity`"),
    ("key", "it belongs to `identity`"),
    ("ca", "it belongs to `identity`"),
    ("server_cert", "it belongs to `identity`"),
    ("server_key", "it belongs to `identity`"),
    ("dataDir", "it belongs to `cluster`"),
    ("listener", "it belongs to `ctrl`"),
    ("api", "it belongs to `edge`"),
    ("enrollment", "it belongs to `edge`"),
    ("totp", "it belongs to `edge`"),
    ("oidc", "it belongs to `edge`"),
    ("bindPoints", "it belongs to `web[]`"),
    ("apis", "it belongs to `web[]`"),
    ("subscriptions", "it belongs to an entry of `events`"),
    ("handler", "it belongs to an entry of `events`"),
    ("raft", "it is named `cluster`"),
    ("connectionsPerPeer", "it belongs to `limits`"),
    ("minRouterCost", "it belongs to `network`"),
    ("smart", "it belongs to `network`"),
    ("link", "this is a router's file"),
    ("listeners", "this is a router's file, or `web` is meant"),
    ("forwarder", "this is a router's file"),
];

/// Reads a configuration from one file, or from a complete one and partial ones that are merged over
/// it.
/// `texts[i]` is known to diagnostics as `SourceId(i)`. `lookup` returns environment variables; OpenZiti
/// also sets `TMP`, `TEMP` and `TMPDIR` to the directory for temporary files.
///
/// Relative paths are kept as written; see [`read_files`].
pub fn read(texts: &[&str], lookup: &dyn Fn(&str) -> Option<String>) -> ReadOutcome {
    let folder = Path::new("");
    let files: Vec<_> = texts
        .iter()
        .map(|&text| SourceText { text, folder })
        .collect();
    read_files(&files, lookup)
}

/// As [`read`], for files that may say `relativePaths: file`: the relative paths of such a file start
/// at its folder.
pub fn read_files(
    files: &[SourceText<'_>],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> ReadOutcome {
    read_with_tree(files, lookup).1
}

/// As [`read_files`], with the merged tree and the folders of its paths, if the files are YAML.
pub(crate) fn read_with_tree(
    files: &[SourceText<'_>],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> (Option<(Node, BaseFolders)>, ReadOutcome) {
    let mut diagnostics = Diagnostics::default();
    let mut folders = BaseFolders::default();
    let tree = read_tree(files, &mut folders, &mut diagnostics);
    let Some(mut tree) = tree.filter(|tree| !is_router_file(tree, &mut diagnostics)) else {
        let outcome = ReadOutcome {
            diagnostics: diagnostics.into_sorted(),
            ..ReadOutcome::default()
        };
        return (None, outcome);
    };
    expand_environment(&mut tree, lookup, &mut diagnostics);
    let config = read_root(&tree, &folders, &mut diagnostics);
    let references = references::collect(&tree, &folders);
    reachability::check(&references, &mut diagnostics);
    let outcome = ReadOutcome {
        config: config.filter(|_| !diagnostics.has_errors()),
        diagnostics: diagnostics.into_sorted(),
        references,
    };
    (Some((tree, folders)), outcome)
}

fn read_tree(
    files: &[SourceText<'_>],
    folders: &mut BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<Node> {
    let mut whole: Option<Node> = None;
    let mut folder_diagnostics = Diagnostics::default();
    for (source, SourceText { text, folder }) in (0u16..).map(SourceId).zip(files) {
        match parse(text, source, &Limits::default()) {
            Ok(document) => {
                diagnostics.extend(document.diagnostics);
                folders.push(&document.root, folder, &mut folder_diagnostics);
                whole = Some(match whole {
                    Some(base) => overlay(base, document.root),
                    None => document.root,
                });
            },
            Err(error) => {
                diagnostics.push(error.to_diagnostic(text));
            },
        }
    }
    let whole = whole.filter(|_| !diagnostics.has_errors());
    diagnostics.extend(folder_diagnostics.into_sorted());
    whole
}

fn read_root(
    tree: &Node,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<ControllerConfig> {
    let root = Section::root(tree, diagnostics)?;
    root.check_keys_with_hints(KEYS, HINTS, diagnostics);
    check_version(&root, diagnostics);
    let store = store::read(&root, folders, diagnostics);
    let identity = root
        .require(
            "identity",
            "{cert: ..., key: ..., server_cert: ..., ca: ...}",
            diagnostics,
        )
        .and_then(|field| identity::read(&field, ServerCertRule::Optional, folders, diagnostics));
    let domain = match root.get_non_null("trustDomain") {
        Some(field) => read_trust_domain(&field, diagnostics),
        None => Ok(None),
    };
    let additional_domains = read_additional_trust_domains(&root, diagnostics);
    let audit = audit::read(&root, folders, diagnostics);
    let log = log::read(&root, diagnostics);
    let events = events::read(&root, folders, diagnostics);
    let ctrl = ctrl::read(&root, diagnostics);
    let edge = edge::read(&root, folders, diagnostics);
    let web = web::read(&root, folders, diagnostics);
    let network = network::read(&root, diagnostics);
    let otlp = otlp::read(&root, folders, diagnostics);
    let limits = limits::read(&root, diagnostics);
    cross_check::check(
        &root,
        ctrl.as_ref(),
        edge.as_ref(),
        web.as_deref(),
        diagnostics,
    );
    cross_check::check_event_files(&root, audit.as_ref(), events.as_ref(), diagnostics);
    let edge = edge?;
    Some(ControllerConfig {
        store: store?,
        identity: identity?,
        trust_domain: domain.ok()?,
        additional_trust_domains: additional_domains?,
        audit: audit?,
        log: log?,
        events: events?,
        ctrl: ctrl?,
        web: add_oidc_binding(web?, edge.api.disable_oidc_auto_binding),
        edge,
        network: network?,
        otlp: otlp.ok()?,
        limits: limits?,
    })
}

/// Whether this is the file of a router, which is reported. Nothing else is worth saying about it.
fn is_router_file(tree: &Node, diagnostics: &mut Diagnostics) -> bool {
    let root = Section::root(tree, &mut Diagnostics::default());
    let Some(other) = root.and_then(|root| Program::Controller.report_other(&root)) else {
        return false;
    };
    diagnostics.push(other);
    true
}

fn check_version(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let Some(field) = root.require("v", "3", diagnostics) else {
        return;
    };
    if field.node().as_integer() != Some(3) {
        let written = field.node().text().unwrap_or_default();
        let (message, help) = match field.node().node_type() {
            portcullis_yaml::NodeType::Integer => (
                format!("version {written} of the format is not supported, only version 3"),
                "convert the file to version 3, then write `v: 3`",
            ),
            kind => (
                format!("the version must be the integer 3, not {kind}"),
                "write `v: 3` without quotes",
            ),
        };
        field.error(codes::VERSION, message, diagnostics).help(help);
    }
}

fn read_additional_trust_domains(
    root: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<String>> {
    let Some(field) = root.get_non_null("additionalTrustDomains") else {
        return Some(Vec::new());
    };
    let domains = read_all(&field.list(diagnostics)?, |item| {
        read_trust_domain(item, diagnostics).ok()
    })?;
    Some(domains.into_iter().flatten().collect())
}

/// Reads a trust domain; an empty one counts as absent.
fn read_trust_domain(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<String>, ReportedError> {
    let text = field.string(diagnostics).ok_or(ReportedError)?;
    if text.is_empty() {
        return Ok(None);
    }
    let name = text.strip_prefix("spiffe://").unwrap_or(text);
    // A path may follow in a SPIFFE id and is not part of the domain.
    let name = name.split('/').next().unwrap_or_default();
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.is_empty() || name.len() > 255 || !name.chars().all(good) {
        let message = format!("`{text}` is not a trust domain");
        field
            .error(portcullis_yaml::codes::INVALID_VALUE, message, diagnostics)
            .help(
                "write a name of letters, digits, `.`, `-` and `_`, such as `network.example.test`",
            );
        return Err(ReportedError);
    }
    Ok(Some(name.to_owned()))
}

fn add_oidc_binding(mut web: Vec<WebListener>, disabled: bool) -> Vec<WebListener> {
    for listener in &mut web {
        if !disabled && listener.hosts(ApiKind::EdgeClient) && !listener.hosts(ApiKind::EdgeOidc) {
            listener.apis.push(WebApi::EdgeOidc(OidcOptions::default()));
        }
    }
    web
}
