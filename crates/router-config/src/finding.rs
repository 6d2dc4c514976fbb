//! Verdicts and findings about a file.

use std::fmt;

use portcullis_yaml::Diagnostic;

use crate::codes;
use crate::table;

/// Verdict about a file, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A router starts with the file.
    Accept,
    /// A router exits with an error message.
    Refuse,
    /// OpenZiti exits with a stack trace.
    Crash,
}

/// Stage in which OpenZiti notices a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// While it reads the file.
    Load,
    /// While it opens listeners and dialers.
    Start,
    /// After the first connection to a controller, or in the background.
    Run,
}

/// Effect of one mistake on OpenZiti.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    pub verdict: Verdict,
    pub stage: Stage,
}

/// One finding about the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Severity, code, key path, place, message and help.
    pub diagnostic: Diagnostic,
    /// What OpenZiti does about it; only in the verdict of OpenZiti.
    pub effect: Option<Effect>,
}

impl Finding {
    /// The nearest documented key, as [`explain`](crate::explain()) takes it, without positions in
    /// lists, which shells would take for patterns; `None` for the file as a whole.
    pub fn documented_key(&self) -> Option<String> {
        let path = self.diagnostic.path.dotted();
        let mut prefix = path.as_str();
        while !prefix.is_empty() {
            if table::resolve(prefix).is_ok() {
                return Some(without_positions(prefix));
            }
            let end = prefix.rfind(['.', '[']).unwrap_or(0);
            prefix = prefix.get(..end).unwrap_or_default();
        }
        None
    }

    /// Whether the file names no controller. A router can do without if it has learned of one elsewhere.
    pub fn is_lack_of_controllers(&self) -> bool {
        let path = self.diagnostic.path.dotted();
        self.diagnostic.code == codes::MISSING_KEY
            && ["ctrl.endpoint", "ctrl.endpoints"].contains(&path.as_str())
    }

    /// Links the section of the reference page.
    pub fn reference(&self) -> String {
        let section = match self.diagnostic.path.segments().first() {
            Some(portcullis_yaml::Segment::Key(name))
                if table::ROOT.iter().any(|key| key.name == name) =>
            {
                name.to_lowercase()
            },
            _ => "the-file".to_owned(),
        };
        format!("docs/router-config.md#{section}")
    }
}

fn without_positions(path: &str) -> String {
    let mut parts = path.split('[');
    let mut key = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        key.push_str(part.split_once(']').map_or("", |(_, after)| after));
    }
    key
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Accept => "accept",
            Self::Refuse => "refuse",
            Self::Crash => "crash",
        })
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Load => "load",
            Self::Start => "start",
            Self::Run => "run",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_no_part_of_keys() {
        for (path, key) in [
            ("link.listeners[0].bind", "link.listeners.bind"),
            ("listeners[12]", "listeners"),
            ("v", "v"),
        ] {
            assert_eq!(without_positions(path), key);
        }
    }
}
