//! Argon2id: new hashes, and constant-work checks of stored ones.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use portcullis_domain::authenticator::PasswordHash;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

pub(super) const SALT_LENGTH: usize = 16;

const HASH_LENGTH: usize = 32;

/// Cost parameters of a hash. Time is proportional to memory times passes; lanes are computed
/// sequentially and divide the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// KiB.
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// Cost of new hashes (OWASP password storage cheat sheet).
const CURRENT_COST: Cost = Cost {
    memory: 19 * 1024,
    passes: 2,
    lanes: 1,
};

/// Maximum cost of a stored hash; anything above is damage.
const MAX_COST: Cost = Cost {
    memory: 256 * 1024,
    passes: 16,
    lanes: 16,
};

/// Memory in KiB that fits into CPU caches and is filled about twice as fast.
const CPU_CACHE_KIB: u32 = 8 * 1024;

impl Cost {
    fn of_hash(stored: &PasswordHash) -> Self {
        Self {
            memory: stored.memory,
            passes: stored.passes,
            lanes: stored.lanes,
        }
    }

    /// Estimated time, as KiB of memory times passes.
    fn work(self) -> u64 {
        let work = u64::from(self.memory) * u64::from(self.passes);
        if self.memory <= CPU_CACHE_KIB {
            work / 2
        } else {
            work
        }
    }
}

/// Reusable memory for hashes, with a counter of the work done.
#[derive(Default)]
pub(super) struct Hasher {
    blocks: Vec<Block>,
    work: u64,
}

impl Hasher {
    /// Work of all hashes so far; see [`Cost::work`].
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Returns the memory to the system.
    pub(super) fn free(&mut self) {
        self.blocks = Vec::new();
    }

    /// Hashes a password at the current cost.
    pub(super) fn hash(&mut self, password: &str, salt: [u8; SALT_LENGTH]) -> PasswordHash {
        let hash = self.derive(password, &salt, CURRENT_COST, HASH_LENGTH);
        PasswordHash {
            memory: CURRENT_COST.memory,
            passes: CURRENT_COST.passes,
            lanes: CURRENT_COST.lanes,
            salt: BASE64.encode(salt),
            // The parameters are valid constants, so there is always a hash.
            hash: BASE64.encode(hash.unwrap_or_default()),
        }
    }

    /// Whether a password matches a stored hash.
    ///
    /// Always does the work of one hash at the current cost: for a missing, cheaper or damaged
    /// hash, the rest is spent on a dummy. Otherwise the time would reveal which usernames exist.
    pub(super) fn verify(&mut self, password: &str, stored: Option<&PasswordHash>) -> bool {
        let end = self.work + CURRENT_COST.work();
        let fits = stored.is_some_and(|stored| self.matches(password, stored));
        self.pad_work(password, end);
        fits
    }

    /// Whether a password matches a stored hash; a damaged one matches nothing.
    fn matches(&mut self, password: &str, stored: &PasswordHash) -> bool {
        let (Ok(salt), Ok(expected)) = (BASE64.decode(&stored.salt), BASE64.decode(&stored.hash))
        else {
            return false;
        };
        self.derive(password, &salt, Cost::of_hash(stored), expected.len())
            // An empty stored hash would match anything; no valid hash is shorter.
            .is_some_and(|hash| expected.len() >= 16 && bool::from(hash.ct_eq(&expected)))
    }

    /// Does dummy work until the total is `end`, or the rest is less than the cheapest hash.
    fn pad_work(&mut self, password: &str, end: u64) {
        loop {
            let rest = end.saturating_sub(self.work) / u64::from(CURRENT_COST.passes);
            let cost = Cost {
                memory: u32::try_from(rest).unwrap_or(CURRENT_COST.memory),
                ..CURRENT_COST
            };
            // The result of the dummy work is not used; there is none if the memory is too little.
            let dummy = self.derive(password, &[0; SALT_LENGTH], cost, HASH_LENGTH);
            if dummy.is_none() {
                return;
            }
        }
    }

    /// Provides memory for `count` blocks, and never less than a current hash takes: the first use
    /// of each page costs time as well, also for cheap hashes.
    fn ensure_blocks(&mut self, count: usize) -> &mut Vec<Block> {
        let blocks = &mut self.blocks;
        let today = usize::try_from(CURRENT_COST.memory).unwrap_or(usize::MAX);
        let count = count.max(today);
        if blocks.len() < count {
            blocks.reserve_exact(count - blocks.len());
            blocks.resize(count, Block::default());
        }
        blocks
    }

    /// Computes Argon2id, version 1.3; `None` for parameters out of bounds.
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
        if memory > MAX_COST.memory || passes > MAX_COST.passes || lanes > MAX_COST.lanes {
            return None;
        }
        let params = Params::new(memory, passes, lanes, Some(length)).ok()?;
        let count = params.block_count();
        let blocks = self.ensure_blocks(count).get_mut(..count)?;
        let mut hash = Zeroizing::new(vec![0; length]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, blocks)
            .ok()?;
        self.work += cost.work();
        Some(hash)
    }
}

/// Whether a stored hash costs less than a current one, as those of OpenZiti do.
pub(super) fn needs_rehash(stored: &PasswordHash) -> bool {
    stored.memory < CURRENT_COST.memory || stored.passes < CURRENT_COST.passes
}

#[cfg(test)]
mod tests;
