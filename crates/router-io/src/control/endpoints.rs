//! The endpoints file on disk.

use std::io;
use std::path::Path;

use portcullis_files::{SECRET_MODE, create_directory, directory_of, replace};
use portcullis_router::control::{
    ControlAddress, ControlSettings, EndpointsFile, KnownControllers,
};

use portcullis_domain::error_sources::with_sources;

/// The controllers that a router knows when it starts.
pub(crate) fn known_controllers(settings: &ControlSettings) -> KnownControllers {
    let (path, configured) = (&settings.endpoints_file, &settings.addresses);
    let known = KnownControllers::new(configured.clone(), read(path));
    warn_about_others(path, configured, &known);
    known
}

/// Reads the file. One that cannot be read counts as none.
fn read(path: &Path) -> Option<EndpointsFile> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            let error = with_sources(&error);
            tracing::warn!(file = %path.display(), error, "the endpoints file cannot be read; the configuration counts");
            return None;
        },
    };
    EndpointsFile::parse(&bytes)
        .inspect_err(|error| {
            tracing::warn!(file = %path.display(), %error, "the endpoints file is invalid; the configuration counts");
        })
        .ok()
}

/// Says so if controllers are dialed at none of the addresses of the configuration, since the file has others.
fn warn_about_others(path: &Path, configured: &[ControlAddress], known: &KnownControllers) {
    if is_overruled(configured, known) {
        tracing::warn!(
            file = %path.display(),
            "controllers are dialed at the addresses of the endpoints file, which are those that they have \
             told; those of the configuration are not used unless the file is removed"
        );
    }
}

fn is_overruled(configured: &[ControlAddress], known: &KnownControllers) -> bool {
    let targets = known.targets();
    let mut dialed = targets.values().flatten();
    !configured.is_empty() && !dialed.any(|address| configured.contains(address))
}

/// Writes the file, for its owner only: all of it, or nothing.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    create_directory(directory_of(path)).map_err(io::Error::other)?;
    replace(path, text.as_bytes(), SECRET_MODE).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_configuration_that_nobody_dials_are_found() {
        let configured = ["tls:one.example.test:6262".parse().unwrap()];
        let with_file = |file: Option<&str>| {
            let file = file.map(|text| EndpointsFile::parse(text.as_bytes()).unwrap());
            let known = KnownControllers::new(configured.to_vec(), file);
            is_overruled(&configured, &known)
        };
        assert!(!with_file(None));
        assert!(!with_file(Some(
            "endpoints: [tls:one.example.test:6262, tls:two.example.test:1]\n"
        )));
        assert!(with_file(Some("endpoints: [tls:two.example.test:6262]\n")));
    }
}
