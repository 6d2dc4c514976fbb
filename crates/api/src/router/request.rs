//! Bodies of transit router requests, shared with edge routers and the fabric API.

use super::CtrlChanListeners;
use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::ids::ConfigId;
use portcullis_domain::router::{EdgeRouterSettingsPatch, RouterKind, RouterSpec, RouterSpecPatch};
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::collections::BTreeSet;

/// Name of the body in errors.
const PARAMETER: &str = "router";

/// The body of POST `/transit-routers` and PUT `/transit-routers/{id}`, which those of edge routers
/// include. Absent members are set to their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransitRouterCreate {
    pub configs: BTreeSet<ConfigId>,
    /// Cost of routing a circuit through it.
    pub cost: u16,
    /// Addresses at which controllers can reach the router, with the groups of each.
    #[serde(skip_serializing_if = "CtrlChanListeners::is_empty")]
    pub ctrl_chan_listeners: CtrlChanListeners,
    /// Whether the router is disabled.
    pub disabled: bool,
    pub name: String,
    /// Whether circuits may only begin or end at this router, not pass through it.
    pub no_traversal: bool,
    pub tags: Tags,
}

/// The body of PATCH `/transit-routers/{id}`, which that of edge routers includes. Members that are
/// `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransitRouterPatch {
    /// Replaces all configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Cost of routing a circuit through it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u16>,
    /// Replaces all addresses for controllers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctrl_chan_listeners: Option<CtrlChanListeners>,
    /// Whether the router is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether circuits may only begin or end at this router, not pass through it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_traversal: Option<bool>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for TransitRouterCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            configs: members.ids("configs")?.unwrap_or_default(),
            cost: members.optional_u16("cost")?.unwrap_or_default(),
            ctrl_chan_listeners: members
                .string_list_map("ctrlChanListeners")?
                .unwrap_or_default(),
            disabled: members.optional_bool("disabled")?.unwrap_or_default(),
            name: members.required_string("name")?,
            no_traversal: members.optional_bool("noTraversal")?.unwrap_or_default(),
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for TransitRouterPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            configs: members.ids("configs")?,
            cost: members.optional_u16("cost")?,
            ctrl_chan_listeners: members.string_list_map("ctrlChanListeners")?,
            disabled: members.optional_bool("disabled")?,
            name: members.optional_string("name")?,
            no_traversal: members.optional_bool("noTraversal")?,
            tags: members.tags()?,
        })
    }
}

impl TransitRouterCreate {
    /// A router with this name and defaults for everything else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The spec of a router of that kind.
    pub fn spec(self, kind: RouterKind) -> RouterSpec {
        RouterSpec {
            kind,
            cost: self.cost,
            no_traversal: self.no_traversal,
            disabled: self.disabled,
            ctrl_chan_listeners: self.ctrl_chan_listeners,
            configs: self.configs,
            tags: self.tags,
            ..RouterSpec::transit_router(self.name)
        }
    }
}

impl TransitRouterPatch {
    /// The changes to the spec, together with those to the edge router settings.
    pub fn patch(self, edge: EdgeRouterSettingsPatch) -> RouterSpecPatch {
        RouterSpecPatch {
            name: self.name,
            cost: self.cost,
            no_traversal: self.no_traversal,
            disabled: self.disabled,
            ctrl_chan_listeners: self.ctrl_chan_listeners,
            configs: self.configs,
            edge,
            tags: self.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = TransitRouterCreate {
            cost: 5,
            disabled: true,
            name: "t".to_owned(),
            no_traversal: true,
            ..TransitRouterCreate::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(TransitRouterCreate::from_body(&bytes).unwrap(), sent);
        let spec = sent.spec(RouterKind::Transit);
        assert_eq!((spec.kind, spec.cost), (RouterKind::Transit, 5));
        assert!(spec.disabled && spec.no_traversal);
        let sent = TransitRouterPatch {
            cost: Some(0),
            ..TransitRouterPatch::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(bytes, br#"{"cost":0}"#);
        assert_eq!(TransitRouterPatch::from_body(&bytes).unwrap(), sent);
    }

    #[test]
    fn edge_members_mean_nothing_and_the_name_is_required() {
        let body = json!({"name": "t", "roleAttributes": ["#x"], "isTunnelerEnabled": 5});
        let read = TransitRouterCreate::from_body(body.to_string().as_bytes()).unwrap();
        assert_eq!(read.name, "t");
        for (body, field) in [("{}", "name"), (r#"{"cost": 65536}"#, "cost")] {
            match TransitRouterCreate::from_body(body.as_bytes()).unwrap_err() {
                DecodeError::Field(error) => assert_eq!(error.field, field),
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }
}
