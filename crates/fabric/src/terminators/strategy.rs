//! Which of several terminators a circuit gets.
//!
//! | Strategy | Choice |
//! |---|---|
//! | `smartrouting` | the cheapest |
//! | `weighted` | by lot among those of the best precedence: the chance of each is proportional to what the others cost together |
//! | `random` | by lot among the same, with equal chances |
//! | `sticky` | the one that the client had before, unless there is one of better precedence; else the cheapest |

use super::cost::within_band;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::TerminatorId;
use portcullis_domain::service::TerminatorStrategy;

/// A terminator that can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    pub(super) id: &'a TerminatorId,
    pub(super) precedence: Precedence,
    /// In the band of the precedence.
    pub(super) cost: u32,
}

/// Picks one of the candidates, which are sorted by cost; `None` if there are none.
pub(super) fn pick<'a, 'b>(
    strategy: TerminatorStrategy,
    candidates: &'b [Candidate<'a>],
    sticky: Option<&TerminatorId>,
    random: u64,
) -> Option<&'b Candidate<'a>> {
    let first = candidates.first()?;
    let is_best = |candidate: &&Candidate<'_>| candidate.precedence == first.precedence;
    let best = || candidates.iter().filter(is_best);
    let chosen = match strategy {
        TerminatorStrategy::SmartRouting => None,
        TerminatorStrategy::Weighted => by_weight(best(), random),
        TerminatorStrategy::Random => nth(best(), random),
        TerminatorStrategy::Sticky => best().find(|candidate| Some(candidate.id) == sticky),
    };
    Some(chosen.unwrap_or(first))
}

fn by_weight<'a, 'b>(
    candidates: impl Iterator<Item = &'b Candidate<'a>> + Clone,
    random: u64,
) -> Option<&'b Candidate<'a>>
where
    'a: 'b,
{
    let cost =
        |candidate: &Candidate<'_>| u64::from(within_band(candidate.precedence, candidate.cost));
    let total: u64 = candidates.clone().map(cost).sum();
    let weights = candidates.clone().map(|candidate| total - cost(candidate));
    let sum: u64 = weights.clone().sum();
    if sum == 0 {
        return nth(candidates, random);
    }
    let mut left = random % sum;
    for (candidate, weight) in candidates.zip(weights) {
        if left < weight {
            return Some(candidate);
        }
        left -= weight;
    }
    None
}

fn nth<'a, 'b>(
    mut candidates: impl Iterator<Item = &'b Candidate<'a>> + Clone,
    random: u64,
) -> Option<&'b Candidate<'a>>
where
    'a: 'b,
{
    let count = u64::try_from(candidates.clone().count()).ok()?;
    let place = random.checked_rem(count)?;
    candidates.nth(usize::try_from(place).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::cost::in_band;
    use super::*;
    use std::collections::BTreeMap;

    /// Picks with each of `draws` random numbers, and counts.
    fn count(
        strategy: TerminatorStrategy,
        all: &[(&str, Precedence, u64)],
        sticky: Option<&str>,
        draws: u64,
    ) -> Vec<(String, usize)> {
        let ids: Vec<_> = all
            .iter()
            .map(|(id, ..)| TerminatorId::from_wire(*id))
            .collect();
        let mut candidates: Vec<_> = all
            .iter()
            .zip(&ids)
            .map(|((_, precedence, cost), id)| Candidate {
                id,
                precedence: *precedence,
                cost: in_band(*precedence, *cost),
            })
            .collect();
        candidates.sort_by_key(|candidate| candidate.cost);
        let sticky = sticky.map(TerminatorId::from_wire);
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for random in 0..draws {
            let picked = pick(strategy, &candidates, sticky.as_ref(), random).unwrap();
            *counts.entry(picked.id.as_str().to_owned()).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    fn counts(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
        let all = expected.iter();
        all.map(|(id, count)| ((*id).to_owned(), *count)).collect()
    }

    use Precedence::{Default, Failed, Required};
    use TerminatorStrategy::{Random, SmartRouting, Sticky, Weighted};

    #[test]
    fn smart_routing_takes_the_cheapest() {
        let all = [("a", Default, 20), ("b", Default, 10), ("c", Failed, 0)];
        assert_eq!(count(SmartRouting, &all, None, 9), counts(&[("b", 9)]));
    }

    #[test]
    fn weights_are_what_the_others_cost() {
        let all = [("a", Default, 10), ("b", Default, 30)];
        let expected = counts(&[("a", 30), ("b", 10)]);
        assert_eq!(count(Weighted, &all, None, 40), expected);
        let all = [("a", Default, 10), ("b", Default, 20), ("c", Default, 70)];
        let expected = counts(&[("a", 90), ("b", 80), ("c", 30)]);
        assert_eq!(count(Weighted, &all, None, 200), expected);
    }

    #[test]
    fn equal_costs_have_equal_weights() {
        for cost in [0, 50] {
            let all = [("a", Default, cost), ("b", Default, cost)];
            let expected = counts(&[("a", 50), ("b", 50)]);
            assert_eq!(count(Weighted, &all, None, 100), expected);
        }
        let all = [("a", Default, 50)];
        assert_eq!(count(Weighted, &all, None, 3), counts(&[("a", 3)]));
    }

    #[test]
    fn lots_are_drawn_within_the_best_precedence() {
        let all = [
            ("a", Failed, 0),
            ("b", Required, 500),
            ("c", Required, 500),
            ("d", Default, 0),
        ];
        let expected = counts(&[("b", 500), ("c", 500)]);
        assert_eq!(count(Random, &all, None, 1000), expected);
        assert_eq!(count(Weighted, &all, None, 1000), expected);
    }

    #[test]
    fn a_client_stays_where_it_was_as_long_as_nothing_better_exists() {
        let all = [("a", Default, 0), ("b", Default, 900), ("c", Failed, 0)];
        assert_eq!(count(Sticky, &all, Some("b"), 3), counts(&[("b", 3)]));
        for gone in [None, Some("c"), Some("x")] {
            assert_eq!(count(Sticky, &all, gone, 3), counts(&[("a", 3)]));
        }
    }

    #[test]
    fn nothing_is_picked_from_nothing() {
        for strategy in TerminatorStrategy::ALL {
            assert_eq!(pick(strategy, &[], None, 1), None);
        }
    }
}
