//! Primary login methods.

/// A way to prove a first factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoginMethod {
    Password,
    Certificate,
    /// A token of an external signer.
    ExternalJwt,
}

impl LoginMethod {
    pub const ALL: [Self; 3] = [Self::Password, Self::Certificate, Self::ExternalJwt];

    /// Name in the parameter `method` and in the claim `amr`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Certificate => "cert",
            Self::ExternalJwt => "ext-jwt",
        }
    }

    /// Last segment of the path of its page.
    pub const fn page(self) -> &'static str {
        match self {
            Self::Password => "username",
            Self::Certificate | Self::ExternalJwt => self.name(),
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}
