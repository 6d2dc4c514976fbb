//! Entries of `web[].apis`.

use std::net::IpAddr;

use portcullis_yaml::{Diagnostics, Field, Section, codes as common_codes};

use crate::codes;
use crate::identity::{PemSource, read_pem_source};
use crate::items::read_all;
use crate::keys::{BindingVariant, Key, KeyGroup, StringFormat, ValueType};
use crate::references::{DEFAULT_INDEX_FILE, SCRAPE_CERT};
use crate::relative_paths::BaseFolders;

/// One entry of `web[].apis`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebApi {
    /// API for clients.
    EdgeClient,
    /// API for administrators.
    EdgeManagement,
    /// Login with OIDC.
    EdgeOidc(OidcOptions),
    /// API of the fabric.
    Fabric,
    /// Health checks for monitors.
    HealthChecks,
    /// Metrics for Prometheus.
    Metrics(MetricsOptions),
    /// Files of a web application, such as the console.
    Spa(SpaOptions),
}

/// An API without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiKind {
    EdgeClient,
    EdgeManagement,
    EdgeOidc,
    Fabric,
    HealthChecks,
    Metrics,
    Spa,
}

/// Options of `edge-oidc`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidcOptions {
    /// Where a login may lead, besides the redirect URIs of the SDKs.
    pub redirect_uris: Vec<String>,
    /// Where a logout may lead, besides the redirect URIs of the SDKs.
    pub post_logout_uris: Vec<String>,
    /// Host names for logins under a wildcard certificate, in lower case.
    pub allowed_hostnames: Vec<String>,
}

/// Options of `metrics`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricsOptions {
    /// Certificate that a client must have to read metrics; without one, everybody may.
    pub scrape_cert: Option<PemSource>,
    /// Whether each sample has its time.
    pub include_timestamps: bool,
}

/// Options of `spa`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaOptions {
    /// Path segment under which the files are served.
    pub path: String,
    /// Directory with the files.
    pub location: String,
    /// File for every path without a file of its own, `index.html` by default.
    pub index_file: String,
    /// Whether its directory `assets` is also served at the root of the listener, as the older name of
    /// the binding does.
    pub has_root_assets: bool,
}

impl WebApi {
    pub fn kind(&self) -> ApiKind {
        match self {
            Self::EdgeClient => ApiKind::EdgeClient,
            Self::EdgeManagement => ApiKind::EdgeManagement,
            Self::EdgeOidc(_) => ApiKind::EdgeOidc,
            Self::Fabric => ApiKind::Fabric,
            Self::HealthChecks => ApiKind::HealthChecks,
            Self::Metrics(_) => ApiKind::Metrics,
            Self::Spa(_) => ApiKind::Spa,
        }
    }
}

const BINDINGS: [(&str, ApiKind); 8] = [
    ("edge-client", ApiKind::EdgeClient),
    ("edge-management", ApiKind::EdgeManagement),
    ("edge-oidc", ApiKind::EdgeOidc),
    ("fabric", ApiKind::Fabric),
    ("health-checks", ApiKind::HealthChecks),
    ("metrics", ApiKind::Metrics),
    ("spa", ApiKind::Spa),
    ("zac", ApiKind::Spa),
];

const BINDING: Key = Key::new(
    "binding",
    ValueType::String(StringFormat::NonEmpty),
    "Name of the API.",
)
.required();

/// Keys of APIs that have no options.
const WITHOUT_OPTIONS: &[KeyGroup] = &[&[
    BINDING.example("edge-client"),
    Key::new("options", ValueType::Map(&[]), "This API has no options."),
]];

/// Keys of the entries by their `binding`.
pub(super) const VARIANTS: &[BindingVariant] = &[
    variant(
        "edge-client",
        WITHOUT_OPTIONS,
        "API of clients: logins, enrollments, services.",
    ),
    variant("edge-management", WITHOUT_OPTIONS, "API of administrators."),
    variant(
        "edge-oidc",
        &[&[
            BINDING.example("edge-oidc"),
            Key::new(
                "options",
                ValueType::Map(&[OIDC_KEYS]),
                "Where logins may lead.",
            ),
        ]],
        "Logins by OIDC. It is served beside every `edge-client` unless \
         `edge.api.disableOidcAutoBinding` says otherwise.",
    ),
    variant(
        "fabric",
        WITHOUT_OPTIONS,
        "API of the fabric: routers, links, circuits.",
    ),
    variant(
        "health-checks",
        WITHOUT_OPTIONS,
        "Tells monitors without a login whether the controller works.",
    ),
    variant(
        "metrics",
        &[&[
            BINDING.example("metrics"),
            Key::new(
                "options",
                ValueType::Map(&[METRICS_KEYS]),
                "Who may read metrics, and what they look like.",
            ),
        ]],
        "Metrics for Prometheus under `/metrics`: those of the controller, and what connected routers have reported last.",
    ),
    variant(
        "spa",
        &[&[
            BINDING.example("spa"),
            Key::new(
                "options",
                ValueType::Map(&[SPA_KEYS]),
                "The files and their path.",
            )
            .required(),
        ]],
        "Files of a web application, such as the console.",
    ),
    variant(
        "zac",
        &[&[
            BINDING.example("zac"),
            Key::new(
                "options",
                ValueType::Map(&[CONSOLE_KEYS]),
                "The files and their path.",
            )
            .required(),
        ]],
        "An older name of `spa` for the console; it also serves the directory `assets` of the files at the root.",
    ),
];

const fn variant(
    binding: &'static str,
    keys: &'static [KeyGroup],
    doc: &'static str,
) -> BindingVariant {
    BindingVariant { binding, keys, doc }
}

const OIDC_KEYS: KeyGroup = &[
    Key::new(
        "redirectURIs",
        ValueType::StringList(StringFormat::Uri),
        "Where a login may lead back to, besides where the SDKs listen: an `https` URI, one of a scheme with a dot, or \
         `http` on this computer, where any port counts and `*` may stand for it.",
    )
    .example("[\"http://localhost:*/auth/callback\"]"),
    Key::new(
        "postLogoutURIs",
        ValueType::StringList(StringFormat::Uri),
        "Where a logout may lead to, by the same rules.",
    )
    .example("[\"https://ctrl.example.test/\"]"),
    Key::new(
        "allowedHostnames",
        ValueType::StringList(StringFormat::HostName),
        "Hosts at which logins are served under a certificate with a wildcard.",
    )
    .example("[ctrl.example.test]"),
    Key::dead("secret", "the controller generates and keeps its own"),
];

const METRICS_KEYS: KeyGroup = &[
    Key::new(
        SCRAPE_CERT,
        ValueType::String(StringFormat::Pem),
        "Certificate of the client that may read metrics, the first one of the file; others are answered 401. Without \
         it, everybody who reaches the listener may read them.",
    )
    .example("/etc/portcullis/prometheus.cert"),
    Key::new(
        "includeTimestamps",
        ValueType::Bool,
        "Whether each sample has the time when it was measured; those of routers have the time at which their report came, by the clock of the controller, and are up to an interval old.",
    )
    .default("false")
    .example("true"),
];

const SPA_KEYS: KeyGroup = &[PATH.required(), LOCATION, INDEX_FILE];
const CONSOLE_KEYS: KeyGroup = &[PATH.default("zac"), LOCATION, INDEX_FILE];

const PATH: Key = Key::new(
    "path",
    ValueType::String(StringFormat::PathSegment),
    "Where the files are served, below the root of the listener.",
)
.example("zac");
const LOCATION: Key = Key::new(
    "location",
    ValueType::String(StringFormat::NonEmpty),
    "Directory of the files. A relative path starts at the working directory of the process.",
)
.required()
.example("/opt/console");
const INDEX_FILE: Key = Key::new(
    "indexFile",
    ValueType::String(StringFormat::NonEmpty),
    "File that is served for every path without a file of its own.",
)
.default(DEFAULT_INDEX_FILE)
.example("index.html");

pub(super) fn read(
    item: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<WebApi> {
    let section = item.section(diagnostics)?;
    let binding = section.require("binding", "edge-client", diagnostics);
    let kind = binding
        .as_ref()
        .and_then(|field| field.one_of(&BINDINGS, diagnostics));
    let name = binding.and_then(|field| field.node().as_str());
    let variant = VARIANTS
        .iter()
        .find(|variant| Some(variant.binding) == name);
    let keys = variant
        .map_or(WITHOUT_OPTIONS, |variant| variant.keys)
        .concat();
    section.check_keys(&keys, diagnostics);
    let kind = kind?;
    let is_console = name == Some("zac");
    let options = match section.get_non_null("options") {
        Some(field) => Some(field.section(diagnostics)?),
        None => None,
    };
    let option_keys = keys.iter().find_map(|key| match key.value_type {
        ValueType::Map(groups) if key.name == "options" => Some(groups.concat()),
        _ => None,
    });
    if let (Some(options), Some(known)) = (&options, option_keys) {
        options.check_keys(&known, diagnostics);
    }
    match (kind, options) {
        (ApiKind::EdgeClient, _) => Some(WebApi::EdgeClient),
        (ApiKind::EdgeManagement, _) => Some(WebApi::EdgeManagement),
        (ApiKind::Fabric, _) => Some(WebApi::Fabric),
        (ApiKind::HealthChecks, _) => Some(WebApi::HealthChecks),
        (ApiKind::Metrics, options) => {
            let read = match &options {
                None => Some(MetricsOptions::default()),
                Some(options) => read_metrics(options, folders, diagnostics),
            };
            if read.as_ref().is_some_and(|read| read.scrape_cert.is_none()) {
                warn_of_open_metrics(item, diagnostics);
            }
            read.map(WebApi::Metrics)
        },
        (ApiKind::EdgeOidc, None) => Some(WebApi::EdgeOidc(OidcOptions::default())),
        (ApiKind::EdgeOidc, Some(options)) => {
            read_oidc(&options, diagnostics).map(WebApi::EdgeOidc)
        },
        (ApiKind::Spa, Some(options)) => {
            read_spa(&options, is_console, diagnostics).map(WebApi::Spa)
        },
        (ApiKind::Spa, None) => {
            section.report_missing(
                "options",
                "{path: zac, location: /opt/console}",
                diagnostics,
            );
            None
        },
    }
}

fn read_metrics(
    section: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<MetricsOptions> {
    let scrape_cert = match section.get_non_null(SCRAPE_CERT) {
        None => Some(None),
        Some(field) => read_pem_source(&field, folders, diagnostics).map(Some),
    };
    let include_timestamps = match section.get_non_null("includeTimestamps") {
        None => Some(false),
        Some(field) => field.boolean(diagnostics),
    };
    Some(MetricsOptions {
        scrape_cert: scrape_cert?,
        include_timestamps: include_timestamps?,
    })
}

fn warn_of_open_metrics(item: &Field<'_>, diagnostics: &mut Diagnostics) {
    let message = "everybody who reaches this listener can read the metrics of the network";
    item.warning(codes::WEAKENED, message, diagnostics)
        .help("name the certificate of Prometheus in `options.scrapeCert`, or let only Prometheus reach the listener");
}

fn read_oidc(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<OidcOptions> {
    let redirect_uris = read_list(section, "redirectURIs", diagnostics, read_text);
    let post_logout_uris = read_list(section, "postLogoutURIs", diagnostics, read_text);
    let allowed_hostnames = read_list(section, "allowedHostnames", diagnostics, read_host_name);
    Some(OidcOptions {
        redirect_uris: redirect_uris?,
        post_logout_uris: post_logout_uris?,
        allowed_hostnames: allowed_hostnames?,
    })
}

fn read_list(
    section: &Section<'_>,
    name: &str,
    diagnostics: &mut Diagnostics,
    read: fn(&Field<'_>, &mut Diagnostics) -> Option<String>,
) -> Option<Vec<String>> {
    let Some(field) = section.get_non_null(name) else {
        return Some(Vec::new());
    };
    read_all(&field.list(diagnostics)?, |item| read(item, diagnostics))
}

fn read_text(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    Some(item.non_empty(diagnostics)?.trim().to_owned())
}

/// Reads the name of a host as clients send it.
fn read_host_name(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = item.non_empty(diagnostics)?.trim();
    let is_odd = |c: char| !c.is_ascii_alphanumeric() && !"-._".contains(c);
    if text.contains(is_odd) || text.parse::<IpAddr>().is_ok() {
        let message = format!("`{text}` is not the name of one host");
        item.error(common_codes::INVALID_VALUE, message, diagnostics).help(
            "write it like `ctrl.example.test`, without `*` and port, and a name beyond ASCII as `xn--...`",
        );
        return None;
    }
    Some(text.to_ascii_lowercase())
}

fn read_spa(
    section: &Section<'_>,
    is_console: bool,
    diagnostics: &mut Diagnostics,
) -> Option<SpaOptions> {
    let location = section
        .require("location", "/opt/console", diagnostics)
        .and_then(|field| field.non_empty(diagnostics));
    let path = match section.get_non_null("path") {
        // The older name of the binding carries its path.
        None if is_console => Some("zac".to_owned()),
        None => {
            section.report_missing("path", "zac", diagnostics);
            None
        },
        Some(field) => path_segment(&field, diagnostics),
    };
    let index_file = match section.get_non_null("indexFile") {
        None => Some(DEFAULT_INDEX_FILE),
        Some(field) => field.non_empty(diagnostics),
    };
    Some(SpaOptions {
        path: path?,
        location: location?.to_owned(),
        index_file: index_file?.to_owned(),
        has_root_assets: is_console,
    })
}

fn path_segment(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = field.non_empty(diagnostics)?.trim_matches('/');
    if text.is_empty() || text.contains(['/', '?', '#', '%', ' ']) || text == "." || text == ".." {
        field
            .error(
                common_codes::INVALID_VALUE,
                format!("`{}` must be one segment of a path", field.path()),
                diagnostics,
            )
            .help("write a word such as `zac`");
        return None;
    }
    Some(text.to_owned())
}
