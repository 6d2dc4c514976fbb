//! MFA (TOTP) enrollment of the caller.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use bytes::Bytes;
use http::Method;
use portcullis_api::envelope::Created;
use portcullis_api::mfa::{MfaCode, MfaDetail, RecoveryCodesDetail};
use secrecy::SecretString;
use serde::Deserialize;
use serde::de::IgnoredAny;

impl Client {
    /// The enrollment of the caller, with the secrets to verify it as long as it is not verified.
    pub async fn own_mfa(&self) -> Result<MfaDetail, ClientError> {
        self.get(&enrollment()).await
    }

    /// Starts an enrollment. The secrets to verify it are read with [`Client::own_mfa`], since not every
    /// controller returns them here.
    pub async fn start_own_mfa(&self) -> Result<Created, ClientError> {
        self.post(&enrollment(), Body::empty()).await
    }

    /// Verifies the started enrollment with a TOTP code, which also satisfies MFA for the session.
    pub async fn verify_own_mfa(&self, code: SecretString) -> Result<(), ClientError> {
        let endpoint = enrollment().join("verify");
        self.execute(Method::POST, &endpoint, Body::json(&MfaCode { code })?)
            .await
    }

    /// The QR code of the started enrollment, as PNG.
    pub async fn own_mfa_qr_code(&self) -> Result<Bytes, ClientError> {
        let endpoint = enrollment().join("qr-code");
        let reply = self.fetch(Method::GET, &endpoint, Body::empty()).await?;
        Ok(reply.body)
    }

    /// The unused recovery codes; needs a TOTP or recovery code. A recovery code is used up.
    pub async fn own_recovery_codes(
        &self,
        code: SecretString,
    ) -> Result<RecoveryCodesDetail, ClientError> {
        self.with_mfa_code(code).get(&recovery_codes()).await
    }

    /// Replaces the recovery codes and returns the new ones; needs a TOTP or recovery code.
    ///
    /// Controllers that do not return them accept the same TOTP code once more in the same session, for
    /// [`Client::own_recovery_codes`].
    pub async fn replace_own_recovery_codes(
        &self,
        code: SecretString,
    ) -> Result<Option<RecoveryCodesDetail>, ClientError> {
        let body = Body::json(&MfaCode { code })?;
        match self.post(&recovery_codes(), body).await? {
            ReplaceCodesResponse::Codes(codes) => Ok(Some(codes)),
            ReplaceCodesResponse::Done(_) => Ok(None),
        }
    }

    /// Removes the enrollment; needs a TOTP or recovery code if it is verified.
    pub async fn remove_own_mfa(&self, code: Option<SecretString>) -> Result<(), ClientError> {
        match code {
            Some(code) => self.with_mfa_code(code).delete(&enrollment()).await,
            None => self.delete(&enrollment()).await,
        }
    }
}

/// Response to a replacement of recovery codes.
#[derive(Deserialize)]
#[serde(untagged)]
enum ReplaceCodesResponse {
    Codes(RecoveryCodesDetail),
    Done(IgnoredAny),
}

fn enrollment() -> Endpoint {
    Endpoint::new(Api::Client, "current-identity").join("mfa")
}

fn recovery_codes() -> Endpoint {
    enrollment().join("recovery-codes")
}
