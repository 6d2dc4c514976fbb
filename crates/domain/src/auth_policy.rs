//! Authentication policies: which primary mechanisms an identity may use, and which secondary
//! factors it must answer.

use crate::clock::Timestamp;
use crate::ids::{AuthPolicyId, SignerId};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// Id of the policy that exists from the start and cannot be deleted.
pub const DEFAULT_ID: &str = "default";

/// The shortest password that any policy may allow, in characters.
pub const SHORTEST_PASSWORD: u32 = 5;

/// An authentication policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthPolicy {
    /// Its id.
    pub id: AuthPolicyId,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Its unique name.
    pub name: String,
    /// Rules on primary mechanisms.
    pub primary: Primary,
    /// Rules on secondary factors.
    pub secondary: Secondary,
}

/// Rules on primary mechanisms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Primary {
    /// Client certificates.
    pub cert: CertRules,
    /// Username and password.
    pub updb: UpdbRules,
    /// JWTs of external signers.
    pub ext_jwt: ExtJwtRules,
}

/// Rules on client certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertRules {
    /// Whether certificates are a way in.
    pub allowed: bool,
    /// Whether one whose time is over still is.
    pub allow_expired_certs: bool,
}

/// Rules on username and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdbRules {
    /// Whether passwords are a way in.
    pub allowed: bool,
    /// Fewest characters of a password, at least [`SHORTEST_PASSWORD`].
    pub min_password_length: u32,
    /// Whether a password needs a character that is neither letter nor digit.
    pub require_special_char: bool,
    /// Whether a password needs a digit.
    pub require_number_char: bool,
    /// Whether a password needs letters of both cases.
    pub require_mixed_case: bool,
    /// Wrong passwords in a row until the identity is locked; 0 for any number.
    pub max_attempts: u32,
    /// Minutes for which it is locked; 0 until an administrator unlocks it.
    pub lockout_duration_minutes: u32,
}

/// Rules on JWTs of external signers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtJwtRules {
    /// Whether such JWTs are a way in.
    pub allowed: bool,
    /// The signers allowed; none named stands for every enabled one.
    pub allowed_signers: Vec<SignerId>,
}

/// Rules on secondary factors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secondary {
    /// Whether a TOTP code is demanded.
    pub require_totp: bool,
    /// The signer of a JWT that is demanded with every request.
    pub require_ext_jwt_signer: Option<SignerId>,
}

impl AuthPolicy {
    /// The policy that exists from the start: certificates (expired ones too), passwords and any
    /// enabled external signer are ways in, and no second factor is demanded.
    pub fn default_policy(now: Timestamp) -> Self {
        Self {
            id: AuthPolicyId::from_wire(DEFAULT_ID),
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            name: "Default".to_owned(),
            primary: Primary {
                cert: CertRules {
                    allowed: true,
                    allow_expired_certs: true,
                },
                updb: UpdbRules {
                    allowed: true,
                    min_password_length: SHORTEST_PASSWORD,
                    require_special_char: false,
                    require_number_char: false,
                    require_mixed_case: false,
                    max_attempts: 0,
                    lockout_duration_minutes: 0,
                },
                ext_jwt: ExtJwtRules {
                    allowed: true,
                    allowed_signers: Vec::new(),
                },
            },
            secondary: Secondary {
                require_totp: false,
                require_ext_jwt_signer: None,
            },
        }
    }

    /// Whether this is the policy that cannot be deleted.
    pub fn is_default(&self) -> bool {
        self.id.as_str() == DEFAULT_ID
    }
}
