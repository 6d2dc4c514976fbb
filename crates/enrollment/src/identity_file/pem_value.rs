//! Where a key or certificate of an identity file is.

use std::path::{Path, PathBuf};

/// Before a PEM text.
const INLINE: &str = "pem:";

/// Before a path, where it may also be missing.
const FILE: &str = "file://";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PemValue<'a> {
    Inline(&'a str),
    File(PathBuf),
}

impl<'a> PemValue<'a> {
    /// `None` for schemes that are not known, such as those of hardware keys.
    pub(super) fn parse(value: &'a str) -> Option<Self> {
        if let Some(pem) = value.strip_prefix(INLINE) {
            return Some(Self::Inline(pem));
        }
        let path = match value.strip_prefix(FILE) {
            Some(path) => path,
            None if has_scheme(value) => return None,
            None => value,
        };
        // `-` is the name of a file here.
        Some(Self::File(Path::new(".").join(path)))
    }

    /// The value that has a PEM text in itself.
    pub(super) fn inline(pem: &str) -> String {
        format!("{INLINE}{pem}")
    }
}

/// Whether a value has the scheme of a URL. A single letter is a drive.
fn has_scheme(value: &str) -> bool {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let scheme = value.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.len() != 1 && is_word(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_say_where_they_are() {
        let file = |path: &str| Some(PemValue::File(path.into()));
        for (value, read) in [
            ("pem:KEY", Some(PemValue::Inline("KEY"))),
            ("file:///etc/key.pem", file("/etc/key.pem")),
            ("file://key.pem", file("./key.pem")),
            ("/etc/key.pem", file("/etc/key.pem")),
            ("key.pem", file("./key.pem")),
            ("-", file("./-")),
            ("c:/key.pem", file("./c:/key.pem")),
            ("engine:pkcs11", None),
            ("pkcs11://lib", None),
            ("https://key.test", None),
        ] {
            assert_eq!(PemValue::parse(value), read, "{value}");
        }
    }
}
