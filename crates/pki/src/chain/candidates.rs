//! Candidate intermediates among the certificates that a client presents.
//!
//! The path search of the library tries certificates of one name in every order and under every
//! authority with the name above, so a client that chooses them controls its cost. Only certificates
//! that an authority or an earlier candidate has really signed take part, and few of those.

use std::slice;

use super::error::ChainError;
use crate::certificate::Certificate;

/// Maximum number of intermediates in the search, out of the [`MAX_PRESENTED`](super::MAX_PRESENTED)
/// that a client may present; further ones are skipped.
const MAX_USED: usize = 4;

/// Maximum number of these with the same subject: an authority and its renewal.
const MAX_PER_SUBJECT: usize = 2;

/// Selects the presented certificates that lead from an authority to `leaf`, proving each from the
/// top down with `is_issued_by`, which is called with a certificate and its claimed issuer.
///
/// It is called at most once per pair of a presented certificate and an authority or candidate with
/// the name of its issuer; never for a chain in which no certificate names an authority.
pub(super) fn select_candidates(
    leaf: &Certificate,
    presented: &[Certificate],
    authorities: &[Certificate],
    is_issued_by: &mut dyn FnMut(&Certificate, &Certificate) -> bool,
) -> Result<Vec<Certificate>, ChainError> {
    let mut waiting = reachable_by_name(leaf, presented);
    waiting.retain(|one| !authorities.contains(one));
    let mut search = CandidateSearch {
        leaf,
        is_leaf_proved: false,
        pending: waiting,
        candidates: Vec::new(),
        is_issued_by,
    };
    search.prove_issued_by(authorities);
    let mut next = 0;
    while let Some(link) = search.candidates.get(next).cloned() {
        search.prove_issued_by(slice::from_ref(&link));
        next += 1;
    }
    if search.is_leaf_proved {
        Ok(search.candidates)
    } else {
        Err(ChainError::UnknownIssuer)
    }
}

/// State of the search from the authorities down to the leaf.
struct CandidateSearch<'w> {
    leaf: &'w Certificate,
    is_leaf_proved: bool,
    pending: Vec<&'w Certificate>,
    candidates: Vec<Certificate>,
    is_issued_by: &'w mut dyn FnMut(&Certificate, &Certificate) -> bool,
}

impl CandidateSearch<'_> {
    /// Proves certificates that one of the proved certificates `above` has issued.
    fn prove_issued_by(&mut self, above: &[Certificate]) {
        let mut is_issued = |one: &Certificate| {
            let mut named = above.iter().filter(|issuer| one.names_as_issuer(issuer));
            named.any(|issuer| (self.is_issued_by)(one, issuer))
        };
        self.is_leaf_proved = self.is_leaf_proved || is_issued(self.leaf);
        self.pending.retain(|one| {
            let is_link = is_within_limits(&self.candidates, one) && is_issued(one);
            if is_link {
                self.candidates.push(Certificate::clone(one));
            }
            !is_link
        });
    }
}

/// The presented certificates that are reachable from the leaf by issuer names, each once.
fn reachable_by_name<'c>(leaf: &Certificate, presented: &'c [Certificate]) -> Vec<&'c Certificate> {
    let mut found: Vec<&Certificate> = Vec::new();
    let mut below = Some(leaf);
    let mut next = 0;
    while let Some(current) = below {
        for one in presented {
            if current.names_as_issuer(one) && one != leaf && !found.contains(&one) {
                found.push(one);
            }
        }
        below = found.get(next).copied();
        next += 1;
    }
    found
}

fn is_within_limits(links: &[Certificate], one: &Certificate) -> bool {
    let same = links.iter().filter(|link| link.has_same_subject(one));
    links.len() < MAX_USED && same.count() < MAX_PER_SUBJECT
}

#[cfg(test)]
mod tests;
