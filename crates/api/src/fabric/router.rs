//! Edge and transit routers in the fabric API.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::router::{
    CtrlChanListeners, Interface, TransitRouterCreate, TransitRouterPatch, VersionInfo,
    reported_interfaces,
};
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::ids::{ConfigId, RouterId};
use portcullis_domain::router::{
    EdgeRouterSettingsPatch, RouterCertificate, RouterKind, RouterSpec, RouterSpecPatch,
};
use portcullis_domain::view::{self, ManagedRouterView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A router.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouterDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RouterId>,
    /// Ids of its configurations; `null` if it has none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether it is connected.
    pub connected: bool,
    /// When it connected; absent while it is not connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_at: Option<WireTime>,
    /// Cost of routing a circuit through it.
    pub cost: u16,
    /// Addresses at which controllers can reach the router.
    #[serde(default, skip_serializing_if = "CtrlChanListeners::is_empty")]
    pub ctrl_chan_listeners: CtrlChanListeners,
    /// Whether the router is disabled.
    pub disabled: bool,
    /// When it was last lost; absent if it was not since the controller started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disconnected_at: Option<WireTime>,
    /// Lower-case hex SHA-1 of the certificate; `null` if it has none.
    pub fingerprint: Option<String>,
    /// The network interfaces that it reported.
    pub interfaces: Option<Vec<Interface>>,
    /// Link listener addresses for other routers; `null` while it is not connected.
    pub listener_addresses: Option<Vec<LinkListener>>,
    /// Unique name.
    pub name: String,
    /// Whether circuits may only begin or end at this router, not pass through it.
    pub no_traversal: bool,
    /// Version information; absent while it is not connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_info: Option<VersionInfo>,
}

/// Where a router listens for links of other routers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkListener {
    /// Address, such as `tls:router.example.com:6262`.
    pub address: String,
    /// Protocol, such as `tls`.
    pub protocol: String,
}

/// The body of POST `/routers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricRouterCreate {
    /// The id, which its certificate carries too.
    pub id: RouterId,
    /// The fingerprint of its certificate, if known.
    pub fingerprint: Option<String>,
    /// Members shared with the edge API.
    pub common: TransitRouterCreate,
}

/// The body of PUT `/routers/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricRouterUpdate {
    /// The fingerprint of its certificate; `None` for no certificate.
    pub fingerprint: Option<String>,
    /// Members shared with the edge API.
    pub common: TransitRouterCreate,
}

/// The body of PATCH `/routers/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FabricRouterPatch {
    /// The fingerprint of its certificate; `Some(None)` removes the certificate.
    pub fingerprint: Option<Option<String>>,
    /// Members shared with the edge API.
    pub common: TransitRouterPatch,
}

const PARAMETER: &str = "router";

impl Decode for FabricRouterCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let id = members.required_string("id")?;
        validate_id(&id)?;
        let fingerprint = members.optional_string("fingerprint")?;
        Ok(Self {
            id: RouterId::from_wire(id),
            fingerprint: fingerprint.map(parse_fingerprint).transpose()?.flatten(),
            common: decode_common(members)?,
        })
    }
}

impl Decode for FabricRouterUpdate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let fingerprint = members.required_string("fingerprint")?;
        Ok(Self {
            fingerprint: parse_fingerprint(fingerprint)?,
            common: decode_common(members)?,
        })
    }
}

impl Decode for FabricRouterPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let fingerprint = members.optional_string("fingerprint")?;
        Ok(Self {
            fingerprint: fingerprint.map(parse_fingerprint).transpose()?,
            common: TransitRouterPatch::decode(members)?,
        })
    }
}

/// Decodes the members shared with the edge API, more of which are required here.
fn decode_common(members: &mut Members) -> Result<TransitRouterCreate, DecodeError> {
    let cost = members.optional_u16("cost")?;
    let cost = match cost {
        Some(cost) => cost,
        None => missing_member(members, "cost")?,
    };
    let no_traversal = members.required_bool("noTraversal")?;
    Ok(TransitRouterCreate {
        cost,
        no_traversal,
        ..TransitRouterCreate::decode(members)?
    })
}

/// Reports a missing member that was already taken out.
fn missing_member<T>(members: &mut Members, name: &str) -> Result<T, DecodeError> {
    members.required_string(name)?;
    Err(FieldError::new(name, "is required", "").into())
}

/// Maximum length of a chosen id, in characters.
const MAX_ID_LENGTH: usize = 100;

/// Checks that an id of a router can be used in paths and filters.
fn validate_id(id: &str) -> Result<(), FieldError> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_path = matches!(id, "." | "..");
    if id.is_empty() || id.len() > MAX_ID_LENGTH || is_path || !id.bytes().all(is_fit) {
        let reason = "must be 1 to 100 letters, digits, dots, hyphens and underscores";
        return Err(FieldError::new("id", reason, id));
    }
    Ok(())
}

/// Parses a fingerprint, in either letter case and with or without colons; empty for none.
fn parse_fingerprint(text: String) -> Result<Option<String>, FieldError> {
    let digits: String = text.chars().filter(|digit| *digit != ':').collect();
    if digits.is_empty() {
        return Ok(None);
    }
    if digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(Some(digits.to_ascii_lowercase()));
    }
    let reason = "must be a SHA-1 certificate fingerprint: 40 hexadecimal digits";
    Err(FieldError::new("fingerprint", reason, text))
}

impl FabricRouterCreate {
    /// The id and the spec.
    pub fn spec(self) -> (RouterId, RouterSpec) {
        let spec = RouterSpec {
            certificate: self.fingerprint.map(RouterCertificate::from_fingerprint),
            ..self.common.spec(RouterKind::Transit)
        };
        (self.id, spec)
    }
}

impl FabricRouterUpdate {
    /// The spec without the certificate, and the fingerprint of the certificate.
    pub fn spec(self) -> (RouterSpec, Option<String>) {
        (self.common.spec(RouterKind::Transit), self.fingerprint)
    }
}

impl FabricRouterPatch {
    /// The changes to the spec without the certificate, and the new fingerprint.
    pub fn patch(self) -> (RouterSpecPatch, Option<Option<String>>) {
        (
            self.common.patch(EdgeRouterSettingsPatch::default()),
            self.fingerprint,
        )
    }
}

impl From<ManagedRouterView> for RouterDetail {
    fn from(view: ManagedRouterView) -> Self {
        let (router, connection) = (view.router, view.connection);
        let is_online = connection.is_online();
        let listeners = connection.link_listeners.into_iter();
        let listeners = listeners.map(LinkListener::from).collect();
        let spec = router.spec;
        Self {
            base: Base {
                links: Links::with_self_and_children(
                    &format!("routers/{}", router.id),
                    ["terminators"],
                ),
                created_at: router.created_at.into(),
                id: router.id,
                tags: spec.tags,
                updated_at: router.updated_at.into(),
            },
            configs: Some(spec.configs).filter(|configs| !configs.is_empty()),
            connected: is_online,
            connected_at: connection.connected_since.map(WireTime::from),
            cost: spec.cost,
            ctrl_chan_listeners: spec.ctrl_chan_listeners,
            disabled: spec.disabled,
            disconnected_at: connection.disconnected_at.map(WireTime::from),
            fingerprint: spec.certificate.map(|certificate| certificate.fingerprint),
            interfaces: reported_interfaces(&spec.reported),
            listener_addresses: is_online.then_some(listeners),
            name: spec.name,
            no_traversal: spec.no_traversal,
            version_info: is_online.then(|| connection.version.into()),
        }
    }
}

impl From<view::LinkListener> for LinkListener {
    fn from(listener: view::LinkListener) -> Self {
        Self {
            address: listener.address,
            protocol: listener.protocol,
        }
    }
}

/// A reference to a router on the fabric.
pub(super) fn reference(id: &RouterId, name: String) -> EntityRef {
    EntityRef::with_links("routers", id.as_str(), name, ["terminators"])
}
