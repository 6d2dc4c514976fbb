//! What browsers are told to allow.

use super::*;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

/// The part of a policy that begins with `name`.
fn directive<'p>(page: &'p Page, name: &str) -> Option<&'p str> {
    let mut directives = page.content_security_policy.split("; ");
    directives.find_map(|directive| directive.strip_prefix(name)?.strip_prefix(' '))
}

#[test]
fn nothing_is_allowed_but_style_forms_and_the_qr_code() {
    for page in all_with("alice") {
        let style = page.html.split_once("<style>").unwrap().1;
        let style = style.split_once("</style>").unwrap().0;
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(style)));
        assert_eq!(directive(&page, "style-src"), Some(hash.as_str()));
        assert_eq!(directive(&page, "default-src"), Some("'none'"));
        assert_eq!(directive(&page, "base-uri"), Some("'none'"));
        assert_eq!(directive(&page, "frame-ancestors"), Some("'none'"));
        let images = page.html.contains("<img").then_some("data:");
        assert_eq!(directive(&page, "img-src"), images);
        let forms = if page.html.contains("<form") {
            "'self'"
        } else {
            "'none'"
        };
        assert_eq!(directive(&page, "form-action"), Some(forms));
        assert!(!page.html.contains("<script") && !page.html.contains(" style="));
    }
}
