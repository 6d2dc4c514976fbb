//! Requests about identities, as the server reads them.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::FieldError;
use portcullis_domain::auth_policy;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::enrollment::Method;
use portcullis_domain::identity::{
    Hosting, IdentityName, IdentityPatch, IdentitySpec, IdentityType, Precedence,
};
use portcullis_domain::ids::{AuthPolicyId, CaId, ServiceId};
use portcullis_domain::permission::PermissionSet;
use portcullis_domain::tags::AppData;
use std::collections::BTreeMap;

/// Words that are taken as a type. All but the router's mean the same.
const TYPES: [&str; 5] = ["User", "Device", "Service", "Router", "Default"];

/// The body of POST `/identities`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateIdentity {
    /// What administrators decide about the identity.
    pub spec: IdentitySpec,
    /// How it is to obtain its first credential, if not by later arrangement.
    pub enrollment: Option<Method>,
}

impl Decode for CreateIdentity {
    const PARAMETER: &'static str = "identity";
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (
            "enrollment",
            "How the identity is to obtain its first credential: by one of these methods at most.",
        ),
        ("enrollment.ott", "Whether by a one-time token."),
        (
            "enrollment.ottca",
            "By a one-time token and a certificate of this third-party authority: its id.",
        ),
        (
            "enrollment.updb",
            "By a one-time token and a password: the username.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        if let Some(IdentityType::Router) = kind(members)? {
            return Err(FieldError::new(
                members.path("type"),
                "router identities are created with their router; create an edge router instead",
                IdentityType::Router.name(),
            )
            .into());
        }
        Ok(Self {
            spec: spec(members)?,
            enrollment: enrollment(members)?,
        })
    }
}

/// The body of PUT `/identities/{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceIdentity {
    /// What administrators decide about the identity; what the body leaves out is at its default.
    pub spec: IdentitySpec,
    /// The type that the caller takes it to have, which nobody can change.
    pub kind: IdentityType,
}

impl Decode for ReplaceIdentity {
    const PARAMETER: &'static str = "identity";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            spec: spec(members)?,
            kind: to_kind(members.required_choice("type", &TYPES)?),
        })
    }
}

/// The body of PATCH `/identities/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatchIdentity {
    /// The members to change.
    pub patch: IdentityPatch,
}

impl PatchIdentity {
    /// Whether no member is set that could change anything. A type is none.
    pub fn is_empty(&self) -> bool {
        self.patch == IdentityPatch::default()
    }
}

impl Decode for PatchIdentity {
    const PARAMETER: &'static str = "identity";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        // Taken to be refused when it is none; a type cannot be changed.
        kind(members)?;
        let patch = IdentityPatch {
            name: members
                .optional_string("name")?
                .map(IdentityName::new)
                .transpose()?,
            is_admin: members.optional_bool("isAdmin")?,
            is_default_admin: members.optional_bool("isDefaultAdmin")?,
            role_attributes: members.role_attributes()?,
            auth_policy: auth_policy(members)?,
            external_id: members.optional_string("externalId")?.map(unless_blank),
            permissions: permissions(members)?,
            app_data: app_data(members)?,
            tags: members.tags()?,
            default_hosting_precedence: default_precedence(members)?,
            default_hosting_cost: members.optional_u16("defaultHostingCost")?,
            service_hosting_precedences: precedences(members)?,
            service_hosting_costs: costs(members)?,
        };
        Ok(Self { patch })
    }
}

/// The body of POST `/identities/{id}/disable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisableIdentity {
    /// For how long; `None` until it is enabled again.
    pub duration: Option<SignedDuration>,
}

impl Decode for DisableIdentity {
    const PARAMETER: &'static str = "disable";
    const WORDS: &'static [(&'static str, &'static str)] = &[(
        "durationMinutes",
        "For how many minutes it is shut out; 0 until it is enabled again.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let minutes = members.required_integer("durationMinutes")?;
        Ok(Self {
            duration: (minutes > 0).then(|| SignedDuration::from_secs(minutes.saturating_mul(60))),
        })
    }
}

fn app_data(members: &mut Members) -> Result<Option<AppData>, DecodeError> {
    let object = members.json_object("appData")?;
    Ok(object.map(AppData::from_json).transpose()?)
}

/// Reads the members that a creation and a replacement share.
fn spec(members: &mut Members) -> Result<IdentitySpec, DecodeError> {
    // Of several that are missing, clients are used to hear of this one first.
    let is_admin = members.required_bool("isAdmin")?;
    let name = IdentityName::new(members.required_string("name")?)?;
    Ok(IdentitySpec {
        is_admin,
        role_attributes: members.role_attributes()?.unwrap_or_default(),
        auth_policy: auth_policy(members)?.unwrap_or_else(auth_policy::default_id),
        external_id: members
            .optional_string("externalId")?
            .and_then(unless_blank),
        permissions: permissions(members)?,
        app_data: app_data(members)?.unwrap_or_default(),
        tags: members.tags()?.unwrap_or_default(),
        hosting: Hosting {
            default_precedence: default_precedence(members)?.unwrap_or_default(),
            default_cost: members
                .optional_u16("defaultHostingCost")?
                .unwrap_or_default(),
            precedences: precedences(members)?.unwrap_or_default(),
            costs: costs(members)?.unwrap_or_default(),
        },
        ..IdentitySpec::named(name)
    })
}

fn kind(members: &mut Members) -> Result<Option<IdentityType>, DecodeError> {
    Ok(members.optional_choice("type", &TYPES)?.map(to_kind))
}

fn to_kind(name: &str) -> IdentityType {
    if name == IdentityType::Router.name() {
        IdentityType::Router
    } else {
        IdentityType::Default
    }
}

/// Reads the one way of enrolling that is asked for.
fn enrollment(members: &mut Members) -> Result<Option<Method>, DecodeError> {
    let Some(mut choice) = members.object("enrollment")? else {
        return Ok(None);
    };
    let ott = choice.optional_bool("ott")?.filter(|wanted| *wanted);
    let ottca = choice.optional_string("ottca")?.filter(|ca| !ca.is_empty());
    let updb = choice.new_username("updb")?;
    match (ott, ottca, updb) {
        (None, None, None) => Ok(None),
        (Some(_), None, None) => Ok(Some(Method::Ott)),
        (None, Some(ca), None) => Ok(Some(Method::OttCa {
            ca: CaId::from_wire(ca),
        })),
        (None, None, Some(username)) => Ok(Some(Method::Updb { username })),
        (ott, ottca, updb) => {
            let given = [
                ott.map(|_| "ott"),
                ottca.map(|_| "ottca"),
                updb.map(|_| "updb"),
            ];
            let given: Vec<_> = given.into_iter().flatten().collect();
            let reason = format!("must have only one of {}", given.join(", "));
            Err(FieldError::new(members.path("enrollment"), reason, given.join(", ")).into())
        },
    }
}

fn auth_policy(members: &mut Members) -> Result<Option<AuthPolicyId>, DecodeError> {
    let id = members.optional_string("authPolicyId")?;
    Ok(id.map(|id| unless_blank(id).map_or_else(auth_policy::default_id, AuthPolicyId::from_wire)))
}

fn permissions(members: &mut Members) -> Result<Option<PermissionSet>, DecodeError> {
    let names = members.string_list("permissions")?;
    Ok(names.map(PermissionSet::from_names).transpose()?)
}

fn default_precedence(members: &mut Members) -> Result<Option<Precedence>, DecodeError> {
    let path = members.path("defaultHostingPrecedence");
    members.one_of(
        "defaultHostingPrecedence",
        &Precedence::ALL.map(Precedence::name),
    );
    let name = members.optional_string("defaultHostingPrecedence")?;
    Ok(name.map(|name| precedence(&path, &name)).transpose()?)
}

fn precedences(
    members: &mut Members,
) -> Result<Option<BTreeMap<ServiceId, Precedence>>, DecodeError> {
    let path = members.path("serviceHostingPrecedences");
    let Some(names) = members.string_map("serviceHostingPrecedences")? else {
        return Ok(None);
    };
    let precedences = names.into_iter().map(|(service, name)| {
        let precedence = precedence(&format!("{path}.{service}"), &name)?;
        Ok((ServiceId::from_wire(service), precedence))
    });
    precedences.collect::<Result<_, _>>().map(Some)
}

/// Reads a precedence; the empty text that some clients send stands for the default.
fn precedence(path: &str, name: &str) -> Result<Precedence, FieldError> {
    if name.is_empty() {
        Ok(Precedence::Default)
    } else {
        Precedence::from_name(path, name)
    }
}

fn costs(members: &mut Members) -> Result<Option<BTreeMap<ServiceId, u16>>, DecodeError> {
    let costs = members.u16_map("serviceHostingCosts")?;
    let by_service = |costs: BTreeMap<_, _>| {
        costs
            .into_iter()
            .map(|(service, cost)| (ServiceId::from_wire(service), cost))
            .collect()
    };
    Ok(costs.map(by_service))
}

fn unless_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}
