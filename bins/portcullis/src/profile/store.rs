//! Storage of profiles in a file.

use super::{Profile, Profiles};
use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const PROFILES_FILE: &str = "profiles.json";
/// Disk space to reserve, far more than profiles need.
const RESERVED_BYTES: usize = 64 * 1024;

const LOCK_FILE: &str = "profiles.lock";

/// Locked while a session is renewed, so that no other process presents the same refresh token.
const RENEWAL_LOCK_FILE: &str = "renewal.lock";

/// Directory of the profiles (mode 0700).
#[derive(Debug, Clone)]
pub(crate) struct ProfileStore {
    dir: PathBuf,
}

impl ProfileStore {
    /// Uses the directory `given`, or else the user's own (XDG Base Directory).
    pub(crate) fn locate(given: Option<PathBuf>) -> Result<Self, CliError> {
        let folder = given.or_else(|| default_dir(|name| env::var_os(name).map(PathBuf::from)));
        let folder = folder.ok_or_else(|| {
            CliError::failed("no directory for profiles is known")
                .hint("set HOME, XDG_CONFIG_HOME or PORTCULLIS_CONFIG_DIR")
        })?;
        Ok(Self { dir: folder })
    }

    pub(crate) fn read(&self, name: &str) -> Result<Option<Profile>, CliError> {
        Ok(self.read_all()?.profiles.remove(name))
    }

    /// Updates the profiles under an exclusive lock.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Profiles)) -> Result<(), CliError> {
        let _lock = self.lock(LOCK_FILE)?;
        let mut profiles = self.read_all()?;
        change(&mut profiles);
        let mut text = serde_json::to_string_pretty(&profiles)
            .map_err(|error| CliError::failed("cannot encode the profiles").with_source(error))?;
        text.push('\n');
        PrivateFile::prepare(&self.path(), Existing::Replace)?.finish(text.as_bytes())
    }

    /// Waits until no other process renews a session. None does until the file is closed.
    pub(crate) fn lock_renewals(&self) -> Result<File, CliError> {
        self.lock(RENEWAL_LOCK_FILE)
    }

    /// Takes an exclusive lock, which is released when the file is closed.
    fn lock(&self, name: &str) -> Result<File, CliError> {
        create_private_dir(&self.dir).map_err(|error| self.write_error(error))?;
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.dir.join(name))
            .map_err(|error| self.write_error(error))?;
        lock.lock().map_err(|error| self.write_error(error))?;
        Ok(lock)
    }

    /// Checks that the profiles can be updated.
    pub(crate) fn check_writable(&self) -> Result<(), CliError> {
        create_private_dir(&self.dir).map_err(|error| self.write_error(error))?;
        self.read_all()?;
        PrivateFile::prepare(&self.path(), Existing::Replace)?.reserve(RESERVED_BYTES)
    }

    pub(crate) fn read_all(&self) -> Result<Profiles, CliError> {
        let path = self.path();
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Profiles::default()),
            Err(error) => return Err(read_error(&path, error)),
        };
        // The error names position and type, but no values.
        serde_json::from_slice(&text).map_err(|error| {
            read_error(&path, error).hint("repair or remove the file, then log in again")
        })
    }

    fn path(&self) -> PathBuf {
        self.dir.join(PROFILES_FILE)
    }

    fn write_error(&self, error: io::Error) -> CliError {
        let folder = self.dir.display();
        CliError::failed(format!("cannot store profiles in {folder}")).with_source(error)
    }
}

fn read_error(path: &Path, error: impl Into<anyhow::Error>) -> CliError {
    CliError::failed(format!("{} cannot be read", path.display())).with_source(error)
}

/// Default directory from the environment. Relative paths are ignored.
fn default_dir(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    let parent = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .or_else(|| absolute("APPDATA"))?;
    Some(parent.join("portcullis"))
}

/// Creates a directory with mode 0700, unless it exists.
fn create_private_dir(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        Profile {
            url: "https://c:1280".parse().unwrap(),
            ca: None,
            username: None,
            way: None,
            second_ext_jwt: None,
            session: None,
        }
    }

    #[test]
    fn profiles_are_private_and_change_one_by_one() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a").join("portcullis");
        let store = ProfileStore::locate(Some(folder.clone())).unwrap();
        assert!(store.read("p").unwrap().is_none());
        for name in ["p", "q"] {
            let insert = |all: &mut Profiles| drop(all.profiles.insert(name.to_owned(), profile()));
            store.update(insert).unwrap();
        }
        assert!(store.read("p").unwrap().is_some() && store.read("q").unwrap().is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder), 0o700);
            assert_eq!(mode(&folder.join(PROFILES_FILE)), 0o600);
        }
    }

    #[test]
    fn broken_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PROFILES_FILE), "{").unwrap();
        let store = ProfileStore::locate(Some(folder.path().to_owned())).unwrap();
        assert!(store.read("p").is_err());
        assert!(store.update(|_| ()).is_err());
        assert_eq!(
            fs::read_to_string(folder.path().join(PROFILES_FILE)).unwrap(),
            "{"
        );
    }

    #[test]
    fn folder_comes_from_the_environment() {
        let find = |variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| PathBuf::from(value))
            };
            default_dir(variable).map(|path| path.display().to_string())
        };
        assert_eq!(
            find(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]).unwrap(),
            "/x/portcullis"
        );
        assert_eq!(
            find(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative")]).unwrap(),
            "/h/.config/portcullis"
        );
        assert_eq!(find(&[]), None);
    }
}
