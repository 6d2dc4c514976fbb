//! Argon2id: new hashes, and checks against stored ones that all cost the same.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use portcullis_domain::authenticator::PasswordHash;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// Bytes of a salt.
pub(super) const SALT_LENGTH: usize = 16;

const HASH_LENGTH: usize = 32;

/// What a hash costs: it takes time in proportion to its memory and its passes. Lanes are computed
/// one after another, and split the memory rather than add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// KiB.
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// Cost of a new hash (OWASP password storage cheat sheet).
const TODAY: Cost = Cost {
    memory: 19 * 1024,
    passes: 2,
    lanes: 1,
};

/// The highest costs that a stored hash may ask for; more is damage, not a password.
const DEAREST: Cost = Cost {
    memory: 256 * 1024,
    passes: 16,
    lanes: 16,
};

/// Memory that fits into the caches of a processor, KiB. It is filled about twice as fast.
const CACHED: u32 = 8 * 1024;

impl Cost {
    fn of(stored: &PasswordHash) -> Self {
        Self {
            memory: stored.memory,
            passes: stored.passes,
            lanes: stored.lanes,
        }
    }

    /// The time that it takes, as KiB of memory times passes over it.
    fn work(self) -> u64 {
        let work = u64::from(self.memory) * u64::from(self.passes);
        if self.memory <= CACHED {
            work / 2
        } else {
            work
        }
    }
}

/// The memory in which hashes are computed, and how much work was done in it.
#[derive(Default)]
pub(super) struct Hasher {
    blocks: Vec<Block>,
    work: u64,
}

impl Hasher {
    /// The work of all hashes so far; see [`Cost::work`].
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Gives the memory back to the system.
    pub(super) fn free(&mut self) {
        self.blocks = Vec::new();
    }

    /// Hashes a password at today's cost.
    pub(super) fn hash(&mut self, password: &str, salt: [u8; SALT_LENGTH]) -> PasswordHash {
        let hash = self.derive(password, &salt, TODAY, HASH_LENGTH);
        PasswordHash {
            memory: TODAY.memory,
            passes: TODAY.passes,
            lanes: TODAY.lanes,
            salt: BASE64.encode(salt),
            // The parameters are constants that are valid, so a hash always comes out.
            hash: BASE64.encode(hash.unwrap_or_default()),
        }
    }

    /// Whether a password fits a stored hash.
    ///
    /// It does the work of one hash of today's cost, whatever is stored: for nothing at all, for a
    /// hash that costs less, and for a damaged one, the rest of the work is done for nobody. Otherwise
    /// time would tell which usernames exist.
    pub(super) fn check(&mut self, password: &str, stored: Option<&PasswordHash>) -> bool {
        let end = self.work + TODAY.work();
        let fits = stored.is_some_and(|stored| self.compare(password, stored));
        self.fill_up(password, end);
        fits
    }

    /// Whether a password fits a stored hash; what is damaged fits nothing.
    fn compare(&mut self, password: &str, stored: &PasswordHash) -> bool {
        let (Ok(salt), Ok(expected)) = (BASE64.decode(&stored.salt), BASE64.decode(&stored.hash))
        else {
            return false;
        };
        self.derive(password, &salt, Cost::of(stored), expected.len())
            // A stored hash without bytes would match anything; no hash is that short.
            .is_some_and(|hash| expected.len() >= 16 && bool::from(hash.ct_eq(&expected)))
    }

    /// Works until the work of all hashes is `end`, or so little is left that no hash is that cheap.
    fn fill_up(&mut self, password: &str, end: u64) {
        loop {
            let rest = end.saturating_sub(self.work) / u64::from(TODAY.passes);
            let cost = Cost {
                memory: u32::try_from(rest).unwrap_or(TODAY.memory),
                ..TODAY
            };
            // Nobody wants to know what comes out.
            if cost.memory < Params::MIN_M_COST
                || self
                    .derive(password, &[0; SALT_LENGTH], cost, HASH_LENGTH)
                    .is_none()
            {
                return;
            }
        }
    }

    /// Memory for so many blocks. It is never less than today's hash takes, although a cheap one needs
    /// less of it: the first use of each page costs time as well.
    fn room_for(&mut self, count: usize) -> &mut Vec<Block> {
        let blocks = &mut self.blocks;
        let today = usize::try_from(TODAY.memory).unwrap_or(usize::MAX);
        let count = count.max(today);
        if blocks.len() < count {
            blocks.reserve_exact(count - blocks.len());
            blocks.resize(count, Block::default());
        }
        blocks
    }

    /// Computes argon2id, version 1.3; `None` for parameters that are out of bounds.
    fn derive(
        &mut self,
        password: &str,
        salt: &[u8],
        cost: Cost,
        length: usize,
    ) -> Option<Zeroizing<Vec<u8>>> {
        let Cost {
            memory,
            passes,
            lanes,
        } = cost;
        if memory > DEAREST.memory || passes > DEAREST.passes || lanes > DEAREST.lanes {
            return None;
        }
        let params = Params::new(memory, passes, lanes, Some(length)).ok()?;
        let count = params.block_count();
        let blocks = self.room_for(count).get_mut(..count)?;
        let mut hash = Zeroizing::new(vec![0; length]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, blocks)
            .ok()?;
        self.work += cost.work();
        Some(hash)
    }
}

/// Whether a stored hash costs less than one of today, as those of OpenZiti do.
pub(super) fn is_cheap(stored: &PasswordHash) -> bool {
    stored.memory < TODAY.memory || stored.passes < TODAY.passes
}

#[cfg(test)]
mod tests;
