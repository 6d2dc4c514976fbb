//! Profiles of the router itself.

use std::path::PathBuf;
use std::time::Duration;

use portcullis_router_config::model::Profile;

use crate::section_reader::{IncompleteConfigError, SectionReader};

/// What the section `profile` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileSettings {
    /// The file that tells where time is spent.
    pub cpu: Option<PathBuf>,
    pub memory: Option<MemoryProfileSettings>,
}

/// The file that tells where memory was allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryProfileSettings {
    pub path: PathBuf,
    /// How often it is written.
    pub interval: Duration,
}

impl ProfileSettings {
    /// Reads the section.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(config: &Profile) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("profile");
        let memory = match &config.memory_path {
            Some(path) if !path.value.is_empty() => Some(MemoryProfileSettings {
                path: PathBuf::from(&path.value),
                interval: reader.millis("memory.intervalMs", config.memory_interval_ms.as_ref())?,
            }),
            _ => None,
        };
        let cpu = config.cpu_path.as_ref();
        let cpu = cpu.filter(|path| !path.value.is_empty());
        Ok(Self {
            cpu: cpu.map(|path| PathBuf::from(&path.value)),
            memory,
        })
    }
}

#[cfg(test)]
mod tests {
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    use super::*;

    fn settings(section: &str) -> ProfileSettings {
        let text = format!("v: 3\n{section}\n");
        let file = SourceFile::new("router.yml", text.as_bytes());
        let config = load(&file, &CheckOptions::new()).config;
        ProfileSettings::from_config(&config.profile).unwrap()
    }

    #[test]
    fn memory_profiles_are_written_every_15_seconds_unless_the_file_says_otherwise() {
        let every = |section| settings(section).memory.unwrap().interval;
        assert_eq!(
            every("profile: {memory: {path: a}}"),
            Duration::from_secs(15)
        );
        assert_eq!(
            every("profile: {memory: {path: a, intervalMs: 250}}"),
            Duration::from_millis(250)
        );
    }

    #[test]
    fn without_section_there_are_no_profiles() {
        assert_eq!(settings(""), ProfileSettings::default());
        assert_eq!(settings("profile: {}"), ProfileSettings::default());
    }

    #[test]
    fn each_profile_is_taken_by_itself() {
        let settings = settings("profile: {cpu: {path: a}}");
        assert_eq!(settings.cpu, Some(PathBuf::from("a")));
        assert_eq!(settings.memory, None);
    }
}
