//! Signatures of tokens.

use super::on_all_processors;
use crate::bench::load::{Budget, Pace, Tally};
use portcullis_pki::external::{PresentedToken, VerificationKey};

/// Checks the signature of a token, on all processors.
pub(in crate::bench) fn signatures(
    token: &str,
    key: &VerificationKey,
    budget: Budget,
) -> anyhow::Result<Tally> {
    on_all_processors(budget, |pace| work(pace, token, key))
}

fn work(pace: &Pace, token: &str, key: &VerificationKey) -> anyhow::Result<u64> {
    let mut done = 0;
    while pace.next().is_some() {
        PresentedToken::parse(token)?.verify([key])?;
        done += 1;
    }
    Ok(done)
}
