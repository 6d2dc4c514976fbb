//! What the name of a file tells.

use std::path::Path;

/// The media type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MediaType {
    pub(super) name: &'static str,
    /// Whether gzip makes it smaller: most pictures and fonts are packed already.
    pub(super) is_compressible: bool,
}

/// Media types by extension. A table of our own, since those of systems differ.
const TEXTS: [(&str, &str); 14] = [
    ("css", "text/css; charset=utf-8"),
    ("eot", "application/vnd.ms-fontobject"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/vnd.microsoft.icon"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
];
const PACKED: [(&str, &str); 8] = [
    ("avif", "image/avif"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
];

impl MediaType {
    /// The media type by the extension of a name; that of any bytes, if it is unknown.
    pub(super) fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|it| it.to_str());
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        let find = |table: &[(&str, &'static str)]| {
            let known = table.iter().find(|(known, _)| *known == extension);
            known.map(|&(_, name)| name)
        };
        if let Some(name) = find(&TEXTS) {
            return Self {
                name,
                is_compressible: true,
            };
        }
        Self {
            name: find(&PACKED).unwrap_or("application/octet-stream"),
            is_compressible: false,
        }
    }
}

/// Hexadecimal digits of the hash in a name.
const HASH_DIGITS: usize = 16;

/// Whether the name has a hash of what is in the file, as in `main.0123456789abcdef.js`.
pub(super) fn has_hashed_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str());
    let Some((before, _extension)) = name.and_then(|name| name.rsplit_once('.')) else {
        return false;
    };
    let hash = before.rsplit_once('.').map(|(_, hash)| hash);
    hash.is_some_and(|hash| {
        hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_the_types_that_they_insist_on() {
        for (file, name, is_compressible) in [
            ("a/main.js", "text/javascript; charset=utf-8", true),
            ("INDEX.HTML", "text/html; charset=utf-8", true),
            ("a.woff2", "font/woff2", false),
            ("a.unknown", "application/octet-stream", false),
            (".env", "application/octet-stream", false),
        ] {
            let expected = MediaType {
                name,
                is_compressible,
            };
            assert_eq!(MediaType::of(Path::new(file)), expected, "{file}");
        }
    }

    #[test]
    fn hashes_in_names_are_noticed() {
        assert!(has_hashed_name(Path::new("a/main.0123456789abcDEF.js")));
        for name in [
            "main.js",
            "0123456789abcdef.js",
            "main.0123456789abcdef",
            "main.0123456789abcde.js",
            "main.0123456789abcdeg.js",
        ] {
            assert!(!has_hashed_name(Path::new(name)), "{name}");
        }
    }
}
