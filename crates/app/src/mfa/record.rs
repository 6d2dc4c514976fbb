//! Records of TOTP enrollments: made, found, opened.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::{MfaId, Number};
use portcullis_domain::mfa::{Mfa, Progress, SpentCodes};
use portcullis_domain::view::MfaSetUp;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, MFA, Rows, StoredMfa, identity_key};
use portcullis_totp::{NotEnrolled, RecoveryCodes, Secret, provisioning_url};
use secrecy::SecretString;

const SECRET: &str = "secret";
const RECOVERY_CODES: &str = "recovery codes";

/// What codes are checked by.
pub(super) struct Opened {
    pub(super) secret: Secret,
    pub(super) codes: RecoveryCodes,
}

impl Opened {
    /// Draws a secret and recovery codes.
    pub(super) fn generate(app: &App) -> Result<Self, AppError> {
        let entropy = &*app.env().entropy;
        Ok(Self {
            secret: Secret::generate(entropy)?,
            codes: RecoveryCodes::generate(entropy)?,
        })
    }

    /// Opens what is sealed in a record.
    pub(super) fn of(app: &App, found: &Found<StoredMfa>) -> Result<Self, AppError> {
        let open = |field, sealed: &str| app.vault.open_sealed(&found.key, field, sealed);
        let damaged = |what| StoreError::corrupt(format!("{what} of record {}", found.key));
        let secret = open(SECRET, &found.entity.secret)?;
        let codes = open(RECOVERY_CODES, &found.entity.recovery_codes)?;
        Ok(Self {
            secret: Secret::from_bytes(&secret).map_err(|_bad| damaged("the TOTP secret"))?,
            codes: RecoveryCodes::from_bytes(&codes)
                .map_err(|_bad| damaged("the recovery codes"))?,
        })
    }

    /// What the owner of the account `account` is shown to set up an authenticator app.
    pub(super) fn set_up(&self, app: &App, account: &str) -> MfaSetUp {
        MfaSetUp {
            provisioning_url: provisioning_url(&app.mfa.issuer, account, &self.secret),
            recovery_codes: unspent(&self.codes, SpentCodes::default()),
        }
    }
}

/// The recovery codes that are left.
pub(super) fn unspent(codes: &RecoveryCodes, spent: SpentCodes) -> Vec<SecretString> {
    codes.unspent(spent).map(SecretString::from).collect()
}

/// An enrollment made ready for the store: drawn and sealed before any transaction.
pub(super) struct Draft {
    pub(super) key: RecordKey,
    pub(super) stored: StoredMfa,
    pub(super) opened: Opened,
}

impl Draft {
    /// Begins an enrollment of an identity.
    pub(super) fn begin(app: &App, identity: Number) -> Result<Self, AppError> {
        let opened = Opened::generate(app)?;
        let key = identity_key(identity).dependent(MFA, app.number(MFA).0);
        let now = app.env().now();
        let mfa = Mfa {
            id: MfaId::generate(&*app.env().entropy)?,
            created_at: now,
            updated_at: now,
            progress: NotEnrolled.start().into(),
        };
        let stored = StoredMfa {
            mfa,
            secret: app.vault.seal(&key, SECRET, opened.secret.as_bytes())?,
            recovery_codes: seal_codes(app, &key, &opened.codes)?,
        };
        Ok(Self {
            key,
            stored,
            opened,
        })
    }
}

/// Seals recovery codes for the record at `key`.
pub(super) fn seal_codes(
    app: &App,
    key: &RecordKey,
    codes: &RecoveryCodes,
) -> Result<String, AppError> {
    Ok(app.vault.seal(key, RECOVERY_CODES, codes.as_bytes())?)
}

/// The caller's own identity.
pub(super) fn own_identity(rows: Rows<'_>, caller: &Caller) -> Result<Found<Identity>, AppError> {
    let key = identity_key(caller.identity_number);
    let entity = rows
        .get(&key)?
        .ok_or_else(|| AppError::not_found("identity", caller.identity.as_str()))?;
    Ok(Found { key, entity })
}

/// The enrollment of an identity. Absence is never permission: what the identity's record states
/// about it has to be so.
pub(super) fn find(
    rows: Rows<'_>,
    identity: &Found<Identity>,
) -> Result<Option<Found<StoredMfa>>, StoreError> {
    let mut present = rows.dependents::<StoredMfa>(&identity.key)?;
    let newest = present.pop();
    let state = newest
        .as_ref()
        .map_or(TotpState::None, |found| found.entity.mfa.state());
    if present.is_empty() && state == identity.entity.attached.totp {
        Ok(newest)
    } else {
        let id = &identity.entity.id;
        Err(StoreError::corrupt(format!(
            "identity {id} is not enrolled in TOTP as it says"
        )))
    }
}

/// How far the enrollment of an identity has come, by its own record and by that of the identity.
pub(crate) fn state(rows: Rows<'_>, identity: &Found<Identity>) -> Result<TotpState, StoreError> {
    find(rows, identity)?;
    Ok(identity.entity.attached.totp)
}

/// How far an enrollment has come, if there is one.
pub(super) fn progress(found: Option<&Found<StoredMfa>>) -> Option<&Progress> {
    found.map(|found| &found.entity.mfa.progress)
}
