//! Which of the certificates that a client presents can be links of its chain.
//!
//! The search for a path tries certificates of one name in every order and under every authority of
//! the name above, so whoever may choose them decides what it costs. Only what an authority, or a
//! link before, has really signed gets into it, and little of that.

use std::slice;

use super::error::ChainError;
use crate::certificate::Certificate;

/// How many links take part in the search.
const MOST_LINKS: usize = 4;

/// How many of them may have the same subject: an authority and its renewal.
const MOST_OF_A_NAME: usize = 2;

/// Picks out of the presented certificates those that lead from an authority to `leaf`, proving each
/// from the top down by `is_issued_by`, which is asked about a certificate and the one it names.
///
/// It is asked at most once for each pair of a presented certificate and an authority or link of the
/// name of its issuer; that is never for a chain in which no certificate names an authority.
pub(super) fn links(
    leaf: &Certificate,
    presented: &[Certificate],
    authorities: &[Certificate],
    is_issued_by: &mut dyn FnMut(&Certificate, &Certificate) -> bool,
) -> Result<Vec<Certificate>, ChainError> {
    let mut waiting = named(leaf, presented);
    waiting.retain(|one| !authorities.contains(one));
    let mut walk = Walk {
        leaf,
        is_leaf_proved: false,
        waiting,
        links: Vec::new(),
        is_issued_by,
    };
    walk.prove_below(authorities);
    let mut next = 0;
    while let Some(link) = walk.links.get(next).cloned() {
        walk.prove_below(slice::from_ref(&link));
        next += 1;
    }
    if walk.is_leaf_proved {
        Ok(walk.links)
    } else {
        Err(ChainError::UnknownIssuer)
    }
}

/// A walk from the authorities down to the leaf.
struct Walk<'w> {
    leaf: &'w Certificate,
    is_leaf_proved: bool,
    waiting: Vec<&'w Certificate>,
    links: Vec<Certificate>,
    is_issued_by: &'w mut dyn FnMut(&Certificate, &Certificate) -> bool,
}

impl Walk<'_> {
    /// Proves what one of the certificates `above`, which are proved, has issued.
    fn prove_below(&mut self, above: &[Certificate]) {
        let mut is_issued = |one: &Certificate| {
            let mut named = above.iter().filter(|issuer| one.names_as_issuer(issuer));
            named.any(|issuer| (self.is_issued_by)(one, issuer))
        };
        self.is_leaf_proved = self.is_leaf_proved || is_issued(self.leaf);
        self.waiting.retain(|one| {
            let is_link = has_room(&self.links, one) && is_issued(one);
            if is_link {
                self.links.push(Certificate::clone(one));
            }
            !is_link
        });
    }
}

/// The presented certificates that the leaf leads to by the names of issuers, each once.
fn named<'c>(leaf: &Certificate, presented: &'c [Certificate]) -> Vec<&'c Certificate> {
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

fn has_room(links: &[Certificate], one: &Certificate) -> bool {
    let same = links.iter().filter(|link| link.has_subject_of(one));
    links.len() < MOST_LINKS && same.count() < MOST_OF_A_NAME
}

#[cfg(test)]
mod tests;
