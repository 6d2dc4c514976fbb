//! Provisioning URLs for authenticator apps.

use crate::secret::Secret;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

/// Builds the URL that transfers `secret` to an app:
/// `otpauth://totp/<issuer>:<account>?issuer=<issuer>&secret=<base32>`.
///
/// Characters allowed in a path segment are kept (RFC 3986 section 3.3), except `:`, which
/// separates issuer and account; all other bytes of the UTF-8 text are percent-encoded.
///
/// # Examples
///
/// ```
/// use portcullis_totp::{Secret, provisioning_url};
/// use secrecy::ExposeSecret as _;
///
/// let secret = Secret::from_bytes(b"12345678901234567890")?;
/// let url = provisioning_url("example.test", "Zoë's laptop", &secret);
/// assert_eq!(
///     url.expose_secret(),
///     "otpauth://totp/example.test:Zo%C3%AB's%20laptop\
///      ?issuer=example.test&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
/// );
/// # Ok::<(), portcullis_totp::SecretLengthError>(())
/// ```
pub fn provisioning_url(issuer: &str, account: &str, secret: &Secret) -> SecretString {
    let base32 = secret.to_base32();
    // Reallocation would leave copies of the secret behind.
    let capacity = max_length(issuer, account, base32.expose_secret());
    let mut url = Zeroizing::new(String::with_capacity(capacity));
    url.push_str("otpauth://totp/");
    push_encoded(&mut url, issuer, is_segment_char);
    url.push(':');
    push_encoded(&mut url, account, is_segment_char);
    url.push_str("?issuer=");
    push_encoded(&mut url, issuer, is_unreserved);
    url.push_str("&secret=");
    url.push_str(base32.expose_secret());
    SecretString::from(url.as_str())
}

/// Maximum length of the URL in bytes.
fn max_length(issuer: &str, account: &str, base32: &str) -> usize {
    let fixed = "otpauth://totp/:?issuer=&secret=".len();
    fixed + 6 * issuer.len() + 3 * account.len() + base32.len()
}

/// Appends `text`, percent-encoding all bytes but literal ones.
fn push_encoded(url: &mut String, text: &str, is_literal: fn(u8) -> bool) {
    for byte in text.bytes() {
        if is_literal(byte) {
            url.push(char::from(byte));
        } else {
            url.push('%');
            url.extend([byte >> 4, byte & 0xf].map(hex_digit));
        }
    }
}

/// An upper-case digit of a percent-encoding (RFC 3986 section 2.1).
fn hex_digit(nibble: u8) -> char {
    char::from_digit(nibble.into(), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

/// `unreserved` of RFC 3986 section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// `pchar` of RFC 3986 section 3.3, without the `:`.
fn is_segment_char(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=@".contains(&byte)
}

#[cfg(test)]
mod tests;
