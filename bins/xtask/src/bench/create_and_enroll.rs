//! Creating an identity, reading its token and redeeming it for a certificate.

use super::fixture::{Fixture, create_and_enroll};
use super::load::drive;
use super::report::{Figure, Report, Unit};
use portcullis_pki::{KeyType, SigningKey, Subject, make_csr};

const CLIENTS: usize = 16;

/// Measures all three together, over kept connections.
///
/// The request for the certificate is made once: making keys is the client's work.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let key = SigningKey::generate(KeyType::P256)?;
    let csr = make_csr(&key, &Subject::new().common_name("device"))?;
    let links = fixture.links(CLIENTS).await?;
    let (tally, _) = drive(links, fixture.scale.budget(), |mut link, pace| {
        let (csr, admin) = (csr.clone(), fixture.admin.clone());
        async move {
            while let Some(turn) = pace.next() {
                create_and_enroll(&mut link, &admin, &format!("enrolled-{turn}"), &csr).await?;
            }
            Ok(link)
        }
    })
    .await?;
    report.add(Figure::new(
        "created and enrolled, 16 clients",
        tally.rate(),
        Unit::PerSecond,
    ));
    Ok(())
}
