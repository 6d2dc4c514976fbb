//! Which index a commit has.

use portcullis_domain::entropy::{self, Entropy, EntropyError};

/// Indexes rise with the revisions of the store, from an origin of their own.
///
/// A copy of the store that is put in its place goes through the same revisions again, with other changes.
/// So each start on a timeline that goes on leaves a random gap: no router of before has an index that
/// comes to stand for something else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbering {
    revision: u64,
    /// Of that revision.
    index: u64,
}

impl Numbering {
    /// Of a timeline that begins at a revision.
    pub(super) const fn begin(revision: u64) -> Self {
        Self {
            revision,
            index: revision,
        }
    }

    /// Of a timeline that was at `index` and goes on at a revision.
    pub(super) fn resume(
        revision: u64,
        index: u64,
        entropy: &dyn Entropy,
    ) -> Result<Self, EntropyError> {
        let gap = u32::from_be_bytes(entropy::bytes(entropy)?);
        let index = index.max(revision).saturating_add(gap.into());
        Ok(Self { revision, index })
    }

    /// The index of a later revision.
    pub(super) const fn index(&self, revision: u64) -> u64 {
        let commits = revision.saturating_sub(self.revision);
        self.index.saturating_add(commits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_testkit::SeededEntropy;

    #[test]
    fn starts_on_one_timeline_share_no_index() {
        let entropy = SeededEntropy::new(1);
        let first = Numbering::begin(40);
        assert_eq!([first.index(41), first.index(50)], [41, 50]);
        // What is in the place of the store has gone through revision 45 with other changes.
        let [one, other] = [50, 44].map(|revision| {
            let resumed = Numbering::resume(revision, first.index(44), &entropy).unwrap();
            assert!(resumed.index(revision + 1) > first.index(revision));
            let indexes = [resumed.index(revision + 1), resumed.index(revision + 1000)];
            assert_eq!(indexes[1] - indexes[0], 999);
            indexes
        });
        assert!(one[1] < other[0] || other[1] < one[0]);
    }
}
