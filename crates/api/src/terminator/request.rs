//! Bodies of terminator requests.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{TerminatorSpec, TerminatorSpecPatch};
use secrecy::SecretSlice;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "terminator";

/// Values of `precedence`.
const PRECEDENCES: [&str; 3] = [
    Precedence::Default.name(),
    Precedence::Required.name(),
    Precedence::Failed.name(),
];

/// Maximum size of the secret of an instance, bytes.
pub(crate) const MAX_INSTANCE_SECRET_BYTES: usize = 1024;

/// The body of POST `/terminators`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminatorCreate {
    /// Members shared with the body of PUT.
    #[serde(flatten)]
    pub replace: TerminatorUpdate,
    /// Instance id, for clients that dial a specific instance.
    pub identity: String,
    /// What all terminators of the instance have to share.
    #[serde(
        serialize_with = "crate::secret::serialize_bytes_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub identity_secret: Option<SecretSlice<u8>>,
}

/// The body of PUT `/terminators/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TerminatorUpdate {
    /// Address that the router connects to.
    pub address: String,
    /// Binding of the router that connects circuits to the service; if empty, it follows from the
    /// address.
    pub binding: String,
    /// Static cost of the terminator.
    pub cost: u16,
    /// Precedence among the terminators of the service.
    pub precedence: Precedence,
    /// Id of its router.
    pub router: RouterId,
    /// Id of its service.
    pub service: ServiceId,
    pub tags: Tags,
}

/// The body of PATCH `/terminators/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TerminatorPatch {
    /// Address that the router connects to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Binding of the router.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// Static cost of the terminator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u16>,
    /// Precedence among the terminators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedence: Option<Precedence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router: Option<RouterId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceId>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl TerminatorCreate {
    /// A terminator where `router` connects circuits to `service` at an address, such as
    /// `tcp:localhost:80`, with the binding `transport` and defaults for everything else.
    pub fn new(service: ServiceId, router: RouterId, address: impl Into<String>) -> Self {
        Self {
            replace: TerminatorUpdate {
                address: address.into(),
                binding: "transport".to_owned(),
                cost: 0,
                precedence: Precedence::default(),
                router,
                service,
                tags: Tags::default(),
            },
            identity: String::new(),
            identity_secret: None,
        }
    }
}

impl Decode for TerminatorCreate {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "identitySecret",
        "What all terminators of the instance have to share, in Base64.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            replace: TerminatorUpdate::decode(members)?,
            identity: members.optional_string("identity")?.unwrap_or_default(),
            identity_secret: members
                .optional_secret_bytes("identitySecret", MAX_INSTANCE_SECRET_BYTES)?,
        })
    }
}

impl Decode for TerminatorUpdate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.required_string("address")?,
            binding: members.required_string("binding")?,
            cost: members.optional_u16("cost")?.unwrap_or_default(),
            precedence: precedence(members)?.unwrap_or_default(),
            router: RouterId::from_wire(members.required_string("router")?),
            service: ServiceId::from_wire(members.required_string("service")?),
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for TerminatorPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.optional_string("address")?,
            binding: members.optional_string("binding")?,
            cost: members.optional_u16("cost")?,
            precedence: precedence(members)?,
            router: members.optional_string("router")?.map(RouterId::from_wire),
            service: members
                .optional_string("service")?
                .map(ServiceId::from_wire),
            tags: members.tags()?,
        })
    }
}

impl TerminatorUpdate {
    /// The spec of a terminator with the instance id `instance_id`.
    pub fn spec(self, instance_id: String) -> TerminatorSpec {
        TerminatorSpec {
            binding: self.binding,
            cost: self.cost,
            precedence: self.precedence,
            instance_id,
            tags: self.tags,
            ..TerminatorSpec::new(self.service, self.router, self.address)
        }
    }
}

/// Without the secret, of which only a hash is stored.
impl From<TerminatorCreate> for TerminatorSpec {
    fn from(create: TerminatorCreate) -> Self {
        create.replace.spec(create.identity)
    }
}

impl From<TerminatorPatch> for TerminatorSpecPatch {
    fn from(patch: TerminatorPatch) -> Self {
        Self {
            service: patch.service,
            router: patch.router,
            binding: patch.binding,
            address: patch.address,
            cost: patch.cost,
            precedence: patch.precedence,
            host_id: None,
            tags: patch.tags,
        }
    }
}

fn precedence(members: &mut Members) -> Result<Option<Precedence>, DecodeError> {
    let path = members.path("precedence");
    let name = members.optional_choice("precedence", &PRECEDENCES)?;
    let precedence = name.map(|name| Precedence::from_name(&path, name));
    Ok(precedence.transpose()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::{Value, json};

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    fn least() -> Value {
        json!({"service": "s", "router": "r", "binding": "", "address": "tcp:a:1"})
    }

    #[test]
    fn what_is_left_out_is_at_its_default() {
        let spec: TerminatorSpec = read::<TerminatorCreate>(&least()).unwrap().into();
        assert_eq!((spec.cost, spec.precedence), (0, Precedence::Default));
        assert_eq!((&*spec.binding, &*spec.instance_id), ("", ""));
        let merge: TerminatorPatch = read(&json!({"cost": null, "identity": "x"})).unwrap();
        assert_eq!(
            TerminatorSpecPatch::from(merge),
            TerminatorSpecPatch::default()
        );
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        let members = ["address", "binding", "router", "service"];
        for (position, member) in members.into_iter().enumerate() {
            let mut body = least();
            for missing in &members[position..] {
                body[missing] = Value::Null;
            }
            match read::<TerminatorCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (member, "<nil>"));
                },
                DecodeError::Parse(text) => panic!("{member}: {text}"),
            }
        }
        for (member, value) in [
            ("cost", json!(-1)),
            ("cost", json!(65536)),
            ("precedence", json!("high")),
            ("precedence", json!("Required")),
        ] {
            let mut body = least();
            body[member] = value;
            for result in [
                read::<TerminatorCreate>(&body).map(drop),
                read::<TerminatorPatch>(&body).map(drop),
            ] {
                let error = result.unwrap_err();
                assert!(
                    matches!(&error, DecodeError::Field(error) if error.field == member),
                    "{error:?}"
                );
            }
        }
    }

    #[test]
    fn the_secret_of_an_instance_is_bytes_in_base64() {
        for (secret, expected) in [
            (json!(null), None),
            (json!(""), None),
            (json!("aHVzaA=="), Some(&b"hush"[..])),
        ] {
            let mut body = least();
            body["identitySecret"] = secret;
            let found = read::<TerminatorCreate>(&body).unwrap().identity_secret;
            let found = found.as_ref().map(secrecy::ExposeSecret::expose_secret);
            assert_eq!(found, expected);
        }
        let long = "A".repeat(1372);
        for wrong in ["hush!", "aHVzaA", long.as_str()] {
            let mut body = least();
            body["identitySecret"] = json!(wrong);
            match read::<TerminatorCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), ("identitySecret", ""));
                },
                DecodeError::Parse(text) => panic!("{text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = TerminatorCreate {
            replace: TerminatorUpdate {
                address: "tcp:a:1".to_owned(),
                binding: "edge_transport".to_owned(),
                cost: 3,
                precedence: Precedence::Required,
                router: RouterId::from_wire("r"),
                service: ServiceId::from_wire("s"),
                tags: Tags::default(),
            },
            identity: "one".to_owned(),
            identity_secret: Some(b"hush".to_vec().into()),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["identitySecret"], "aHVzaA==");
        let found = read::<TerminatorCreate>(&written).unwrap();
        assert_eq!((&found.replace, &*found.identity), (&sent.replace, "one"));
        assert_eq!(found.identity_secret.unwrap().expose_secret(), b"hush");
        assert_eq!(read::<TerminatorUpdate>(&written).unwrap(), sent.replace);
        assert_eq!(TerminatorSpec::from(sent).instance_id, "one");
        let sent = TerminatorPatch {
            precedence: Some(Precedence::Failed),
            ..TerminatorPatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"precedence": "failed"}));
        assert_eq!(read::<TerminatorPatch>(&written).unwrap(), sent);
    }
}
