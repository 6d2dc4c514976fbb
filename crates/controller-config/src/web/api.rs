//! Entries of `web[].apis`.

use portcullis_yaml::{Diagnostics, Field, Key, Section, codes};

use crate::items::read_all;

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
    /// Metrics for monitors.
    Metrics,
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

/// Options of `edge-oidc`. Empty lists mean the defaults of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidcOptions {
    /// Allowed redirect URIs after a login; `*` stands for any port.
    pub redirect_uris: Vec<String>,
    /// Allowed redirect URIs after a logout; `*` stands for any port.
    pub post_logout_uris: Vec<String>,
    /// Host names for logins under a wildcard certificate.
    pub allowed_hostnames: Vec<String>,
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
}

impl WebApi {
    pub fn kind(&self) -> ApiKind {
        match self {
            Self::EdgeClient => ApiKind::EdgeClient,
            Self::EdgeManagement => ApiKind::EdgeManagement,
            Self::EdgeOidc(_) => ApiKind::EdgeOidc,
            Self::Fabric => ApiKind::Fabric,
            Self::HealthChecks => ApiKind::HealthChecks,
            Self::Metrics => ApiKind::Metrics,
            Self::Spa(_) => ApiKind::Spa,
        }
    }
}

const KEYS: &[Key] = &[Key::supported("binding"), Key::supported("options")];

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

const OIDC_KEYS: &[Key] = &[
    Key::supported("redirectURIs"),
    Key::supported("postLogoutURIs"),
    Key::supported("allowedHostnames"),
    Key::ignored("secret", "the controller generates and keeps its own"),
];

const METRICS_KEYS: &[Key] = &[
    Key::ignored("scrapeCert", "Portcullis does not serve metrics"),
    Key::ignored("includeTimestamps", "Portcullis does not serve metrics"),
];

const SPA_KEYS: &[Key] = &[
    Key::supported("path"),
    Key::supported("location"),
    Key::supported("indexFile"),
];

pub(super) fn read(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<WebApi> {
    let section = item.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let binding = section.require("binding", "edge-client", diagnostics)?;
    let kind = binding.one_of(&BINDINGS, diagnostics)?;
    let is_console = binding.node().as_str() == Some("zac");
    let options = match section.get_non_null("options") {
        Some(field) => Some(field.section(diagnostics)?),
        None => None,
    };
    if let Some(options) = &options {
        match kind {
            ApiKind::EdgeOidc => options.check_keys(OIDC_KEYS, diagnostics),
            ApiKind::Metrics => options.check_keys(METRICS_KEYS, diagnostics),
            ApiKind::Spa => options.check_keys(SPA_KEYS, diagnostics),
            // These have no options; a key here was meant for another section.
            ApiKind::EdgeClient
            | ApiKind::EdgeManagement
            | ApiKind::Fabric
            | ApiKind::HealthChecks => {
                options.check_keys(&[], diagnostics);
            },
        }
    }
    match (kind, options) {
        (ApiKind::EdgeClient, _) => Some(WebApi::EdgeClient),
        (ApiKind::EdgeManagement, _) => Some(WebApi::EdgeManagement),
        (ApiKind::Fabric, _) => Some(WebApi::Fabric),
        (ApiKind::HealthChecks, _) => Some(WebApi::HealthChecks),
        (ApiKind::Metrics, _) => Some(WebApi::Metrics),
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

fn read_oidc(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<OidcOptions> {
    let redirect_uris = strings(section, "redirectURIs", diagnostics);
    let post_logout_uris = strings(section, "postLogoutURIs", diagnostics);
    let allowed_hostnames = strings(section, "allowedHostnames", diagnostics);
    if let Some(field) = section.get_non_null("allowedHostnames")
        && allowed_hostnames
            .iter()
            .flatten()
            .any(|name| name.contains('*'))
    {
        field.error(
            codes::INVALID_VALUE,
            "host names must be exact here, without `*`",
            diagnostics,
        );
    }
    Some(OidcOptions {
        redirect_uris: redirect_uris?,
        post_logout_uris: post_logout_uris?,
        allowed_hostnames: allowed_hostnames?
            .iter()
            .map(|name| name.to_lowercase())
            .collect(),
    })
}

fn strings(
    section: &Section<'_>,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<String>> {
    let Some(field) = section.get_non_null(name) else {
        return Some(Vec::new());
    };
    read_all(&field.list(diagnostics)?, |item| {
        Some(item.non_empty(diagnostics)?.trim().to_owned())
    })
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
        None => Some("index.html"),
        Some(field) => field.non_empty(diagnostics),
    };
    Some(SpaOptions {
        path: path?,
        location: location?.to_owned(),
        index_file: index_file?.to_owned(),
    })
}

fn path_segment(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = field.non_empty(diagnostics)?.trim_matches('/');
    if text.is_empty() || text.contains(['/', '?', '#', '%', ' ']) || text == "." || text == ".." {
        field
            .error(
                codes::INVALID_VALUE,
                format!("`{}` must be one segment of a path", field.path()),
                diagnostics,
            )
            .help("write a word such as `zac`");
        return None;
    }
    Some(text.to_owned())
}
