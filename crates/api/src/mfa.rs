//! Wire types of MFA (TOTP) enrollments.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::envelope::Created;
use crate::link::Links;
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::ids::MfaId;
use portcullis_domain::mfa::Mfa;
use portcullis_domain::view::{MfaSetup, MfaView, RecoveryCodesView};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// Path of the caller's own enrollment.
const OWN_MFA_PATH: &str = "current-identity/mfa";

/// MFA enrollment of the caller.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<MfaId>,
    /// Whether the enrollment was verified with a code.
    pub is_verified: bool,
    /// `otpauth` URL with the secret; absent once it is verified.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub provisioning_url: Option<SecretString>,
    /// Recovery codes; `null` once it is verified.
    #[serde(default, serialize_with = "secret::serialize_list_option")]
    #[schemars(with = "Option<Vec<String>>")]
    pub recovery_codes: Option<Vec<SecretString>>,
}

impl From<MfaView> for MfaDetail {
    fn from(view: MfaView) -> Self {
        let links = match view.setup {
            Some(_) => links()
                .with("qr", format!("{OWN_MFA_PATH}/qr-code"))
                .with("verify", format!("{OWN_MFA_PATH}/verify")),
            None => verified_links(),
        };
        let (provisioning_url, recovery_codes) = view
            .setup
            .map(|set_up| (set_up.provisioning_url, set_up.recovery_codes))
            .unzip();
        Self {
            is_verified: provisioning_url.is_none(),
            base: base(view.mfa, links),
            provisioning_url,
            recovery_codes,
        }
    }
}

/// Response to POST `/current-identity/mfa`: the new enrollment and its secrets.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaEnrollmentStarted {
    /// Its link and its id.
    #[serde(flatten)]
    pub created: Created,
    /// `otpauth` URL with the secret.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub provisioning_url: SecretString,
    /// The recovery codes.
    #[serde(serialize_with = "secret::serialize_list")]
    #[schemars(with = "Vec<String>")]
    pub recovery_codes: Vec<SecretString>,
}

impl MfaEnrollmentStarted {
    /// A started enrollment.
    pub fn new(id: &MfaId, set_up: MfaSetup) -> Self {
        Self {
            created: Created {
                links: Links::with_self(OWN_MFA_PATH),
                id: id.to_string(),
            },
            provisioning_url: set_up.provisioning_url,
            recovery_codes: set_up.recovery_codes,
        }
    }
}

/// An enrollment that was begun within a login by OIDC.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginEnrollment {
    /// Always `null`.
    #[serde(rename = "_links")]
    pub links: Option<Links>,
    /// Id of the enrollment.
    #[schemars(with = "String")]
    pub id: MfaId,
    /// When it was begun.
    pub created_at: WireTime,
    /// When it last changed.
    pub updated_at: WireTime,
    /// Always `false`.
    pub is_verified: bool,
    /// `otpauth` URL with the secret.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub provisioning_url: Option<SecretString>,
    /// Recovery codes.
    #[serde(serialize_with = "secret::serialize_list_option")]
    #[schemars(with = "Option<Vec<String>>")]
    pub recovery_codes: Option<Vec<SecretString>>,
}

impl From<MfaView> for LoginEnrollment {
    fn from(view: MfaView) -> Self {
        let (provisioning_url, recovery_codes) = view
            .setup
            .map(|set_up| (set_up.provisioning_url, set_up.recovery_codes))
            .unzip();
        Self {
            links: None,
            id: view.mfa.id,
            created_at: view.mfa.created_at.into(),
            updated_at: view.mfa.updated_at.into(),
            is_verified: false,
            provisioning_url,
            recovery_codes,
        }
    }
}

/// A token that proves a TOTP pass to routers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotpTokenDetail {
    /// The token, a JWT.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// When the code was accepted.
    pub issued_at: WireTime,
}

/// Unused recovery codes of the caller.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodesDetail {
    /// Members common to all entities, taken from the enrollment.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<MfaId>,
    /// Codes that have not been used.
    #[serde(serialize_with = "secret::serialize_list")]
    #[schemars(with = "Vec<String>")]
    pub recovery_codes: Vec<SecretString>,
}

impl From<RecoveryCodesView> for RecoveryCodesDetail {
    fn from(view: RecoveryCodesView) -> Self {
        Self {
            base: base(view.mfa, verified_links()),
            recovery_codes: view.codes,
        }
    }
}

/// A code for operations on the caller's own MFA enrollment.
#[derive(Debug, Clone, Serialize)]
pub struct MfaCode {
    /// The code as typed by the user.
    #[serde(serialize_with = "secret::serialize")]
    pub code: SecretString,
}

impl Decode for MfaCode {
    const BODY_NAME: &'static str = "mfaValidation";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "code",
        "A code of the authenticator app, or a recovery code.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            code: members.required_string("code")?.into(),
        })
    }
}

/// A code for the second factor of a session.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct MfaAuthCode(pub MfaCode);

impl Decode for MfaAuthCode {
    const BODY_NAME: &'static str = "mfaAuth";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "code",
        "A code of the authenticator app, or a recovery code.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        MfaCode::decode(members).map(Self)
    }
}

/// An optional code.
#[derive(Debug, Clone, Default)]
pub struct OptionalMfaCode {
    /// The code as typed by the user.
    pub code: Option<SecretString>,
}

impl Decode for OptionalMfaCode {
    const BODY_NAME: &'static str = "mfaValidation";
    const IS_OPTIONAL: bool = true;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "code",
        "A code of the authenticator app, or a recovery code.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            code: members.optional_string("code")?.map(SecretString::from),
        })
    }
}

fn base(mfa: Mfa, links: Links) -> Base<MfaId> {
    Base {
        updated_at: mfa.updated_at.into(),
        ..Base::unchanging(links, mfa.id, mfa.created_at)
    }
}

fn links() -> Links {
    Links::with_self(OWN_MFA_PATH).with("current-identity", "current-identity")
}

fn verified_links() -> Links {
    links().with("recovery-codes", format!("{OWN_MFA_PATH}/recovery-codes"))
}
