//! Sets of ports.

use portcullis_tunnel_config::PortRange;

/// A set of ports, as ranges in order that neither overlap nor touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PortSet(Vec<PortRange>);

impl PortSet {
    pub(crate) fn ranges(&self) -> &[PortRange] {
        &self.0
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        self.0.iter().chain(&other.0).copied().collect()
    }

    /// The ports of this set that are not in the other one.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        for range in &self.0 {
            let mut low = Some(range.low());
            let first = other.0.partition_point(|taken| taken.high() < range.low());
            for taken in other.0.get(first..).into_iter().flatten() {
                let Some(from) = low else { break };
                if taken.low() > range.high() {
                    break;
                }
                left.extend(
                    taken
                        .low()
                        .checked_sub(1)
                        .and_then(|high| PortRange::new(from, high)),
                );
                low = taken
                    .high()
                    .checked_add(1)
                    .filter(|low| *low <= range.high());
            }
            left.extend(low.and_then(|low| PortRange::new(low, range.high())));
        }
        Self(left)
    }
}

impl FromIterator<PortRange> for PortSet {
    fn from_iter<I: IntoIterator<Item = PortRange>>(ranges: I) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().collect();
        ranges.sort_unstable();
        let mut joined: Vec<PortRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.low() <= last.high().saturating_add(1) => {
                    let high = last.high().max(range.high());
                    *last = PortRange::new(last.low(), high).unwrap_or(*last);
                },
                _ => joined.push(range),
            }
        }
        Self(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ranges() -> impl Strategy<Value = Vec<PortRange>> {
        // Few ports, some at both ends, so that ranges meet often.
        let port = prop_oneof![0..24_u16, 65_512..=u16::MAX];
        let range = (port.clone(), port)
            .prop_map(|(one, other)| PortRange::new(one.min(other), one.max(other)))
            .prop_filter_map("no range", |range| {
                range.filter(|range| range.high() - range.low() < 1_000)
            });
        prop::collection::vec(range, 0..6)
    }

    fn ports(ranges: &[PortRange]) -> BTreeSet<u16> {
        ranges
            .iter()
            .flat_map(|range| range.low()..=range.high())
            .collect()
    }

    proptest! {
        #[test]
        fn sets_are_what_their_ports_are(left in ranges(), right in ranges()) {
            let of = |ranges: &[PortRange]| ranges.iter().copied().collect::<PortSet>();
            let (left_set, right_set) = (of(&left), of(&right));
            let (left, right) = (ports(&left), ports(&right));
            prop_assert_eq!(ports(left_set.ranges()), left.clone());
            let union = left_set.union(&right_set);
            prop_assert_eq!(ports(union.ranges()), &left | &right);
            let difference = left_set.without(&right_set);
            prop_assert_eq!(ports(difference.ranges()), &left - &right);
            for set in [union, difference] {
                for pair in set.ranges().windows(2) {
                    prop_assert!(u32::from(pair[0].high()) + 1 < u32::from(pair[1].low()));
                }
            }
        }
    }
}
