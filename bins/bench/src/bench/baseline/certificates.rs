//! Certificates of requests.

use super::on_all_processors;
use crate::bench::load::{Budget, Pace, Tally};
use crate::testbed::credential::Network;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::ids::IdentityId;
use portcullis_pki::{Authority, Csr, TrustDomain};
use portcullis_system::{SystemClock, SystemEntropy};

/// Checks a request and signs a certificate for it, on all processors.
pub(in crate::bench) fn certificates(csr: &str, budget: Budget) -> anyhow::Result<Tally> {
    let (_root, authority, domain) = Network::authorities()?;
    on_all_processors(budget, |pace| work(pace, &authority, &domain, csr))
}

fn work(
    pace: &Pace,
    authority: &Authority,
    domain: &TrustDomain,
    csr: &str,
) -> anyhow::Result<u64> {
    let id = IdentityId::from_wire("aB3.dE6gH0x");
    let mut done = 0;
    while pace.next().is_some() {
        let csr = Csr::from_pem(csr)?;
        authority.issue_identity(&csr, domain, &id, SystemClock.now(), &SystemEntropy)?;
        done += 1;
    }
    Ok(done)
}
