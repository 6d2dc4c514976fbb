//! Routers as the fabric has them, of both kinds.

use crate::decode::{Decode, DecodeError, Members};
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::router::{CtrlChanListeners, RouterBody, RouterMerge, VersionInfo};
use portcullis_domain::FieldError;
use portcullis_domain::ids::{ConfigId, RouterId};
use portcullis_domain::router::{
    EdgePatch, RouterCertificate, RouterKind, RouterPatch, RouterSpec,
};
use portcullis_domain::view::ManagedRouterView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// A router.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouterDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RouterId>,
    /// Ids of its configurations; `null` for none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether it is connected.
    pub connected: bool,
    /// What it costs to cross it.
    pub cost: u16,
    /// Addresses at which controllers reach it.
    #[serde(default, skip_serializing_if = "CtrlChanListeners::is_empty")]
    pub ctrl_chan_listeners: CtrlChanListeners,
    /// Whether it is shut out.
    pub disabled: bool,
    /// Lower-case hex SHA-1 of its certificate; `null` while it has none.
    pub fingerprint: Option<String>,
    /// The network interfaces that it reported.
    pub interfaces: Option<Vec<Value>>,
    /// Where other routers reach it; `null` while it is not connected.
    pub listener_addresses: Option<Vec<Value>>,
    /// Its unique name.
    pub name: String,
    /// Whether circuits may begin and end at it only.
    pub no_traversal: bool,
    /// What it runs; left out while it is not connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_info: Option<VersionInfo>,
}

/// The body of POST `/routers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterCreate {
    /// The id, which its certificate bears too.
    pub id: RouterId,
    /// The fingerprint of its certificate, if that is known.
    pub fingerprint: Option<String>,
    /// The members that the edge knows too.
    pub common: RouterBody,
}

/// The body of PUT `/routers/{id}`. What is left out is set back to its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterReplace {
    /// The fingerprint of its certificate; `None` for no certificate.
    pub fingerprint: Option<String>,
    /// The members that the edge knows too.
    pub common: RouterBody,
}

/// The body of PATCH `/routers/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterPart {
    /// The fingerprint of its certificate; of the two, the inner `None` is for no certificate.
    pub fingerprint: Option<Option<String>>,
    /// The members that the edge knows too.
    pub common: RouterMerge,
}

const PARAMETER: &str = "router";

impl Decode for RouterCreate {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let id = members.required_string("id")?;
        check_id(&id)?;
        let fingerprint = members.optional_string("fingerprint")?;
        Ok(Self {
            id: RouterId::from_wire(id),
            fingerprint: fingerprint.map(fingerprint_of).transpose()?.flatten(),
            common: body(members)?,
        })
    }
}

impl Decode for RouterReplace {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let fingerprint = members.required_string("fingerprint")?;
        Ok(Self {
            fingerprint: fingerprint_of(fingerprint)?,
            common: body(members)?,
        })
    }
}

impl Decode for RouterPart {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let fingerprint = members.optional_string("fingerprint")?;
        Ok(Self {
            fingerprint: fingerprint.map(fingerprint_of).transpose()?,
            common: RouterMerge::decode(members)?,
        })
    }
}

/// The members that the edge knows too, of which the fabric demands more.
fn body(members: &mut Members) -> Result<RouterBody, DecodeError> {
    let cost = members.optional_u16("cost")?;
    let cost = match cost {
        Some(cost) => cost,
        None => missing(members, "cost")?,
    };
    let no_traversal = members.required_bool("noTraversal")?;
    Ok(RouterBody {
        cost,
        no_traversal,
        ..RouterBody::decode(members)?
    })
}

/// Says that a member is missing, of which nothing is left.
fn missing<T>(members: &mut Members, name: &str) -> Result<T, DecodeError> {
    members.required_string(name)?;
    Err(FieldError::new(name, "is required", "").into())
}

/// Most characters of an id that somebody chooses.
const LONGEST_ID: usize = 100;

/// Checks that a text can be the id of a router, in a path and in filters too.
fn check_id(id: &str) -> Result<(), FieldError> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_path = matches!(id, "." | "..");
    if id.is_empty() || id.len() > LONGEST_ID || is_path || !id.bytes().all(is_fit) {
        let reason = "must be 1 to 100 letters, digits, dots, hyphens and underscores";
        return Err(FieldError::new("id", reason, id));
    }
    Ok(())
}

/// Reads a fingerprint, in either case of letters and with or without colons; the empty text for none.
fn fingerprint_of(text: String) -> Result<Option<String>, FieldError> {
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

impl RouterCreate {
    /// Its id, and what is decided about it.
    pub fn spec(self) -> (RouterId, RouterSpec) {
        let spec = RouterSpec {
            certificate: self.fingerprint.map(RouterCertificate::known_by),
            ..self.common.spec(RouterKind::Transit)
        };
        (self.id, spec)
    }
}

impl RouterReplace {
    /// What is decided about it but its certificate, and the fingerprint of that.
    pub fn spec(self) -> (RouterSpec, Option<String>) {
        (self.common.spec(RouterKind::Transit), self.fingerprint)
    }
}

impl RouterPart {
    /// The changes that it asks for but that of its certificate, and the fingerprint of that.
    pub fn patch(self) -> (RouterPatch, Option<Option<String>>) {
        (self.common.patch(EdgePatch::default()), self.fingerprint)
    }
}

impl From<ManagedRouterView> for RouterDetail {
    fn from(view: ManagedRouterView) -> Self {
        let (router, connection) = (view.router, view.connection);
        let spec = router.spec;
        Self {
            base: Base {
                links: Links::to_all(&format!("routers/{}", router.id), ["terminators"]),
                created_at: router.created_at.into(),
                id: router.id,
                tags: spec.tags,
                updated_at: router.updated_at.into(),
            },
            configs: Some(spec.configs).filter(|configs| !configs.is_empty()),
            connected: connection.is_online,
            cost: spec.cost,
            ctrl_chan_listeners: spec.ctrl_chan_listeners,
            disabled: spec.disabled,
            fingerprint: spec.certificate.map(|certificate| certificate.fingerprint),
            interfaces: None,
            listener_addresses: None,
            name: spec.name,
            no_traversal: spec.no_traversal,
            version_info: connection.is_online.then(|| connection.version.into()),
        }
    }
}

/// A reference to a router on the fabric.
pub(super) fn reference(id: &RouterId, name: String) -> EntityRef {
    EntityRef::with_links("routers", id.as_str(), name, ["terminators"])
}
