//! Creating an identity, reading its token and redeeming it for a certificate.

use super::fixture::{Fixture, create_and_enroll};
use super::load::drive;
use super::process::work;
use super::report::{Figure, Report};
use portcullis_pki::{KeyType, SigningKey, Subject, make_csr};

const CLIENTS: usize = 16;

/// Measures all three together, over kept connections.
///
/// The request for the certificate is made once: making keys is the client's work.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let key = SigningKey::generate(KeyType::P256)?;
    let csr = make_csr(&key, &Subject::new().common_name("device"))?;
    let links = fixture.links(CLIENTS).await?;
    let load = drive(links, fixture.scale.budget(), |mut link, pace| {
        let (csr, admin) = (csr.clone(), fixture.admin.clone());
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
