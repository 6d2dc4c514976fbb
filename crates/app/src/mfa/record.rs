//! Records of TOTP enrollments.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{MfaId, RecordNumber};
use portcullis_domain::mfa::{Mfa, MfaProgress, SpentCodes};
use portcullis_domain::view::MfaSetup;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, MFA, Rows, StoredMfa, identity_key};
use portcullis_totp::{NotEnrolled, RecoveryCodes, Secret, provisioning_url};
use secrecy::SecretString;

const SECRET: &str = "secret";
const RECOVERY_CODES: &str = "recovery codes";

/// Decrypted secrets of an enrollment.
pub(super) struct UnsealedSecrets {
    pub(super) secret: Secret,
    pub(super) codes: RecoveryCodes,
}

impl UnsealedSecrets {
    /// Generates a secret and recovery codes.
    pub(super) fn generate(app: &App) -> Result<Self, AppError> {
        let entropy = &*app.env().entropy;
        Ok(Self {
            secret: Secret::generate(entropy)?,
            codes: RecoveryCodes::generate(entropy)?,
        })
    }

    /// Decrypts the secrets in a record.
    pub(super) fn unseal(app: &App, found: &Found<StoredMfa>) -> Result<Self, AppError> {
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

    /// Setup data of an authenticator app for `account`.
    pub(super) fn set_up(&self, app: &App, account: &str) -> MfaSetup {
        MfaSetup {
            provisioning_url: provisioning_url(&app.mfa.issuer, account, &self.secret),
            recovery_codes: unspent(&self.codes, SpentCodes::default()),
        }
    }
}

/// The recovery codes that are not spent.
pub(super) fn unspent(codes: &RecoveryCodes, spent: SpentCodes) -> Vec<SecretString> {
    codes.unspent(spent).map(SecretString::from).collect()
}

/// An enrollment ready to be stored: generated and sealed before the transaction.
pub(super) struct MfaDraft {
    pub(super) key: RecordKey,
    pub(super) stored: StoredMfa,
    pub(super) opened: UnsealedSecrets,
}

impl MfaDraft {
    /// Generates an enrollment for an identity.
    pub(super) fn new(app: &App, identity: RecordNumber) -> Result<Self, AppError> {
        let opened = UnsealedSecrets::generate(app)?;
        let key = identity_key(identity).dependent(MFA, app.next_number(MFA).0);
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

pub(super) fn own_identity(rows: Rows<'_>, caller: &Caller) -> Result<Found<Identity>, AppError> {
    let key = identity_key(caller.identity_number);
    let entity = rows
        .get(&key)?
        .ok_or_else(|| AppError::not_found("identity", caller.identity.as_str()))?;
    Ok(Found { key, entity })
}

pub(super) fn progress(found: Option<&Found<StoredMfa>>) -> Option<&MfaProgress> {
    found.map(|found| &found.entity.mfa.progress)
}
