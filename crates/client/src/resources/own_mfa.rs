//! The caller's own TOTP enrollment.

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
    /// The enrollment of the caller. While it is not verified, what is needed to verify it comes
    /// with it.
    pub async fn own_mfa(&self) -> Result<MfaDetail, ClientError> {
        self.get(&enrollment()).await
    }

    /// Starts an enrollment. What is needed to verify it is read with [`Client::own_mfa`]: not every
    /// controller gives it here.
    pub async fn start_own_mfa(&self) -> Result<Created, ClientError> {
        self.post(&enrollment(), Body::none()).await
    }

    /// Finishes the enrollment that was started, with a TOTP code. The session is complete with it.
    pub async fn verify_own_mfa(&self, code: SecretString) -> Result<(), ClientError> {
        let endpoint = enrollment().then("verify");
        self.succeed(Method::POST, &endpoint, Body::json(&MfaCode { code })?)
            .await
    }

    /// The QR code of the enrollment that was started, a PNG.
    pub async fn own_mfa_qr_code(&self) -> Result<Bytes, ClientError> {
        let endpoint = enrollment().then("qr-code");
        let reply = self.fetch(Method::GET, &endpoint, Body::none()).await?;
        Ok(reply.body)
    }

    /// The recovery codes that are not spent, against a TOTP or recovery code. The latter is spent
    /// by it.
    pub async fn own_recovery_codes(
        &self,
        code: SecretString,
    ) -> Result<RecoveryCodesDetail, ClientError> {
        self.with_code(code).get(&recovery_codes()).await
    }

    /// Replaces the recovery codes, against a TOTP or recovery code, and answers the new ones.
    ///
    /// Controllers that do not answer them take the same TOTP code once more, from the same session,
    /// to show them: [`Client::own_recovery_codes`].
    pub async fn replace_own_recovery_codes(
        &self,
        code: SecretString,
    ) -> Result<Option<RecoveryCodesDetail>, ClientError> {
        let body = Body::json(&MfaCode { code })?;
        match self.post(&recovery_codes(), body).await? {
            Replaced::Told(codes) => Ok(Some(codes)),
            Replaced::Done(_) => Ok(None),
        }
    }

    /// Removes the enrollment. One that is verified is removed against a TOTP or recovery code.
    pub async fn remove_own_mfa(&self, code: Option<SecretString>) -> Result<(), ClientError> {
        match code {
            Some(code) => self.with_code(code).delete(&enrollment()).await,
            None => self.delete(&enrollment()).await,
        }
    }
}

/// What an answer says after recovery codes were replaced.
#[derive(Deserialize)]
#[serde(untagged)]
enum Replaced {
    Told(RecoveryCodesDetail),
    Done(IgnoredAny),
}

fn enrollment() -> Endpoint {
    Endpoint::new(Api::Client, "current-identity").then("mfa")
}

fn recovery_codes() -> Endpoint {
    enrollment().then("recovery-codes")
}
