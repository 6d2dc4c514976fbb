//! What all pages have in common.

use super::Page;
use super::policy::Needs;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(super) const STYLE: &str = include_str!("style.css");

/// A page with this heading, which is its title too.
pub(super) fn document(heading: &str, needs: Needs<'_>, content: &Markup) -> Page {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content=(super::REFERRER_POLICY);
                title { (heading) " · Portcullis" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (heading) }
                    (content)
                }
            }
        }
    };
    Page {
        html: html.into_string(),
        content_security_policy: needs.policy(),
    }
}

/// Why the last attempt failed. The field that it is about refers to it.
pub(super) fn alert(text: Option<&str>) -> Markup {
    html! {
        @if let Some(text) = text {
            p #error .error role="alert" { (text) }
        }
    }
}
