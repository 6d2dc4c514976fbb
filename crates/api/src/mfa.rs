//! TOTP enrollments on the wire.

use crate::decode::{Decode, DecodeError, Members};
use crate::entity::Base;
use crate::envelope::Created;
use crate::link::Links;
use crate::secret;
use portcullis_domain::ids::MfaId;
use portcullis_domain::mfa::Mfa;
use portcullis_domain::view::{MfaSetUp, MfaView, RecoveryCodesView};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// Path of the caller's own enrollment.
const OWN: &str = "current-identity/mfa";

/// The caller's own TOTP enrollment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<MfaId>,
    /// Whether a code was accepted, which finishes it.
    pub is_verified: bool,
    /// URL of the scheme `otpauth`, with the secret; while it is not verified.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub provisioning_url: Option<SecretString>,
    /// The recovery codes; `null` once it is verified.
    #[serde(default, serialize_with = "secret::serialize_list_option")]
    #[schemars(with = "Option<Vec<String>>")]
    pub recovery_codes: Option<Vec<SecretString>>,
}

impl From<MfaView> for MfaDetail {
    fn from(view: MfaView) -> Self {
        let links = match view.set_up {
            Some(_) => links()
                .and("qr", format!("{OWN}/qr-code"))
                .and("verify", format!("{OWN}/verify")),
            None => verified_links(),
        };
        let (provisioning_url, recovery_codes) = view
            .set_up
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

/// The answer to POST `/current-identity/mfa`: where the enrollment is found, and what finishes it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaStarted {
    /// Its link and its id.
    #[serde(flatten)]
    pub created: Created,
    /// URL of the scheme `otpauth`, with the secret.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub provisioning_url: SecretString,
    /// The recovery codes.
    #[serde(serialize_with = "secret::serialize_list")]
    #[schemars(with = "Vec<String>")]
    pub recovery_codes: Vec<SecretString>,
}

impl MfaStarted {
    /// An enrollment that was begun.
    pub fn new(id: &MfaId, set_up: MfaSetUp) -> Self {
        Self {
            created: Created {
                links: Links::to(OWN),
                id: id.to_string(),
            },
            provisioning_url: set_up.provisioning_url,
            recovery_codes: set_up.recovery_codes,
        }
    }
}

/// The recovery codes that are left to the caller.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodesDetail {
    /// The members that every entity has; those of the enrollment.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<MfaId>,
    /// The codes that are not spent.
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

/// A code that proves something about the caller's own enrollment.
#[derive(Debug, Clone, Serialize)]
pub struct MfaCode {
    /// The code, as it was typed.
    #[serde(serialize_with = "secret::serialize")]
    pub code: SecretString,
}

impl Decode for MfaCode {
    const PARAMETER: &'static str = "mfaValidation";
    const WORDS: &'static [(&'static str, &'static str)] = &[(
        "code",
        "A code of the authenticator app, or a recovery code.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            code: members.required_string("code")?.into(),
        })
    }
}

/// A code that answers the second factor of a session.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct MfaAnswer(pub MfaCode);

impl Decode for MfaAnswer {
    const PARAMETER: &'static str = "mfaAuth";
    const WORDS: &'static [(&'static str, &'static str)] = &[(
        "code",
        "A code of the authenticator app, or a recovery code.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        MfaCode::decode(members).map(Self)
    }
}

/// A code that may be missing.
#[derive(Debug, Clone, Default)]
pub struct MfaCodeIfAny {
    /// The code, as it was typed.
    pub code: Option<SecretString>,
}

impl Decode for MfaCodeIfAny {
    const PARAMETER: &'static str = "mfaValidation";
    const IS_OPTIONAL: bool = true;
    const WORDS: &'static [(&'static str, &'static str)] = &[(
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
    Links::to(OWN).and("current-identity", "current-identity")
}

fn verified_links() -> Links {
    links().and("recovery-codes", format!("{OWN}/recovery-codes"))
}
