//! The policy that a page is sent with.

use super::document::STYLE;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

/// The style of the pages, as a source.
static STYLE_SOURCE: LazyLock<String> =
    LazyLock::new(|| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(STYLE))));

/// Value of the header `Content-Security-Policy` of a page with forms, or with images within itself.
///
/// Its forms are answered with pages and never with redirects, for browsers hold `form-action` against all that
/// follow, up to where an application sends the person in the end.
pub(super) fn policy(has_forms: bool, has_images: bool) -> String {
    let style = STYLE_SOURCE.as_str();
    let forms = if has_forms { "'self'" } else { "'none'" };
    let images = if has_images { "; img-src data:" } else { "" };
    format!(
        "default-src 'none'; style-src {style}{images}; form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
    )
}
