//! The policy that a page is sent with.

use super::destination::Destination;
use super::document::STYLE;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

/// The style of the pages, as a source.
static STYLE_SOURCE: LazyLock<String> =
    LazyLock::new(|| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(STYLE))));

/// What a page needs beyond its text and style.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Needs<'n> {
    /// Where its forms lead in the end, if it has any.
    pub(super) forms: Option<&'n Destination>,
    /// Images within the page itself.
    pub(super) has_images: bool,
}

impl Needs<'_> {
    /// Value of the header `Content-Security-Policy`.
    pub(super) fn policy(self) -> String {
        let style = STYLE_SOURCE.as_str();
        let forms = self.forms.map(Destination::policy_source);
        let forms = forms.map_or_else(|| "'none'".to_owned(), |source| format!("'self' {source}"));
        let images = if self.has_images {
            "; img-src data:"
        } else {
            ""
        };
        format!(
            "default-src 'none'; style-src {style}{images}; form-action {forms}; base-uri 'none'; \
             frame-ancestors 'none'"
        )
    }
}
