//! The URL by which an authenticator app is told of a secret.

use crate::secret::Secret;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

/// Writes the URL that an app reads to take up `secret`:
/// `otpauth://totp/<issuer>:<account>?issuer=<issuer>&secret=<base32>`.
///
/// What a path segment may hold stays as it is (RFC 3986 section 3.3), apart from a `:`, which parts
/// issuer and account; every other byte of the UTF-8 text is percent-encoded.
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
/// # Ok::<(), portcullis_totp::BadSecret>(())
/// ```
pub fn provisioning_url(issuer: &str, account: &str, secret: &Secret) -> SecretString {
    let base32 = secret.to_base32();
    // A text that grows leaves copies of itself behind.
    let room = longest(issuer, account, base32.expose_secret());
    let mut url = Zeroizing::new(String::with_capacity(room));
    url.push_str("otpauth://totp/");
    push_encoded(&mut url, issuer, is_of_segment);
    url.push(':');
    push_encoded(&mut url, account, is_of_segment);
    url.push_str("?issuer=");
    push_encoded(&mut url, issuer, is_unreserved);
    url.push_str("&secret=");
    url.push_str(base32.expose_secret());
    SecretString::from(url.as_str())
}

/// How long the URL can get, in bytes.
fn longest(issuer: &str, account: &str, base32: &str) -> usize {
    let fixed = "otpauth://totp/:?issuer=&secret=".len();
    fixed + 6 * issuer.len() + 3 * account.len() + base32.len()
}

/// Appends `text`, with the bytes percent-encoded that are not to stay.
fn push_encoded(url: &mut String, text: &str, stays: fn(u8) -> bool) {
    for byte in text.bytes() {
        if stays(byte) {
            url.push(char::from(byte));
        } else {
            url.push('%');
            url.extend([byte >> 4, byte & 0xf].map(hexadecimal));
        }
    }
}

/// A digit of a percent-encoding, in upper case (RFC 3986 section 2.1).
fn hexadecimal(nibble: u8) -> char {
    char::from_digit(nibble.into(), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

/// RFC 3986 section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// RFC 3986 section 3.3, where it is `pchar`, without the `:`.
fn is_of_segment(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=@".contains(&byte)
}

#[cfg(test)]
mod tests;
