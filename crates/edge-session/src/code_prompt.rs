//! Who answers when a login asks for a TOTP code.

use portcullis_client::SecretString;
use std::pin::Pin;

/// Asks a person for a TOTP or recovery code.
pub trait CodePrompt: Send + Sync + 'static {
    /// The code; `None` if there will be no answer, which ends the login.
    fn ask(&self, query: CodeQuery) -> CodeFuture<'_>;
}

/// A code that a person is asked for.
pub type CodeFuture<'a> = Pin<Box<dyn Future<Output = Option<SecretString>> + Send + 'a>>;

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeQuery {
    /// Why the code before was refused; `None` at the first time.
    pub refusal: Option<String>,
    /// How many codes may be tried, this one included.
    pub attempts_left: u32,
    /// How long TOTP codes are, as far as the controller says it.
    pub length: Option<(u32, u32)>,
}
