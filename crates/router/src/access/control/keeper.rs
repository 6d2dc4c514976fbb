//! Where the control is, and who is asked about rights there.

use super::AccessControl;
use crate::access::verifier::TokenVerifier;

/// Keeps an [`AccessControl`], and answers the questions of the [edge](crate::edge::Access) by it.
///
/// Signatures are verified between two looks, so that nobody waits for that if there is a lock. What a token
/// claims is judged with the second look, by what is known then.
pub trait Keeper {
    type Verifier: TokenVerifier;

    fn verifier(&self) -> &Self::Verifier;

    /// Looks something up, which takes no time.
    fn look<R>(&self, look: impl FnOnce(&AccessControl<Self::Verifier>) -> R) -> R;
}

impl<V: TokenVerifier> Keeper for AccessControl<V> {
    type Verifier = V;

    fn verifier(&self) -> &V {
        &self.verifier
    }

    fn look<R>(&self, look: impl FnOnce(&Self) -> R) -> R {
        look(self)
    }
}
