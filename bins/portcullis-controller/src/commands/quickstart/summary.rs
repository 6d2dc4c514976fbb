//! What a person is told once the network is served.

use super::administrator::{Administrator, Kept, Password};
use crate::home::Home;
use crate::output::{one_line, say, shell_word};
use secrecy::ExposeSecret as _;

/// Says where everything is, and which commands come next.
pub(super) fn show(address: &str, home: &Home, administrator: &Administrator) {
    say(text(address, home, administrator));
}

fn text(address: &str, home: &Home, administrator: &Administrator) -> String {
    let (ca, name) = (home.ca.display().to_string(), &administrator.name);
    let kept = home.password.display().to_string();
    let password = match &administrator.password {
        Password::Given => "as given".to_owned(),
        Password::Generated(password) => {
            format!("{} (also in {})", password.expose_secret(), one_line(&kept))
        },
        Password::Earlier(Kept::Nothing) => "as before".to_owned(),
        Password::Earlier(Kept::Password) => format!("as before (in {})", one_line(&kept)),
        Password::Earlier(Kept::Outdated) => format!(
            "as before (not the one in {}, which is out of date)",
            one_line(&kept)
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
        login = shell_word(address),
        user = shell_word(name),
        ca_word = shell_word(&ca),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn commands_can_be_pasted_as_they_stand() {
        let home = Home::at(Path::new("/tmp/my home"));
        let administrator = Administrator {
            name: "o'neil".to_owned(),
            password: Password::Given,
        };
        let text = text("https://localhost:1280", &home, &administrator);
        let login = "portcullis login https://localhost:1280 --username 'o'\\''neil' \
                     --ca '/tmp/my home/ca.pem'";
        assert!(text.lines().any(|line| line.trim() == login), "{text}");
    }

    #[test]
    fn generated_password_is_shown_with_its_file() {
        let home = Home::at(Path::new("/srv/net"));
        let password = Password::Generated("s3cret".into());
        let administrator = Administrator {
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
