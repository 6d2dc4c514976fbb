//! Tokens whose signatures were found to be right.

use crate::generational_cache::GenerationalCache;
use portcullis_storage::vault::Vault;
use std::sync::Arc;

/// Number of tokens in a generation of the cache. One usually takes about 2 KiB with its claims, all
/// of them 32 MiB. With the longest tokens and claims of many short texts it is up to about 16 KiB,
/// and 256 MiB.
const TOKENS: usize = 8192;

/// Length of the longest token that is remembered. Usual ones have 1 to 2 KiB; clients choose some
/// of the claims, and would fill the memory with them otherwise.
const MAX_TOKEN_BYTES: usize = 4096;

/// Domain of the keyed hash of signatures.
const SIGNATURE_DOMAIN: &str = "signature of a verified access token";

/// The verdicts on tokens with claims of one type, good ones only.
///
/// Nobody can make a request with what is kept here: it lacks the signatures, of which there are only
/// keyed hashes. The rest of a token is no secret, and comparing it costs much less than a hash.
pub(crate) struct VerifiedTokens<C>(GenerationalCache<[u8; 16], Arc<VerifiedToken<C>>>);

struct VerifiedToken<C> {
    /// Header and claims, as they are signed.
    signed: Box<str>,
    claims: Arc<C>,
}

impl<C> Default for VerifiedTokens<C> {
    fn default() -> Self {
        Self(GenerationalCache::new(TOKENS))
    }
}

impl<C> VerifiedTokens<C> {
    /// The claims of a token that was verified, of which not a byte differs.
    pub(crate) fn find(&self, vault: &Vault, token: &str) -> Option<Arc<C>> {
        let (signed, signature) = token.rsplit_once('.')?;
        let known = self.0.find(&hash(vault, signature))?;
        (*known.signed == *signed).then(|| Arc::clone(&known.claims))
    }

    /// Remembers a token that was verified, unless it is too long.
    pub(crate) fn insert(&self, vault: &Vault, token: &str, claims: &Arc<C>) {
        if token.len() > MAX_TOKEN_BYTES {
            return;
        }
        if let Some((signed, signature)) = token.rsplit_once('.') {
            let verified = VerifiedToken {
                signed: signed.into(),
                claims: Arc::clone(claims),
            };
            self.0.insert(hash(vault, signature), Arc::new(verified));
        }
    }
}

fn hash(vault: &Vault, signature: &str) -> [u8; 16] {
    vault.lookup_hash(SIGNATURE_DOMAIN, signature.as_bytes())
}

#[cfg(test)]
mod tests;
