//! Trust that an enrollment leaves for later logins.

use super::issuer::Issuer;
use crate::context::Context;
use crate::error::CliError;
use crate::profile::{Profile, Profiles};
use crate::{controller_url, output, shell, trust};
use portcullis_pki::{Certificate, certificates_to_pem};

/// What became of the profile.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// It is new, and trusts the controller.
    Created,
    /// It has been used with this controller already, and is left as it is.
    Known,
    /// It belongs to another controller, and is left as it is.
    OfOther(String),
}

/// Stores the CA that the token vouched for in the profile, so that the next login asks nothing.
/// Returns whether there is a new profile. The identity is enrolled in any case.
pub(super) fn remember(context: &Context, issuer: &Issuer, username: Option<&str>) -> bool {
    match store(context, issuer, username) {
        Ok(Outcome::Created) => true,
        Ok(Outcome::Known) => false,
        Ok(Outcome::OfOther(url)) => {
            let (name, own) = (&context.profile, controller_url::display(&issuer.url));
            output::note(&format!(
                "Profile `{name}` is for {url}, and stays so. To log in to {own}, use another one: \
                 `portcullis --profile NAME login {}`",
                shell::quote(&own)
            ));
            false
        },
        Err(error) => {
            output::note(&format!(
                "The next login will ask for the CA: {}",
                error.message()
            ));
            false
        },
    }
}

fn store(context: &Context, issuer: &Issuer, username: Option<&str>) -> Result<Outcome, CliError> {
    let authorities = issuer.authorities.iter().filter(|one| one.is_ca());
    let authorities: Vec<Certificate> = authorities.cloned().collect();
    let profile = Profile {
        url: issuer.url.clone(),
        ca: Some(certificates_to_pem(&trust::roots_or_all(&authorities))),
        username: username.map(str::to_owned),
        way: None,
        second_ext_jwt: None,
        session: None,
    };
    let mut outcome = Outcome::Known;
    context
        .store
        .update(|all| outcome = insert(all, &context.profile, profile))?;
    Ok(outcome)
}

/// Inserts the profile, unless there is one with this name.
fn insert(all: &mut Profiles, name: &str, profile: Profile) -> Outcome {
    match all.profiles.get(name) {
        Some(known) if known.url == profile.url => Outcome::Known,
        Some(other) => Outcome::OfOther(controller_url::display(&other.url)),
        None => {
            all.profiles.insert(name.to_owned(), profile);
            Outcome::Created
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(url: &str, ca: &str) -> Profile {
        Profile {
            url: url.parse().unwrap(),
            ca: Some(ca.to_owned()),
            username: None,
            way: None,
            second_ext_jwt: None,
            session: None,
        }
    }

    #[test]
    fn trust_of_an_existing_profile_is_never_replaced() {
        let mut all = Profiles::default();
        let mut insert = |url, ca| insert(&mut all, "p", profile(url, ca));
        assert_eq!(insert("https://a:1", "first"), Outcome::Created);
        assert_eq!(insert("https://a:1", "second"), Outcome::Known);
        assert_eq!(
            insert("https://b:1", "third"),
            Outcome::OfOther("https://a:1".to_owned())
        );
        assert_eq!(all.profiles["p"].ca.as_deref(), Some("first"));
    }
}
