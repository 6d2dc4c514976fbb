//! Logins with tokens of an external signer.

use super::baseline::signatures;
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::report::{Figure, Report, Target};
use super::work::{Work, own_work, work};
use crate::testbed::credential::{Credential, Network};
use crate::testbed::request::{self, CLIENT, MANAGEMENT};
use anyhow::Context as _;
use portcullis_domain::clock::{Clock as _, SignedDuration};
use portcullis_pki::JwtSigner;
use portcullis_pki::external::VerificationKey;
use portcullis_system::SystemClock;
use serde_json::json;
use std::sync::Arc;

const CLIENTS: usize = 16;
const ISSUER: &str = "https://idp.bench.test";
const AUDIENCE: &str = "portcullis";
const HOLDER: &str = "holder@bench.test";

/// Measures logins over kept connections beside bare checks of the same signature.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let signer = Signer::make()?;
    signer.introduce(fixture).await?;
    let token = signer.token()?;
    let login = request::post_with_bearer(&format!("{CLIENT}/authenticate?method=ext-jwt"), &token);
    let (mut bare, mut logins) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        bare += own_work(|| signatures(&token, &signer.verifies, budget))?;
        logins += work(fixture.controller.process, log_in(fixture, &login, budget)).await?;
    }
    report.add(
        Figure::rate("logins with external tokens (ES256)", &logins)
            .beside("bare signature checks", bare.rate())
            .target(Target::RatioAtLeast(0.8)),
    );
    report.add(Figure::rate("bare signature checks", &bare));
    Ok(())
}

async fn log_in(fixture: &Fixture, login: &[u8], budget: Budget) -> anyhow::Result<Tally> {
    let links = fixture.links(CLIENTS).await?;
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let login = login.to_owned();
        async move {
            while pace.next().is_some() {
                link.expect(200, &login).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}

/// A signer with a certificate of its own.
struct Signer {
    signs: JwtSigner,
    verifies: VerificationKey,
    pem: String,
}

impl Signer {
    fn make() -> anyhow::Result<Self> {
        let Credential { key, chain } = Network::make()?.client;
        let certificate = chain.first().context("a chain has a leaf")?;
        Ok(Self {
            verifies: VerificationKey::from_certificate(certificate)?,
            pem: certificate.to_pem(),
            signs: JwtSigner::new(Arc::new(key), certificate)?,
        })
    }

    /// Makes the signer known to the controller, and the identity that its tokens are for.
    async fn introduce(&self, fixture: &Fixture) -> anyhow::Result<()> {
        let signer = json!({
            "name": "bench", "enabled": true, "issuer": ISSUER, "audience": AUDIENCE,
            "certPem": self.pem, "useExternalId": true,
        });
        let holder = json!({
            "name": "holder", "type": "Default", "isAdmin": false, "externalId": HOLDER,
        });
        let mut link = fixture.controller.endpoint(None)?.connect().await?;
        for (collection, body) in [("external-jwt-signers", signer), ("identities", holder)] {
            let path = format!("{MANAGEMENT}/{collection}");
            let create = request::post(&path, Some(&fixture.admin), &body.to_string());
            link.expect(201, &create).await?;
        }
        Ok(())
    }

    fn token(&self) -> anyhow::Result<String> {
        let expires_at = SystemClock.now() + SignedDuration::from_hours(1);
        let claims = json!({
            "iss": ISSUER, "aud": AUDIENCE, "sub": HOLDER, "exp": expires_at.as_second(),
        });
        Ok(self.signs.sign(&claims)?)
    }
}
