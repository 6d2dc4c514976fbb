//! What a circuit to a terminator costs, in bands by precedence.

use portcullis_domain::identity::Precedence;

/// Width of a band: any required terminator is cheaper than any default one, and that than any failed
/// one.
const BAND: u32 = 1_073_741_823;

/// Lowest cost of terminators with this precedence.
const fn base(precedence: Precedence) -> u32 {
    match precedence {
        Precedence::Required => 0,
        Precedence::Default => BAND,
        Precedence::Failed => 2 * BAND,
    }
}

/// Moves a cost into the band of a precedence.
pub(super) fn in_band(precedence: Precedence, cost: u64) -> u32 {
    let within = u32::try_from(cost).unwrap_or(u32::MAX).min(BAND - 1);
    base(precedence) + within
}

/// The cost that was moved into the band.
pub(super) const fn within_band(precedence: Precedence, cost: u32) -> u32 {
    cost.saturating_sub(base(precedence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap() {
        for (precedence, cost, expected) in [
            (Precedence::Required, 0, 0),
            (Precedence::Required, 1_073_741_822, 1_073_741_822),
            (Precedence::Required, u64::MAX, 1_073_741_822),
            (Precedence::Default, 0, 1_073_741_823),
            (Precedence::Default, 20, 1_073_741_843),
            (Precedence::Default, u64::MAX, 2_147_483_645),
            (Precedence::Failed, 0, 2_147_483_646),
            (Precedence::Failed, 1 << 32, 3_221_225_468),
        ] {
            assert_eq!(in_band(precedence, cost), expected, "{precedence:?} {cost}");
        }
        let cost = in_band(Precedence::Failed, 77);
        assert_eq!(within_band(Precedence::Failed, cost), 77);
    }
}
