//! What the path of a request is for.

use super::WebApp;
use std::path::PathBuf;

/// What of an application a request is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A path that must not be followed.
    Invalid,
    /// A folder, by the name of its index.
    Folder,
    /// A file by its path in the folder, if it exists; otherwise the index.
    File(PathBuf),
}

impl WebApp {
    /// Strips the path of the application from a decoded path; `None` if that lies elsewhere.
    pub(super) fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        if let Some(rest) = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(self.segment.as_str()))
            .filter(|rest| is_below(rest))
        {
            return Some(rest);
        }
        let is_asset = self.has_root_assets && path.strip_prefix("/assets").is_some_and(is_below);
        is_asset.then_some(path)
    }
}

fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Resolves a decoded path within an application.
pub(super) fn resolve(path: &str) -> Target {
    // A backslash separates as well, in case that what comes after takes it for a slash.
    if path.split(['/', '\\']).any(|segment| segment == "..") || path.contains('\0') {
        return Target::Invalid;
    }
    if path.ends_with("/index.html") {
        return Target::Folder;
    }
    let segments = path.split('/').filter(|it| !matches!(*it, "" | "."));
    Target::File(segments.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(has_root_assets: bool) -> WebApp {
        WebApp {
            segment: "zac".to_owned(),
            location: "/opt/console".into(),
            index_file: "index.html".to_owned(),
            has_root_assets,
        }
    }

    #[test]
    fn paths_below_its_segment_are_its_own() {
        for (path, rest) in [
            ("/zac", Some("")),
            ("/zac/", Some("/")),
            ("/zac/assets/a.svg", Some("/assets/a.svg")),
            ("/zacfoo", None),
            ("/ZAC/", None),
            ("//zac/", None),
            ("/assets/a.svg", None),
            ("/", None),
        ] {
            assert_eq!(app(false).strip(path), rest, "{path}");
        }
    }

    #[test]
    fn assets_at_the_root_belong_to_the_older_binding() {
        for (path, rest) in [
            ("/assets", Some("/assets")),
            ("/assets/a.svg", Some("/assets/a.svg")),
            ("/assetsx", None),
            ("/zac/x", Some("/x")),
        ] {
            assert_eq!(app(true).strip(path), rest, "{path}");
        }
    }

    #[test]
    fn paths_stay_in_the_folder() {
        for path in [
            "/..",
            "/../x",
            "/a/..",
            "/a/../b",
            "/..\\x",
            "/a\\..\\x",
            "/a\0",
        ] {
            assert_eq!(resolve(path), Target::Invalid, "{path}");
        }
        for (path, file) in [
            ("", ""),
            ("/", ""),
            ("//main.js/", "main.js"),
            ("/./a/.env", "a/.env"),
            ("/..a/b..", "..a/b.."),
            ("/index.html/", "index.html"),
        ] {
            assert_eq!(resolve(path), Target::File(file.into()), "{path}");
        }
        assert_eq!(resolve("/a/index.html"), Target::Folder);
    }
}
