//! What a reader of a document answers when commands ask.

use support::{Authenticator, TotpProgram};

/// The password that readers choose.
const CHOSEN_PASSWORD: &str = "correct horse battery";

/// What a reader knows.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The password that the running controller has chosen, as `quickstart` does.
    administrator: Option<String>,
    /// The authenticator app, once a secret was shown for it.
    app: Option<Authenticator>,
}

impl Answers {
    /// Notes the password that a controller shows at its start. Without one, it is the password that the reader chose.
    pub(crate) fn learn_password(&mut self, shown: &str) {
        let password = value(shown, "Password ");
        let password = password.and_then(|value| value.split_whitespace().next());
        self.administrator = password.map(str::to_owned);
    }

    /// The answer to the question at the end of `line`; `shown` is all that the command has shown.
    pub(crate) fn answer(&mut self, line: &str, shown: &str) -> Option<String> {
        let question = line.trim_end().trim_end_matches(':');
        let is = |known: &str| question.ends_with(known);
        if question.contains("recognize this fingerprint") {
            Some("yes".to_owned())
        } else if is("Password of admin") && self.administrator.is_some() {
            self.administrator.clone()
        } else if question.contains("Password") || is("New password") || is("Again") {
            Some(CHOSEN_PASSWORD.to_owned())
        } else if is("First code of the app") || is("TOTP or recovery code") {
            self.code(shown)
        } else {
            None
        }
    }

    fn code(&mut self, shown: &str) -> Option<String> {
        if let Some(secret) = value(shown, "secret:") {
            let secret = secret.replace(' ', "");
            self.app = Some(Authenticator::with_secret(TotpProgram::Python, &secret));
        }
        self.app.as_mut().map(Authenticator::code)
    }
}

/// What stands after a title on the first line that begins with it.
fn value<'s>(shown: &'s str, title: &str) -> Option<&'s str> {
    let mut lines = shown.lines().map(str::trim);
    lines.find_map(|line| line.strip_prefix(title).map(str::trim))
}
