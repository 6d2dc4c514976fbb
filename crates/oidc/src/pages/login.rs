//! Pages on which somebody says who they are.

use super::Page;
use super::destination::Destination;
use super::document::{Document, alert};
use super::text::{Foreign, retyped};
use crate::authorization::AuthorizationRequest;
use crate::client::Client;
use maud::{Markup, html};

/// The pages of one login.
#[derive(Debug, Clone)]
pub struct LoginPages<'l> {
    pub(super) id: &'l str,
    client: Client,
    destination: Destination,
}

/// Why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// What was presented does not count. Why it does not is not told.
    Wrong,
    /// Too many failed; how many seconds to wait.
    Throttled { seconds: u64 },
    /// The server has too much to do.
    Busy,
}

/// An attempt to log in with a password that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedAttempt<'a> {
    /// As it was typed.
    pub username: &'a str,
    pub refusal: Refusal,
}

impl Refusal {
    pub(super) fn text(self, wrong: &str) -> String {
        match self {
            Self::Wrong => wrong.to_owned(),
            Self::Throttled { seconds: 1 } => {
                "Too many failed attempts. Try again in 1 second.".to_owned()
            },
            Self::Throttled { seconds } => {
                format!("Too many failed attempts. Try again in {seconds} seconds.")
            },
            Self::Busy => "The server is busy. Try again in a moment.".to_owned(),
        }
    }
}

impl<'l> LoginPages<'l> {
    /// The pages of the login request with this id.
    pub fn new(id: &'l str, request: &AuthorizationRequest) -> Self {
        Self {
            id,
            client: request.client,
            destination: Destination::of(&request.redirect_uri),
        }
    }

    /// Asks for user name and password; `failed` is the attempt before.
    pub fn password(&self, failed: Option<FailedAttempt<'_>>) -> Page {
        let username = failed.map(|failed| retyped(failed.username));
        let username = username.as_deref().unwrap_or_default();
        let error = failed.map(|failed| {
            // A throttled attempt is refused in the same words, so all refusals give the advice.
            failed.refusal.text(
                "The user name or password is wrong, or you may not sign in this way. After several failed \
                 attempts, wait a while before you try again.",
            )
        });
        let described = error.is_some().then_some("error");
        let content = html! {
            (self.purpose())
            (alert(error.as_deref()))
            form method="post" action="/oidc/login/password" {
                (self.id_field())
                label for="username" { "User name" }
                input #username name="username" type="text" value=(username) required
                    autocomplete="username" autocapitalize="none" spellcheck="false"
                    aria-describedby=[described] autofocus[username.is_empty()];
                label for="password" { "Password" }
                input #password name="password" type="password" required
                    autocomplete="current-password" aria-describedby=[described]
                    autofocus[!username.is_empty()];
                button { "Sign in" }
            }
        };
        form_page("Sign in", &content)
    }

    /// Offers to log in with the certificate that the browser has chosen.
    pub fn certificate(&self, refusal: Option<Refusal>) -> Page {
        let error = refusal.map(|refusal| {
            refusal.text(
                "Your browser sent no certificate, or one that may not be used to sign in here.",
            )
        });
        let content = html! {
            (self.purpose())
            (alert(error.as_deref()))
            p {
                "You are about to sign in with the certificate that your browser sends. If it asked for none, \
                 close all its windows and begin again."
            }
            form method="post" action="/oidc/login/cert" {
                (self.id_field())
                button autofocus aria-describedby=[error.is_some().then_some("error")] {
                    "Sign in with certificate"
                }
            }
        };
        form_page("Sign in", &content)
    }

    /// Says that the first factor is a token, which only programs can send.
    pub fn external_token(&self) -> Page {
        let content = html! {
            (self.purpose())
            p { "This sign-in needs a token of another identity provider, which a browser cannot send by itself." }
            p { "Go back to the application and sign in from there." }
        };
        Document::of_text("Sign in with a token", &content)
    }

    /// Says that a token is needed as a second factor.
    pub fn token_required(&self) -> Page {
        let content = html! {
            (self.purpose())
            p {
                "Your account also needs a token of another identity provider, which a browser cannot send by \
                 itself."
            }
            p { "Sign in with an application that can send it." }
        };
        Document::of_text("One more step", &content)
    }

    /// Who asks for the login, and where it leads.
    pub(super) fn purpose(&self) -> Markup {
        let client = match self.client {
            Client::OpenZiti => "An OpenZiti application",
            Client::Native => "A native application",
        };
        let host = self.destination.host().unwrap_or_default();
        html! {
            p .purpose {
                (client)
                @match &self.destination {
                    Destination::ThisComputer(_) => {
                        " on this computer, at " strong { (Foreign(&host)) } ", "
                    }
                    Destination::Website(_) => {
                        " of the website " strong { (Foreign(&host)) } " "
                    }
                    Destination::Application { scheme } => {
                        " on this device, for links that begin with " strong { (Foreign(scheme)) ":" } ", "
                    }
                }
                "asks you to sign in. If you did not begin this, close the page."
            }
        }
    }

    pub(super) fn id_field(&self) -> Markup {
        html! { input type="hidden" name="id" value=(self.id); }
    }
}

/// A page with forms.
pub(super) fn form_page(heading: &str, content: &Markup) -> Page {
    let document = Document {
        heading,
        has_forms: true,
        ..Document::default()
    };
    document.with(content)
}
