//! Bodies of edge router requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::router::{
    EdgeRouterSettings, EdgeRouterSettingsPatch, RouterKind, RouterSpec, RouterSpecPatch,
};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "edgeRouter";

/// The body of POST `/edge-routers` and PUT `/edge-routers/{id}`. Absent members are set to their
/// defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterCreate {
    /// Application data for clients that request it.
    pub app_data: Tags,
    /// Whether the router also acts as a tunneler.
    pub is_tunneler_enabled: bool,
    /// Role attributes, by which policies select it.
    pub role_attributes: RoleAttributes,
    /// Members common to all routers.
    #[serde(flatten)]
    pub router: TransitRouterCreate,
}

/// The body of PATCH `/edge-routers/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterPatch {
    /// Replaces the application data for clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_data: Option<Tags>,
    /// Whether the router also acts as a tunneler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_tunneler_enabled: Option<bool>,
    /// Replaces all role attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<RoleAttributes>,
    /// Members common to all routers.
    #[serde(flatten)]
    pub router: TransitRouterPatch,
}

impl EdgeRouterCreate {
    /// A router with this name and defaults for everything else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            router: TransitRouterCreate::named(name),
            ..Self::default()
        }
    }
}

impl Decode for EdgeRouterCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let tunneler = members.optional_bool("isTunnelerEnabled")?;
        Ok(Self {
            app_data: members.flat_object("appData")?.unwrap_or_default(),
            is_tunneler_enabled: tunneler.unwrap_or_default(),
            router: TransitRouterCreate::decode(members)?,
            role_attributes: members.role_attributes()?.unwrap_or_default(),
        })
    }
}

impl Decode for EdgeRouterPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            app_data: members.flat_object("appData")?,
            is_tunneler_enabled: members.optional_bool("isTunnelerEnabled")?,
            router: TransitRouterPatch::decode(members)?,
            role_attributes: members.role_attributes()?,
        })
    }
}

impl From<EdgeRouterCreate> for RouterSpec {
    fn from(create: EdgeRouterCreate) -> Self {
        create.router.spec(RouterKind::Edge(EdgeRouterSettings {
            role_attributes: create.role_attributes,
            is_tunneler_enabled: create.is_tunneler_enabled,
            app_data: create.app_data,
        }))
    }
}

impl From<EdgeRouterPatch> for RouterSpecPatch {
    fn from(patch: EdgeRouterPatch) -> Self {
        patch.router.patch(EdgeRouterSettingsPatch {
            role_attributes: patch.role_attributes,
            is_tunneler_enabled: patch.is_tunneler_enabled,
            app_data: patch.app_data,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::ids::ConfigId;
    use serde_json::{Value, json};

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn what_is_left_out_is_at_its_default() {
        let named = EdgeRouterCreate {
            router: TransitRouterCreate {
                name: "r".to_owned(),
                ..TransitRouterCreate::default()
            },
            ..EdgeRouterCreate::default()
        };
        let nulls = json!({
            "name": "r", "appData": null, "configs": null, "cost": null, "ctrlChanListeners": null,
            "disabled": null, "isTunnelerEnabled": null, "noTraversal": null,
            "roleAttributes": null, "tags": null,
        });
        for body in [json!({"name": "r"}), nulls.clone()] {
            assert_eq!(read::<EdgeRouterCreate>(&body).unwrap(), named, "{body}");
        }
        let spec = RouterSpec::from(named);
        assert_eq!(spec.edge(), Some(&EdgeRouterSettings::default()));
        let merge: EdgeRouterPatch = read(&json!({"name": null, "cost": null})).unwrap();
        assert_eq!(RouterSpecPatch::from(merge), RouterSpecPatch::default());
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        for (body, field, value) in [
            (json!({"appData": {"a": [1]}}), "appData.a", "[1]"),
            (json!({"cost": 70000}), "cost", "70000"),
            (json!({"name": "r", "cost": -1}), "cost", "-1"),
            (json!({"disabled": true}), "name", "<nil>"),
            (
                json!({"name": "r", "roleAttributes": ["@x"]}),
                "roleAttributes",
                "@x",
            ),
        ] {
            match read::<EdgeRouterCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        for body in [
            json!({"name": "r", "ctrlChanListeners": {"tls:a:1": "group"}}),
            json!({"name": "r", "isTunnelerEnabled": 1}),
        ] {
            let read = read::<EdgeRouterCreate>(&body);
            assert!(matches!(read, Err(DecodeError::Parse(_))), "{body}");
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = EdgeRouterCreate {
            app_data: Tags::default(),
            is_tunneler_enabled: true,
            role_attributes: RoleAttributes::new(["x"]).unwrap(),
            router: TransitRouterCreate {
                configs: ["c"].map(ConfigId::from_wire).into(),
                cost: 65535,
                ctrl_chan_listeners: [
                    ("tls:a:1".to_owned(), Some(vec!["g".to_owned()])),
                    ("tls:b:1".to_owned(), None),
                ]
                .into(),
                disabled: true,
                name: "r".to_owned(),
                no_traversal: true,
                tags: Tags::default(),
            },
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<EdgeRouterCreate>(&written).unwrap(), sent);
        let spec = RouterSpec::from(sent.clone());
        assert!(spec.disabled && spec.no_traversal);
        assert!(spec.edge().unwrap().is_tunneler_enabled);
        let sent = EdgeRouterPatch {
            is_tunneler_enabled: Some(false),
            router: TransitRouterPatch {
                ctrl_chan_listeners: Some(sent.router.ctrl_chan_listeners),
                ..TransitRouterPatch::default()
            },
            ..EdgeRouterPatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<EdgeRouterPatch>(&written).unwrap(), sent);
        let patch = RouterSpecPatch::from(sent);
        assert_eq!(patch.edge.is_tunneler_enabled, Some(false));
    }
}
