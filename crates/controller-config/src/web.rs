//! Section `web`: listeners and the APIs that they serve.

mod api;
mod options;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::address::read_host_and_port;
use crate::identity::{self, IdentityConfig, ServerCertRule};
use crate::items::read_all;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::BaseFolders;

pub use crate::web::api::{ApiKind, MetricsOptions, OidcOptions, SpaOptions, WebApi};
pub use crate::web::options::{TlsVersion, WebOptions};

/// One entry of the section `web`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebListener {
    /// Name for log messages.
    pub name: String,
    pub bind_points: Vec<BindPoint>,
    /// Certificates of this listener; those of the controller by default.
    pub identity: Option<IdentityConfig>,
    pub options: WebOptions,
    pub apis: Vec<WebApi>,
}

/// One entry of `web[].bindPoints`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindPoint {
    /// Address to listen on.
    pub interface: HostPort,
    /// Address that clients use.
    pub address: HostPort,
    /// Address that clients are told to use from now on.
    pub new_address: Option<HostPort>,
}

impl WebListener {
    /// Whether the listener serves an API.
    pub fn hosts(&self, kind: ApiKind) -> bool {
        self.apis.iter().any(|api| api.kind() == kind)
    }
}

pub(crate) const KEYS: KeyGroup = &[
    Key::new(
        "name",
        ValueType::String(StringFormat::NonEmpty),
        "Name of the listener, for log lines.",
    )
    .required()
    .example("client-management"),
    Key::new(
        "bindPoints",
        ValueType::MapList(&[BIND_POINT_KEYS]),
        "Where it is served.",
    )
    .required(),
    Key::new(
        "identity",
        ValueType::Map(&[identity::LISTENER_KEYS]),
        "Certificates in place of the controller's.",
    ),
    Key::new(
        "options",
        ValueType::Map(&[options::KEYS]),
        "Timeouts and versions of TLS.",
    ),
    Key::new(
        "apis",
        ValueType::BindingList(api::VARIANTS),
        "What is served.",
    )
    .required(),
];

const BIND_POINT_KEYS: KeyGroup = &[
    Key::new(
        "interface",
        ValueType::String(StringFormat::HostPort),
        "Address and port to listen on; `0.0.0.0` stands for all addresses.",
    )
    .required()
    .example("0.0.0.0:1280"),
    Key::new(
        "address",
        ValueType::String(StringFormat::HostPort),
        "Host and port that clients use.",
    )
    .required()
    .example("ctrl.example.test:1280"),
    Key::new(
        "newAddress",
        ValueType::String(StringFormat::HostPort),
        "Host and port that clients are told to use from now on.",
    )
    .example("ctrl.example.test:443"),
    Key::dead(
        "identity",
        "serving an API over the network itself is not supported",
    ),
];

const HINTS: &[(&str, &str)] = &[
    ("interface", "it belongs to `web[].bindPoints[]`"),
    ("address", "it belongs to `web[].bindPoints[]`"),
    ("binding", "it belongs to `web[].apis[]`"),
    ("minTLSVersion", "it belongs to `web[].options`"),
    ("maxTLSVersion", "it belongs to `web[].options`"),
];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<WebListener>> {
    let form = "[{name: ..., bindPoints: [...], apis: [...]}]";
    let field = root.require("web", form, diagnostics)?;
    let items = require_items(&field, "listener", diagnostics)?;
    read_all(&items, |item| read_listener(item, folders, diagnostics))
}

fn read_listener(
    item: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<WebListener> {
    let section = item.section(diagnostics)?;
    section.check_keys_with_hints(KEYS, HINTS, diagnostics);
    let name = section
        .require("name", "client-management", diagnostics)
        .and_then(|field| field.non_empty(diagnostics));
    let bind_points = section
        .require(
            "bindPoints",
            "[{interface: \"0.0.0.0:1280\", address: \"ctrl.example.test:1280\"}]",
            diagnostics,
        )
        .and_then(|field| require_items(&field, "bind point", diagnostics))
        .and_then(|items| read_all(&items, |item| read_bind_point(item, diagnostics)));
    let identity = match section.get("identity") {
        None => Some(None),
        Some(field) => {
            identity::read(&field, ServerCertRule::Required, folders, diagnostics).map(Some)
        },
    };
    let options = options::read(&section, diagnostics);
    let apis = section
        .require("apis", "[{binding: edge-client}]", diagnostics)
        .and_then(|field| require_items(&field, "API", diagnostics))
        .and_then(|items| read_all(&items, |item| api::read(item, folders, diagnostics)));
    Some(WebListener {
        name: name?.to_owned(),
        bind_points: bind_points?,
        identity: identity?,
        options: options?,
        apis: apis?,
    })
}

fn read_bind_point(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<BindPoint> {
    let section = item.section(diagnostics)?;
    section.check_keys(BIND_POINT_KEYS, diagnostics);
    let interface = section
        .require("interface", "0.0.0.0:1280", diagnostics)
        .and_then(|field| read_host_and_port(&field, diagnostics));
    let address = section
        .require("address", "ctrl.example.test:1280", diagnostics)
        .and_then(|field| read_host_and_port(&field, diagnostics));
    let new_address = match section.get_non_null("newAddress") {
        Some(field) if field.node().as_str() != Some("") => {
            read_host_and_port(&field, diagnostics).map(Some)
        },
        _ => Some(None),
    };
    Some(BindPoint {
        interface: interface?,
        address: address?,
        new_address: new_address?,
    })
}

fn require_items<'tree>(
    field: &Field<'tree>,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Field<'tree>>> {
    let items = field.list(diagnostics)?;
    if items.is_empty() {
        field.error(
            codes::INVALID_VALUE,
            format!("`{}` must name at least one {what}", field.path()),
            diagnostics,
        );
        return None;
    }
    Some(items)
}
