//! JWTs of external signers, as their holders have them.

use crate::error::CliError;
use crate::files;
use secrecy::SecretString;
use std::path::Path;
use zeroize::Zeroizing;

/// Reads the JWT in a file, or on the standard input for `-`. What it says is for the controller to
/// judge.
pub(crate) fn read(path: &Path) -> Result<SecretString, CliError> {
    let text = Zeroizing::new(files::read_text(path)?);
    let token = text.trim();
    let parts: Vec<_> = token.split('.').collect();
    let is_token = parts.len() == 3 && parts.iter().all(|part| is_base64url(part));
    if is_token {
        Ok(SecretString::from(token))
    } else {
        let path = path.display();
        Err(CliError::failed(format!("{path} holds no JWT"))
            .hint("a JWT is one line of three parts with dots between them"))
    }
}

fn is_base64url(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !part.is_empty() && part.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn only_tokens_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, " a-1.b_2.c\n").unwrap();
        assert_eq!(read(&path).unwrap().expose_secret(), "a-1.b_2.c");
        for text in ["", "a.b", "a..c", "a.b.c.d", "a.b.c\nd", "a.b.\u{1b}"] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().message();
            assert!(error.ends_with("holds no JWT"), "{text:?}: {error}");
        }
    }
}
