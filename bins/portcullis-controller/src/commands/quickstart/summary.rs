//! Summary that is printed once the network is served.

use super::administrator::{AdministratorSummary, PasswordSource, StoredPassword};
use crate::home::Home;
use crate::output::{one_line, print_line, shell_quoted};
use secrecy::ExposeSecret as _;

/// Prints the addresses and files of the network, and the next commands.
pub(super) fn print(address: &str, home: &Home, administrator: &AdministratorSummary) {
    print_line(text(address, home, administrator));
}

fn text(address: &str, home: &Home, administrator: &AdministratorSummary) -> String {
    let (ca, name) = (home.ca.display().to_string(), &administrator.name);
    let password_file = home.password.display().to_string();
    let password = match &administrator.password {
        PasswordSource::FromCommandLine => "as given".to_owned(),
        PasswordSource::Generated(password) => {
            format!(
                "{} (also in {})",
                password.expose_secret(),
                one_line(&password_file)
            )
        },
        PasswordSource::FromEarlierStart(StoredPassword::None) => "as before".to_owned(),
        PasswordSource::FromEarlierStart(StoredPassword::Current) => {
            format!("as before (in {})", one_line(&password_file))
        },
        PasswordSource::FromEarlierStart(StoredPassword::Outdated) => format!(
            "as before (not the one in {}, which is out of date)",
            one_line(&password_file)
        ),
    };
    format!(
        "\
Portcullis is ready.

  Address        {address}
  CA bundle      {ca_shown}
  Administrator  {name_shown}
  Password       {password}

Next, in another terminal:

  portcullis login {login} --username {user} --ca {ca_word}
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis enroll laptop.jwt
",
        ca_shown = one_line(&ca),
        name_shown = one_line(name),
        login = shell_quoted(address),
        user = shell_quoted(name),
        ca_word = shell_quoted(&ca),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn commands_can_be_pasted_as_they_stand() {
        let home = Home::at(Path::new("/tmp/my home"));
        let administrator = AdministratorSummary {
            name: "o'neil".to_owned(),
            password: PasswordSource::FromCommandLine,
        };
        let text = text("https://localhost:1280", &home, &administrator);
        let login = "portcullis login https://localhost:1280 --username 'o'\\''neil' \
                     --ca '/tmp/my home/ca.pem'";
        assert!(text.lines().any(|line| line.trim() == login), "{text}");
    }

    #[test]
    fn generated_password_is_shown_with_its_file() {
        let home = Home::at(Path::new("/srv/net"));
        let password = PasswordSource::Generated("s3cret".into());
        let administrator = AdministratorSummary {
            name: "admin".to_owned(),
            password,
        };
        let text = text("https://localhost:1280", &home, &administrator);
        assert!(
            text.contains("Password       s3cret (also in /srv/net/admin-password)"),
            "{text}"
        );
    }
}
