//! What all pages have in common.

use super::Page;
use super::policy::policy;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(super) const STYLE: &str = include_str!("style.css");

/// A page before it is put together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Document<'d> {
    /// Its title too.
    pub(super) heading: &'d str,
    pub(super) has_forms: bool,
    /// Whether there are images within the page itself.
    pub(super) has_images: bool,
    /// Where it goes on to by itself.
    pub(super) next: Option<&'d str>,
}

impl<'d> Document<'d> {
    /// A page that asks for nothing.
    pub(super) fn of_text(heading: &'d str, content: &Markup) -> Page {
        let document = Self {
            heading,
            ..Self::default()
        };
        document.with(content)
    }

    pub(super) fn with(self, content: &Markup) -> Page {
        let html = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content=(super::REFERRER_POLICY);
                    @if let Some(next) = self.next {
                        meta http-equiv="refresh" content={ "0; url=" (next) };
                    }
                    title { (self.heading) " · Portcullis" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.heading) }
                        (content)
                    }
                }
            }
        };
        Page {
            html: html.into_string(),
            content_security_policy: policy(self.has_forms, self.has_images),
        }
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
