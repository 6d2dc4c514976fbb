//! Who may go on with a login.
//!
//! Whoever knows the id of a login request could otherwise have somebody else complete it: lure them to the login
//! page of a request that they began themselves, and fetch the code. So a browser gets a secret when it begins,
//! in a cookie, and has to show it in every later request.
//!
//! SDKs keep no cookies, and neither do web applications that fetch from another origin. What they begin has the
//! random id as its only secret, which they show to nobody. But a person's browser on our own pages never passes
//! for one of them.

use crate::secret::{self, SecretHash};
use portcullis_domain::entropy::{Entropy, EntropyError};
use secrecy::{ExposeSecret as _, SecretString};

/// The secret of the browser that began a login: the value of its cookie.
#[derive(Debug, Clone)]
pub struct BindingSecret(SecretString);

impl BindingSecret {
    pub(super) fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        secret::generate(entropy).map(Self)
    }

    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// Whom a request about a login comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presenter<'r> {
    /// Whoever shows this secret.
    Holder(&'r str),
    /// A person's browser without a secret: one that loads or leaves a page of ours. It says
    /// `Sec-Fetch-Mode: navigate`; an old one that says nothing of the kind accepts HTML.
    Browser,
    /// A program without a secret: an SDK, or the script of a web application.
    Program,
}

/// What a login request remembers of whoever began it.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    hash: SecretHash,
    /// Whether the secret was shown once, so that whoever began it keeps cookies.
    is_held: bool,
}

impl Binding {
    pub(super) fn new(secret: &BindingSecret) -> Self {
        Self {
            hash: SecretHash::of(secret.expose()),
            is_held: false,
        }
    }

    /// Whether `presenter` may go on. Once the secret was shown, nobody goes on without it.
    pub(super) fn admits(&mut self, presenter: Presenter<'_>) -> bool {
        match presenter {
            Presenter::Holder(secret) => {
                let is_right = self.hash.is_of(secret);
                self.is_held |= is_right;
                is_right
            },
            Presenter::Program => !self.is_held,
            Presenter::Browser => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SeededEntropy;

    #[test]
    fn only_the_browser_that_began_goes_on() {
        let entropy = SeededEntropy::default();
        let secret = BindingSecret::generate(&entropy).unwrap();
        let other = BindingSecret::generate(&entropy).unwrap();
        let mut binding = Binding::new(&secret);
        assert!(!binding.admits(Presenter::Holder(other.expose())));
        assert!(!binding.admits(Presenter::Holder("")));
        assert!(!binding.admits(Presenter::Browser));
        assert!(binding.admits(Presenter::Program));
        assert!(binding.admits(Presenter::Holder(secret.expose())));
        assert!(!binding.admits(Presenter::Program), "it keeps cookies");
        assert!(!binding.admits(Presenter::Browser));
        assert!(binding.admits(Presenter::Holder(secret.expose())));
    }

    #[test]
    fn secret_does_not_show_itself() {
        let secret = BindingSecret::generate(&SeededEntropy::default()).unwrap();
        assert_eq!(secret.expose().len(), 43);
        assert!(!format!("{secret:?}").contains(secret.expose()));
    }
}
