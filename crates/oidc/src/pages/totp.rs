//! Pages about one-time codes.

use super::Page;
use super::document::{Document, alert};
use super::login::{LoginPages, Refusal, form_page};
use super::text::Foreign;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use maud::{Markup, html};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// An enrollment that was begun and not verified.
#[derive(Debug, Clone, Copy)]
pub struct TotpEnrollment<'e> {
    /// Name of the identity.
    pub account: &'e str,
    /// The `otpauth` URL with the secret.
    pub provisioning_url: &'e SecretString,
    /// The same URL as a QR code, in PNG.
    pub qr_code: &'e [u8],
    pub recovery_codes: &'e [SecretString],
}

impl LoginPages<'_> {
    /// Asks for a code of the authenticator app, or a recovery code.
    pub fn totp(&self, refusal: Option<Refusal>) -> Page {
        let error = refusal.map(|refusal| {
            refusal.text("The code is wrong, or was used already. Try another one.")
        });
        let content = html! {
            (self.purpose())
            (alert(error.as_deref()))
            form method="post" action="/oidc/login/totp" {
                (self.id_field())
                label for="code" { "Code of your authenticator app" }
                (code_field(error.is_some(), true))
                button { "Continue" }
            }
            details {
                summary { "Use a recovery code" }
                form method="post" action="/oidc/login/totp" {
                    (self.id_field())
                    label for="recovery-code" { "Recovery code" }
                    input #recovery-code name="code" type="text" required maxlength="13"
                        autocomplete="off" autocapitalize="characters" spellcheck="false"
                        aria-describedby="recovery-hint";
                    p #recovery-hint .hint { "Six capital letters and digits. Each code works once." }
                    button { "Use recovery code" }
                }
            }
        };
        form_page("Enter your code", &content)
    }

    /// Says that a second factor has to be set up before the login can go on.
    pub fn totp_required(&self) -> Page {
        let content = html! {
            (self.purpose())
            p {
                "Your account needs a second factor: codes of an authenticator app, which you set up once. \
                 Have your phone at hand."
            }
            form method="post" action="/oidc/login/totp/enroll" {
                (self.id_field())
                button autofocus { "Set up authenticator app" }
            }
        };
        form_page("Set up a second factor", &content)
    }

    /// Shows the secret and the recovery codes, and asks for the first code.
    pub fn totp_enrollment(
        &self,
        enrollment: &TotpEnrollment<'_>,
        refusal: Option<Refusal>,
    ) -> Page {
        let error = refusal.map(|refusal| {
            refusal
                .text("The code is wrong. Check the clock of your phone, and enter the next code.")
        });
        let content = html! {
            section .screen-only {
                h2 { "1. Scan this code" }
                (secret(enrollment))
            }
            section {
                h2 .screen-only { "2. Save your recovery codes" }
                (recovery_codes(enrollment))
            }
            section .screen-only {
                h2 { "3. Enter the first code" }
                (alert(error.as_deref()))
                form method="post" action="/oidc/login/totp/enroll/verify" {
                    (self.id_field())
                    label for="code" { "Code that the app shows" }
                    // Focus at once would scroll past the secret.
                    (code_field(error.is_some(), error.is_some()))
                    button { "Finish" }
                }
                form method="post" action="/oidc/login/totp/enroll" {
                    (self.id_field())
                    input type="hidden" name="restart" value="true";
                    button .secondary { "Begin again with a new code" }
                }
            }
        };
        let document = Document {
            heading: "Set up a second factor",
            has_forms: true,
            has_images: true,
            next: None,
        };
        document.with(&content)
    }
}

fn code_field(has_error: bool, has_focus: bool) -> Markup {
    html! {
        input #code .code name="code" type="text" required maxlength="13"
            inputmode="numeric" autocomplete="one-time-code" spellcheck="false"
            aria-describedby=[has_error.then_some("error")] autofocus[has_focus];
    }
}

/// The secret, in each way that an app can take it.
fn secret(enrollment: &TotpEnrollment<'_>) -> Markup {
    let url = enrollment.provisioning_url.expose_secret();
    let image = format!(
        "data:image/png;base64,{}",
        STANDARD.encode(enrollment.qr_code)
    );
    html! {
        p { "Open your authenticator app, add an account and scan this code:" }
        img src=(image) width="256" height="256" alt="QR code with the secret that is written below";
        p {
            "If you cannot scan it, enter this secret by hand: "
            code .secret { (grouped(&parameter(url, "secret"))) }
        }
        p { a href=(url) { "Open the authenticator app on this device" } }
    }
}

fn recovery_codes(enrollment: &TotpEnrollment<'_>) -> Markup {
    let url = enrollment.provisioning_url.expose_secret();
    html! {
        p .screen-only {
            "Each of them replaces a code of the app once, for instance when you have lost your phone. Print this \
             page or write them down now: they are not shown again."
        }
        p {
            "Recovery codes of " strong { (Foreign(enrollment.account)) }
            " at " (Foreign(&parameter(url, "issuer"))) ":"
        }
        ul .codes {
            @for code in enrollment.recovery_codes {
                li { code { (code.expose_secret()) } }
            }
        }
    }
}

/// A parameter of a provisioning URL.
fn parameter(url: &str, name: &str) -> String {
    let url = Url::parse(url).ok();
    let value = url.as_ref().and_then(|url| {
        let mut parameters = url.query_pairs();
        parameters.find_map(|(other, value)| (other == name).then(|| value.into_owned()))
    });
    value.unwrap_or_default()
}

/// The secret in groups of four characters.
fn grouped(secret: &str) -> String {
    let characters: Vec<char> = secret.chars().collect();
    let groups: Vec<String> = characters
        .chunks(4)
        .map(|group| group.iter().collect())
        .collect();
    groups.join(" ")
}
