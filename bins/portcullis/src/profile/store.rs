//! The file of profiles.

use super::{Profile, Profiles};
use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "profiles.json";
/// Room for a profile: those that are written are a fraction of this.
const ROOM: usize = 64 * 1024;

const LOCK: &str = "profiles.lock";

/// The folder in which profiles are kept, for its owner alone.
#[derive(Debug, Clone)]
pub(crate) struct ProfileStore {
    folder: PathBuf,
}

impl ProfileStore {
    /// The folder `given`, else the user's own folder for configuration (XDG Base Directory).
    pub(crate) fn locate(given: Option<PathBuf>) -> Result<Self, CliError> {
        let folder = given.or_else(|| default_folder(|name| env::var_os(name).map(PathBuf::from)));
        let folder = folder.ok_or_else(|| {
            CliError::failed("no folder to keep profiles in is known")
                .hint("set HOME, XDG_CONFIG_HOME or PORTCULLIS_CONFIG_DIR")
        })?;
        Ok(Self { folder })
    }

    /// Reads one profile.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Profile>, CliError> {
        Ok(self.read_all()?.profiles.remove(name))
    }

    /// Changes the profiles while no other process does.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Profiles)) -> Result<(), CliError> {
        create_private(&self.folder).map_err(|error| self.unwritable(error))?;
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.folder.join(LOCK))
            .map_err(|error| self.unwritable(error))?;
        // Held until the file is closed at the end.
        lock.lock().map_err(|error| self.unwritable(error))?;

        let mut profiles = self.read_all()?;
        change(&mut profiles);
        let mut text = serde_json::to_string_pretty(&profiles)
            .map_err(|error| CliError::failed("the profiles cannot be written").because(error))?;
        text.push('\n');
        PrivateFile::prepare(&self.path(), Existing::Replace)?.finish(text.as_bytes())
    }

    /// Finds out whether the profiles can be changed, without a change.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        create_private(&self.folder).map_err(|error| self.unwritable(error))?;
        self.read_all()?;
        PrivateFile::prepare(&self.path(), Existing::Replace)?.reserve(ROOM)
    }

    fn read_all(&self) -> Result<Profiles, CliError> {
        let path = self.path();
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Profiles::default()),
            Err(error) => return Err(unreadable(&path, error)),
        };
        // The text of the error says where and what type, and nothing of the values.
        serde_json::from_slice(&text).map_err(|error| {
            unreadable(&path, error).hint("repair or remove the file, then log in again")
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn unwritable(&self, error: io::Error) -> CliError {
        let folder = self.folder.display();
        CliError::failed(format!("profiles cannot be kept in {folder}")).because(error)
    }
}

fn unreadable(path: &Path, error: impl Into<anyhow::Error>) -> CliError {
    CliError::failed(format!("{} cannot be read", path.display())).because(error)
}

/// Finds the folder from the environment. Relative paths count as unset.
fn default_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    let parent = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .or_else(|| absolute("APPDATA"))?;
    Some(parent.join("portcullis"))
}

/// Creates a folder that only its owner may enter, unless it is there.
fn create_private(folder: &Path) -> io::Result<()> {
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
            store.change(insert).unwrap();
        }
        assert!(store.read("p").unwrap().is_some() && store.read("q").unwrap().is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder), 0o700);
            assert_eq!(mode(&folder.join(FILE)), 0o600);
        }
    }

    #[test]
    fn broken_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{").unwrap();
        let store = ProfileStore::locate(Some(folder.path().to_owned())).unwrap();
        assert!(store.read("p").is_err());
        assert!(store.change(|_| ()).is_err());
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "{");
    }

    #[test]
    fn folder_comes_from_the_environment() {
        let find = |variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| PathBuf::from(value))
            };
            default_folder(variable).map(|path| path.display().to_string())
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
