//! The network that is attacked: who is honest, and what attackers have been given.

use super::honest_address;
use crate::testbed::calls::{enroll, log_in, text_of, token};
use crate::testbed::controller::{Controller, PASSWORD};
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::policies;
use crate::testbed::request::{self, CLIENT, MANAGEMENT};
use anyhow::Context as _;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::TimeStep;
use portcullis_system::SystemClock;
use portcullis_totp::Secret;
use serde_json::{Value, json};
use std::sync::Arc;

/// Honest people who log in with a password alone, with a TOTP code too, and honest devices.
const PEOPLE: u8 = 3;
const CAREFUL_PEOPLE: u8 = 6;
const DEVICES: u8 = 3;

/// Somebody who has to give a TOTP code.
#[derive(Clone)]
pub(super) struct Careful {
    pub(super) username: String,
    pub(super) secret: Arc<Secret>,
    /// The step whose code was given last.
    pub(super) last: TimeStep,
}

/// All of it.
pub(super) struct Scene {
    pub(super) endpoint: Endpoint,
    /// The token of the administrator's session, which is honest.
    pub(super) admin: String,
    /// Usernames; attackers know them.
    pub(super) people: Vec<String>,
    pub(super) careful: Vec<Careful>,
    /// The controller as each honest device comes to it.
    pub(super) devices: Vec<Endpoint>,
    /// The token of an attacker's session. It may do what anybody may.
    pub(super) plain: String,
    /// An attacker who knows a password, and not the code.
    pub(super) victim: String,
    /// The controller as a device of an attacker comes to it, and a service that it may dial.
    pub(super) hoarder: Endpoint,
    pub(super) service: String,
}

/// Makes what there is of it.
struct Maker<'c> {
    link: Link,
    admin: String,
    controller: &'c Controller,
}

impl Scene {
    /// Makes all of it over the API.
    pub(super) async fn prepare(controller: &Controller) -> anyhow::Result<Self> {
        let endpoint = controller.endpoint(None)?;
        let mut link = endpoint.with_source(honest_address(0)).connect().await?;
        let admin = log_in(&mut link).await?;
        let mut maker = Maker {
            link,
            admin,
            controller,
        };
        let mut people = Vec::new();
        for number in 0..PEOPLE {
            people.push(maker.person(&format!("person-{number}")).await?);
        }
        let mut careful = Vec::new();
        for number in 0..CAREFUL_PEOPLE {
            careful.push(maker.careful(&format!("careful-{number}")).await?);
        }
        let mut devices = Vec::new();
        for number in 0..DEVICES {
            let device = maker.device(&format!("device-{number}")).await?;
            devices.push(device.with_source(honest_address(40 + number)));
        }
        let plain = maker.person("trespasser").await?;
        let service = maker.service().await?;
        Ok(Self {
            plain: maker.session(&plain).await?,
            victim: maker.careful("victim").await?.username,
            hoarder: maker.device("hoarder").await?,
            admin: maker.admin,
            endpoint,
            people,
            careful,
            devices,
            service,
        })
    }
}

impl Maker<'_> {
    async fn create(&mut self, collection: &str, body: &Value) -> anyhow::Result<String> {
        let path = format!("{MANAGEMENT}/{collection}");
        let create = request::post(&path, Some(&self.admin), &body.to_string());
        text_of(self.link.expect(201, &create).await?, "/data/id")
    }

    /// Makes somebody with a password; answers the username.
    async fn person(&mut self, name: &str) -> anyhow::Result<String> {
        let identity = json!({ "name": name, "type": "Default", "isAdmin": false });
        let id = self.create("identities", &identity).await?;
        let password = json!({
            "method": "updb", "identityId": id, "username": name, "password": PASSWORD,
        });
        self.create("authenticators", &password).await?;
        Ok(name.to_owned())
    }

    /// Logs somebody in; answers the token.
    async fn session(&mut self, username: &str) -> anyhow::Result<String> {
        let login = request::password_login(username, PASSWORD);
        token(self.link.expect(200, &login).await?)
    }

    /// Makes somebody with a password who is enrolled in TOTP.
    async fn careful(&mut self, name: &str) -> anyhow::Result<Careful> {
        let username = self.person(name).await?;
        let session = self.session(&username).await?;
        let path = format!("{CLIENT}/current-identity/mfa");
        let begin = request::post(&path, Some(&session), "{}");
        let url = text_of(
            self.link.expect(201, &begin).await?,
            "/data/provisioningUrl",
        )?;
        let secret = Arc::new(secret(&url)?);
        let last = TimeStep::at(SystemClock.now());
        let body = json!({ "code": secret.code_at(last).as_str() }).to_string();
        let verify = request::post(&format!("{path}/verify"), Some(&session), &body);
        self.link.expect(200, &verify).await?;
        Ok(Careful {
            username,
            secret,
            last,
        })
    }

    /// Makes a device with a certificate; answers the controller as it comes to it.
    async fn device(&mut self, name: &str) -> anyhow::Result<Endpoint> {
        let device = enroll(&mut self.link, &self.admin, name).await?;
        self.controller.endpoint(Some(&device))
    }

    /// Makes a service that everybody may dial and host, over a router.
    async fn service(&mut self) -> anyhow::Result<String> {
        let service = json!({ "name": "vault", "encryptionRequired": true });
        let service = self.create("services", &service).await?;
        self.create("edge-routers", &json!({ "name": "gate" }))
            .await?;
        policies::for_everybody(&mut self.link, &self.admin).await?;
        Ok(service)
    }
}

/// The secret in the URL that an authenticator app is shown.
fn secret(url: &str) -> anyhow::Result<Secret> {
    let (_, rest) = url.split_once("secret=").context("the URL has no secret")?;
    let text = rest.split('&').next().unwrap_or_default();
    let bytes = base32::decode(base32::Alphabet::Rfc4648 { padding: false }, text);
    Secret::from_bytes(&bytes.context("the secret is not base32")?)
        .ok()
        .context("the secret has another length")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_found_in_a_url() {
        let url = "otpauth://totp/x:y?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=x";
        assert_eq!(secret(url).unwrap().as_bytes(), b"12345678901234567890");
        secret("otpauth://totp/x:y?issuer=x").unwrap_err();
    }
}
