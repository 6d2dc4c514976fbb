//! Enrollments with certificate requests.

use super::baseline::certificates;
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::report::{Figure, Report, Target};
use super::work::{Work, own_work, work};
use crate::testbed::calls::{create_and_enroll, create_with_token, redemption};
use parking_lot::Mutex;
use portcullis_pki::{KeyType, SigningKey, Subject, create_csr};
use std::sync::Arc;

const CLIENTS: usize = 16;

/// Measures redemptions beside bare certificates, and the whole way of an identity.
///
/// The request for the certificate is made once: making keys is the client's work.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let key = SigningKey::generate(KeyType::P256)?;
    let csr = create_csr(&key, &Subject::new().common_name("device"))?;
    redeem(fixture, &csr, report).await?;
    whole(fixture, &csr, report).await
}

/// The tokens are made before, in as many turns as there are.
async fn redeem(fixture: &Fixture, csr: &str, report: &mut Report) -> anyhow::Result<()> {
    let (mut bare, mut redeemed) = (Work::default(), Work::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        bare += own_work(|| certificates(csr, budget))?;
        let tokens = tokens(fixture, budget, turn).await?;
        let redeeming = redeem_all(fixture, tokens, csr, budget);
        redeemed += work(fixture.controller.process, redeeming).await?;
    }
    report.add(
        Figure::rate("enrollments, 16 clients", &redeemed)
            .beside("bare certificates of requests", bare.rate())
            .target(Target::RatioAtLeast(0.7)),
    );
    report.add(Figure::rate("bare certificates of requests", &bare));
    Ok(())
}

/// Makes identities for as long as they may then be enrolled; answers their tokens.
async fn tokens(fixture: &Fixture, budget: Budget, round: u32) -> anyhow::Result<Vec<String>> {
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let links = fixture.links(CLIENTS).await?;
    drive(links, budget, |mut link, pace| {
        let (tokens, admin) = (Arc::clone(&tokens), fixture.admin.clone());
        async move {
            while let Some(turn) = pace.next() {
                let name = format!("redeemed-{round}-{turn}");
                let token = create_with_token(&mut link, &admin, &name).await?;
                tokens.lock().push(token);
            }
            Ok(link)
        }
    })
    .await?;
    let tokens = std::mem::take(&mut *tokens.lock());
    Ok(tokens)
}

async fn redeem_all(
    fixture: &Fixture,
    tokens: Vec<String>,
    csr: &str,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let links = fixture.links(CLIENTS).await?;
    let budget = Budget {
        count: u64::try_from(tokens.len())?,
        ..budget
    };
    let tokens = Arc::new(Mutex::new(tokens));
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let (tokens, csr) = (Arc::clone(&tokens), csr.to_owned());
        async move {
            while pace.next().is_some() {
                let Some(token) = tokens.lock().pop() else {
                    break;
                };
                link.expect(200, &redemption(&token, &csr)).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}

/// Creating an identity, reading its token and redeeming it, over kept connections.
async fn whole(fixture: &Fixture, csr: &str, report: &mut Report) -> anyhow::Result<()> {
    let links = fixture.links(CLIENTS).await?;
    let load = drive(links, fixture.scale.budget(), |mut link, pace| {
        let (csr, admin) = (csr.to_owned(), fixture.admin.clone());
        async move {
            while let Some(turn) = pace.next() {
                create_and_enroll(&mut link, &admin, &format!("enrolled-{turn}"), &csr).await?;
            }
            Ok(link)
        }
    });
    let load = async { Ok(load.await?.0) };
    let enrolled = work(fixture.controller.process, load).await?;
    report.add(Figure::rate("created and enrolled, 16 clients", &enrolled));
    Ok(())
}
