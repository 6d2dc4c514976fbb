//! Section `ctrl`: addresses for routers.

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::address::{TransportAddress, TransportProtocol, read_transport_address};
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};

/// Section `ctrl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CtrlConfig {
    /// Address at which the controller listens for routers. It may be that of a bind point of `web`, which
    /// serves both then.
    pub listener: TransportAddress,
    /// Address at which routers find the controller, named in enrollment tokens.
    pub advertise_address: Option<TransportAddress>,
}

const FIXED_SETTINGS: &str = "the settings of the control channel are fixed";

pub(crate) const KEYS: KeyGroup = &[
    Key::new(
        "listener",
        ValueType::String(StringFormat::Address),
        "Where the controller listens for routers. It may share the port of a bind point of `web`, if it has the \
         same address as its `interface`.",
    )
    .required()
    .example("tls:0.0.0.0:6262"),
    Key::new(
        "options",
        ValueType::Map(&[OPTION_KEYS]),
        "What routers are told.",
    ),
    Key::dead("dialer", "the controller does not dial routers"),
];

const OPTION_KEYS: KeyGroup = &[
    Key::new(
        "advertiseAddress",
        ValueType::String(StringFormat::Address),
        "Where routers find the controller. They learn it when they connect, and keep it instead of the address \
         that they were configured with; enrollment tokens of routers name it as well. By default it is the \
         host of `edge.api.address` with the port of `listener`. Required beside `cluster`.",
    )
    .example("tls:ctrl.example.test:6262"),
    Key::dead(
        "newListener",
        "moving routers to another address is not supported",
    ),
    Key::dead("routerHeartbeats", FIXED_SETTINGS),
    Key::dead("peerHeartbeats", FIXED_SETTINGS),
    Key::dead("outQueueSize", FIXED_SETTINGS),
    Key::dead("maxQueuedConnects", FIXED_SETTINGS),
    Key::dead("maxOutstandingConnects", FIXED_SETTINGS),
    Key::dead("connectTimeout", FIXED_SETTINGS),
    Key::dead("connectTimeoutMs", FIXED_SETTINGS),
    Key::dead("writeTimeout", FIXED_SETTINGS),
];

pub(crate) fn read(root: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<CtrlConfig> {
    let section = root
        .require("ctrl", "{listener: \"tls:0.0.0.0:6262\"}", diagnostics)?
        .section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let listener = section
        .require("listener", "tls:0.0.0.0:6262", diagnostics)
        .and_then(|field| {
            let address = read_transport_address(&field, diagnostics)?;
            require_tls(&field, &address, diagnostics);
            Some(address)
        });
    let options = section
        .get_non_null("options")
        .and_then(|field| field.section(diagnostics));
    let mut advertise_address = None;
    if let Some(options) = &options {
        options.check_keys(OPTION_KEYS, diagnostics);
        advertise_address = options
            .get_non_null("advertiseAddress")
            .filter(|field| field.node().as_str() != Some(""))
            .and_then(|field| read_transport_address(&field, diagnostics));
    }
    if root.get_non_null("cluster").is_some() {
        require_advertise_address(&section, options.as_ref(), diagnostics);
    }
    Some(CtrlConfig {
        listener: listener?,
        advertise_address,
    })
}

/// Requires the only protocol that routers are served over.
fn require_tls(field: &Field<'_>, address: &TransportAddress, diagnostics: &mut Diagnostics) {
    if address.protocol != TransportProtocol::Tls {
        let message = format!("routers cannot connect over `{}`", address.protocol);
        field
            .error(codes::INVALID_VALUE, message, diagnostics)
            .help(format!("write `tls:{}`", address.endpoint));
    }
}

/// Requires an advertised address from a member of a cluster.
fn require_advertise_address(
    section: &Section<'_>,
    options: Option<&Section<'_>>,
    diagnostics: &mut Diagnostics,
) {
    let form = "tls:ctrl.example.test:6262";
    match options {
        Some(options) => {
            options.require("advertiseAddress", form, diagnostics);
        },
        None if section.get_non_null("options").is_none() => {
            section.report_missing(
                "options",
                &format!("{{advertiseAddress: \"{form}\"}}"),
                diagnostics,
            );
        },
        None => {},
    }
}
