//! Pages that ask for nothing.

use super::Page;
use super::document::Document;
use crate::authorization::PageError;
use maud::html;

/// Why a login in a browser cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The login request is unknown, has expired, is finished, or belongs to another browser. It is not told which.
    LoginRequest,
    /// The application sent a request that leads nowhere.
    Authorization(PageError),
    /// The form came from another website.
    ForeignForm,
    /// The browser sent something that no page of ours makes it send.
    Malformed,
    /// The server has too much to do.
    Busy,
    Internal,
}

impl Problem {
    fn heading(self) -> &'static str {
        match self {
            Self::LoginRequest => "This sign-in has ended",
            Self::Authorization(_) => "Invalid request",
            Self::ForeignForm | Self::Malformed => "Request refused",
            Self::Busy => "The server is busy",
            Self::Internal => "Something went wrong",
        }
    }

    fn text(self) -> String {
        match self {
            Self::LoginRequest => {
                "It has expired, is finished already, was begun in another browser, or the server was restarted since."
                    .to_owned()
            },
            Self::Authorization(error) => {
                format!("The application sent a request that is not in order: {error}.")
            },
            Self::ForeignForm => "The form was sent by another website.".to_owned(),
            Self::Malformed => {
                "The browser sent something that no page of this server asks for.".to_owned()
            },
            Self::Busy => "It cannot process the sign-in at the moment.".to_owned(),
            Self::Internal => "The server could not process the sign-in.".to_owned(),
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::LoginRequest | Self::ForeignForm | Self::Malformed => {
                "Go back to the application and sign in from there."
            },
            Self::Authorization(_) => {
                "Nobody was signed in. Tell whoever runs the application; its redirect URI may have to be \
                 registered with this server."
            },
            Self::Busy => "Wait a moment, then go back to the application and sign in again.",
            Self::Internal => "Try again; if it happens again, tell whoever runs this server.",
        }
    }
}

/// Says what went wrong and what to do.
pub fn problem(problem: Problem) -> Page {
    let content = html! {
        p role="alert" { (problem.text()) }
        p { (problem.advice()) }
    };
    Document::of_text(problem.heading(), &content)
}

/// Goes on to `callback`, an address of this server, which leads back to the application.
///
/// This is how forms are answered whose login is complete. A redirect would belong to the form, and so would those
/// that the application goes on with; browsers hold `form-action` against each of them, wherever it leads.
pub fn signed_in(callback: &str) -> Page {
    let document = Document {
        heading: "You are signed in",
        next: Some(callback),
        ..Document::default()
    };
    document.with(&html! {
        p { a href=(callback) { "Go on to the application" } }
    })
}

/// Says that a session has ended.
pub fn signed_out() -> Page {
    let content = html! { p { "You can close this page." } };
    Document::of_text("You are signed out", &content)
}
