//! Bodies of identity requests, as the server decodes them.

use crate::decode::{Decode, DecodeError, Members, non_blank};
use portcullis_domain::FieldError;
use portcullis_domain::auth_policy;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::identity::{
    Hosting, IdentityName, IdentitySpec, IdentitySpecPatch, IdentityType, Precedence,
};
use portcullis_domain::ids::{AuthPolicyId, CaId, ServiceId};
use portcullis_domain::permission::PermissionSet;
use portcullis_domain::tags::AppData;
use serde::Serialize;
use std::collections::BTreeMap;

/// Accepted identity types. All but `Router` mean `Default`.
const TYPES: [&str; 5] = ["User", "Device", "Service", "Router", "Default"];

/// The body of POST `/identities`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityCreateRequest {
    pub spec: IdentitySpec,
    /// How the identity obtains its first authenticator; `None` to decide later.
    pub enrollment: Option<EnrollmentMethod>,
}

impl Decode for IdentityCreateRequest {
    const BODY_NAME: &'static str = "identity";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "enrollment",
            "How the identity obtains its first authenticator: by at most one of these methods.",
        ),
        ("enrollment.ott", "Whether to enroll with a one-time token."),
        (
            "enrollment.ottca",
            "Id of the third-party CA whose certificate is required in addition to a one-time token.",
        ),
        (
            "enrollment.updb",
            "Username for which a password is chosen with a one-time token.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        if let Some(IdentityType::Router) = decode_type(members)? {
            return Err(FieldError::new(
                members.path("type"),
                "router identities are created with their router; create an edge router instead",
                IdentityType::Router.name(),
            )
            .into());
        }
        Ok(Self {
            spec: decode_spec(members)?,
            enrollment: decode_enrollment(members)?,
        })
    }
}

/// The body of PUT `/identities/{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityUpdateRequest {
    /// The spec; absent members are at their defaults.
    pub spec: IdentitySpec,
    /// The type, which cannot be changed.
    pub kind: IdentityType,
}

impl Decode for IdentityUpdateRequest {
    const BODY_NAME: &'static str = "identity";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            spec: decode_spec(members)?,
            kind: parse_type(members.required_choice("type", &TYPES)?),
        })
    }
}

/// The body of PATCH `/identities/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdentityPatchRequest {
    pub patch: IdentitySpecPatch,
}

impl IdentityPatchRequest {
    /// Whether no member is set that could change anything. The type is not one of those.
    pub fn is_empty(&self) -> bool {
        self.patch == IdentitySpecPatch::default()
    }
}

impl Decode for IdentityPatchRequest {
    const BODY_NAME: &'static str = "identity";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        // Decoded only to refuse an unknown type; the type cannot be changed.
        decode_type(members)?;
        let patch = IdentitySpecPatch {
            name: members
                .optional_string("name")?
                .map(IdentityName::new)
                .transpose()?,
            is_admin: members.optional_bool("isAdmin")?,
            is_default_admin: members.optional_bool("isDefaultAdmin")?,
            role_attributes: members.role_attributes()?,
            auth_policy: auth_policy(members)?,
            external_id: members.optional_string("externalId")?.map(non_blank),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DisableParams {
    /// Minutes for which the identity is disabled; 0 until it is enabled again.
    pub duration_minutes: i64,
}

impl DisableParams {
    /// How long the identity is disabled; `None` until it is enabled again.
    pub fn duration(self) -> Option<SignedDuration> {
        let minutes = self.duration_minutes;
        (minutes > 0).then(|| SignedDuration::from_secs(minutes.saturating_mul(60)))
    }
}

impl Decode for DisableParams {
    const BODY_NAME: &'static str = "disable";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "durationMinutes",
        "Minutes for which the identity is disabled; 0 until it is enabled again.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            duration_minutes: members.required_integer("durationMinutes")?,
        })
    }
}

fn app_data(members: &mut Members) -> Result<Option<AppData>, DecodeError> {
    let object = members.json_object("appData")?;
    Ok(object.map(AppData::from_json).transpose()?)
}

/// Decodes the members that POST and PUT share.
fn decode_spec(members: &mut Members) -> Result<IdentitySpec, DecodeError> {
    // OpenZiti reports this one first if several are missing.
    let is_admin = members.required_bool("isAdmin")?;
    let name = IdentityName::new(members.required_string("name")?)?;
    Ok(IdentitySpec {
        is_admin,
        role_attributes: members.role_attributes()?.unwrap_or_default(),
        auth_policy: auth_policy(members)?.unwrap_or_else(auth_policy::default_id),
        external_id: members.optional_string("externalId")?.and_then(non_blank),
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

fn decode_type(members: &mut Members) -> Result<Option<IdentityType>, DecodeError> {
    Ok(members.optional_choice("type", &TYPES)?.map(parse_type))
}

fn parse_type(name: &str) -> IdentityType {
    if name == IdentityType::Router.name() {
        IdentityType::Router
    } else {
        IdentityType::Default
    }
}

/// Decodes the requested enrollment method.
fn decode_enrollment(members: &mut Members) -> Result<Option<EnrollmentMethod>, DecodeError> {
    let Some(mut choice) = members.object("enrollment")? else {
        return Ok(None);
    };
    let ott = choice.optional_bool("ott")?.filter(|wanted| *wanted);
    let ottca = choice.non_empty_string("ottca")?;
    let updb = choice.new_username("updb")?;
    match (ott, ottca, updb) {
        (None, None, None) => Ok(None),
        (Some(_), None, None) => Ok(Some(EnrollmentMethod::Ott)),
        (None, Some(ca), None) => Ok(Some(EnrollmentMethod::OttCa {
            ca: CaId::from_wire(ca),
        })),
        (None, None, Some(username)) => Ok(Some(EnrollmentMethod::Updb { username })),
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
    Ok(id.map(|id| non_blank(id).map_or_else(auth_policy::default_id, AuthPolicyId::from_wire)))
}

fn permissions(members: &mut Members) -> Result<Option<PermissionSet>, DecodeError> {
    let names = members.string_list("permissions")?;
    Ok(names.map(PermissionSet::from_names).transpose()?)
}

fn default_precedence(members: &mut Members) -> Result<Option<Precedence>, DecodeError> {
    let path = members.path("defaultHostingPrecedence");
    members.record_choices(
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

/// Parses a precedence; the empty string, which some clients send, is the default.
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
