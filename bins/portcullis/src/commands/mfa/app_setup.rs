//! Setup data of authenticator apps.

use crate::error::CliError;
use crate::terminal;
use portcullis_api::mfa::MfaDetail;
use portcullis_command_line::text_width;
use portcullis_totp::QrCode;
use secrecy::{ExposeSecret as _, SecretString};
use std::fmt::Write as _;
use url::Url;
use zeroize::Zeroizing;

/// Setup data of authenticator apps.
pub(super) struct AppSetup {
    url: SecretString,
    secret: SecretString,
    account: String,
}

/// Parts of the setup data to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetupDisplay {
    pub(super) has_qr: bool,
    pub(super) has_url: bool,
}

impl AppSetup {
    /// Reads the setup data of a started enrollment.
    pub(super) fn from_detail(started: &MfaDetail) -> Result<Self, CliError> {
        let unclear = || {
            CliError::failed(
                "the controller did not provide the setup data for an authenticator app",
            )
        };
        let url = started.provisioning_url.as_ref().ok_or_else(unclear)?;
        let parsed = Url::parse(url.expose_secret()).map_err(|_secret| unclear())?;
        let mut pairs = parsed.query_pairs();
        let secret = pairs
            .find(|(name, _)| name == "secret")
            .ok_or_else(unclear)?;
        Ok(Self {
            url: url.clone(),
            secret: SecretString::from(&*secret.1),
            account: account_label(&parsed),
        })
    }

    /// Provisioning URL (`otpauth:`).
    pub(super) fn url(&self) -> &SecretString {
        &self.url
    }

    /// Secret in base32.
    pub(super) fn secret(&self) -> &SecretString {
        &self.secret
    }

    /// Renders the setup data for a terminal.
    pub(super) fn render(&self, style: SetupDisplay) -> Zeroizing<String> {
        let qr = style.has_qr.then(|| self.render_qr()).flatten();
        let groups = self.grouped_secret();
        let mut text = Zeroizing::new(String::with_capacity(
            1024 + 4 * self.url.expose_secret().len(),
        ));
        // Writing to a string cannot fail.
        if let Some(qr) = &qr {
            let _ = writeln!(text, "Scan this with an authenticator app:\n\n{}", **qr);
            let _ = writeln!(
                text,
                "Or type this secret into it, as a time-based (TOTP) key:"
            );
        } else {
            let _ = writeln!(
                text,
                "Type this secret into an authenticator app, as a time-based (TOTP) key:"
            );
        }
        let _ = writeln!(text, "\n  account:  {}", self.account);
        let _ = writeln!(text, "  secret:   {}", *groups);
        if style.has_url {
            let _ = writeln!(text, "  URL:      {}", self.url.expose_secret());
        }
        text
    }

    /// The QR code, if it fits the terminal.
    fn render_qr(&self) -> Option<Zeroizing<String>> {
        let code = QrCode::encode(self.url.expose_secret()).ok()?;
        let drawings = [
            Some(code.to_text()).filter(|_| supports_unicode()),
            Some(code.to_ascii()),
        ];
        let mut drawings = drawings.into_iter().flatten().map(Zeroizing::new);
        drawings.find(|drawing| fits_terminal(drawing))
    }

    /// The secret in groups of four.
    fn grouped_secret(&self) -> Zeroizing<String> {
        let secret = self.secret.expose_secret();
        let mut groups = Zeroizing::new(String::with_capacity(2 * secret.len()));
        for (place, character) in secret.chars().enumerate() {
            if place > 0 && place % 4 == 0 {
                groups.push(' ');
            }
            groups.push(character);
        }
        groups
    }
}

/// Account label that the app will show.
fn account_label(url: &Url) -> String {
    let path = url.path().trim_start_matches('/').as_bytes();
    String::from_utf8_lossy(&percent_decode(path)).into_owned()
}

/// Decodes percent-encoding.
fn percent_decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, others @ ..] = rest {
        let (byte, length) = match others {
            [high, low, ..] if *first == b'%' => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => (u8::try_from(16 * high + low).unwrap_or(b'?'), 3),
                _ => (*first, 1),
            },
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = rest.get(length..).unwrap_or_default();
    }
    bytes
}

/// Whether the locale supports Unicode.
fn supports_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    let is_utf8 = |locale: std::ffi::OsString| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    cfg!(windows) || locale.is_some_and(is_utf8)
}

/// Whether a drawing fits the width of the terminal, if known.
fn fits_terminal(drawing: &str) -> bool {
    let room = terminal::stdout_width();
    let widest = drawing
        .lines()
        .map(text_width::width)
        .max()
        .unwrap_or_default();
    room.is_none_or(|room| widest <= room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const URL: &str = "otpauth://totp/openziti.io:Zo%C3%AB's%20laptop?issuer=openziti.io&\
                       secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    fn started(url: &str) -> MfaDetail {
        serde_json::from_value(json!({
            "_links": {},
            "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "id": "m1",
            "isVerified": false,
            "provisioningUrl": url,
            "recoveryCodes": [],
        }))
        .unwrap()
    }

    #[test]
    fn secret_is_shown_in_groups() {
        let set_up = AppSetup::from_detail(&started(URL)).unwrap();
        let style = |has_qr, has_url| set_up.render(SetupDisplay { has_qr, has_url });
        let plain = style(false, false);
        let secret = "  secret:   GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ\n";
        assert!(plain.ends_with(secret), "{}", *plain);
        assert!(plain.contains("  account:  openziti.io:Zoë's laptop\n"));
        assert!(!plain.contains("otpauth"));
        assert!(style(false, true).contains(URL));
        assert_eq!(
            set_up.secret().expose_secret(),
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        );
    }

    #[test]
    fn what_sets_up_nothing_is_refused_without_a_trace() {
        for url in ["otpauth://totp/a:b?issuer=x", "no url GEZD", ""] {
            let error = AppSetup::from_detail(&started(url)).err().unwrap();
            assert!(!error.message().contains("GEZD"));
        }
    }

    #[test]
    fn odd_escapes_stay() {
        for (text, plain) in [("a%20b", "a b"), ("100%", "100%"), ("%zz%4", "%zz%4")] {
            assert_eq!(percent_decode(text.as_bytes()), plain.as_bytes());
        }
    }
}
