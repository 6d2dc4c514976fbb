//! A hosts file that leads to intercepted names.

use crate::instance::Instance;
use portcullis_tunnel_config::HostName;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A hosts file, of which this tunneler has a part of its own between two comments. It knows no wildcards.
///
/// The file is written in place: where containers have it from outside, it cannot be replaced. It is small, so
/// nobody sees half of it for long. The calls block.
#[derive(Debug)]
pub struct HostsFile {
    path: PathBuf,
    first_line: String,
    last_line: String,
}

impl HostsFile {
    /// Opens the file, or creates it, and removes what an earlier process of this instance has left.
    ///
    /// # Errors
    ///
    /// If it cannot be read or written.
    pub fn open(path: &Path, instance: &Instance) -> io::Result<Self> {
        let file = Self {
            path: path.to_owned(),
            first_line: format!("# begin of portcullis {instance}"),
            last_line: format!("# end of portcullis {instance}"),
        };
        file.set([])?;
        Ok(file)
    }

    /// Replaces the names that are this tunneler's.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written.
    pub fn set<'n>(
        &self,
        names: impl IntoIterator<Item = (&'n HostName, IpAddr)>,
    ) -> io::Result<()> {
        let before = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut after = self.without_own(&before);
        let mut names = names.into_iter().peekable();
        if names.peek().is_some() {
            after.push_str(&self.first_line);
            after.push('\n');
            for (name, address) in names {
                // Strings take everything.
                let _ = writeln!(after, "{address}\t{}", name.as_str());
            }
            after.push_str(&self.last_line);
            after.push('\n');
        }
        if before == after {
            return Ok(());
        }
        fs::write(&self.path, after)
    }

    /// The lines of others, each with its end.
    fn without_own(&self, text: &str) -> String {
        let mut others = String::with_capacity(text.len());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let is_own = line == self.first_line;
            // A part that was never written to its end is no longer than a line that it has in common with others.
            if is_own && lines.clone().any(|line| line == self.last_line) {
                lines.by_ref().find(|line| *line == self.last_line);
            } else if !is_own {
                others.push_str(line);
                others.push('\n');
            }
        }
        others
    }
}

impl Drop for HostsFile {
    fn drop(&mut self) {
        if let Err(error) = self.set([]) {
            let path = self.path.display();
            tracing::warn!(%path, %error, "names cannot be removed from the hosts file");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        let others = "127.0.0.1 localhost\n# a comment\n";
        fs::write(&path, others).expect("written");
        let instance: Instance = "one".parse().expect("a name");
        let wiki = HostName::new("wiki.corp").expect("a name");
        let address = IpAddr::from([100, 64, 0, 2]);

        let file = HostsFile::open(&path, &instance).expect("opens");
        file.set([(&wiki, address)]).expect("written");
        let expected = format!(
            "{others}# begin of portcullis one\n100.64.0.2\twiki.corp\n# end of portcullis one\n"
        );
        assert_eq!(fs::read_to_string(&path).expect("a text"), expected);

        // What a process has left that was killed.
        std::mem::forget(file);
        let mut text = expected;
        text.push_str("10.0.0.1 later\n");
        fs::write(&path, &text).expect("written");
        let other: Instance = "two".parse().expect("a name");
        drop(HostsFile::open(&path, &other).expect("opens"));
        assert_eq!(fs::read_to_string(&path).expect("a text"), text);
        let file = HostsFile::open(&path, &instance).expect("opens");
        let rest = format!("{others}10.0.0.1 later\n");
        assert_eq!(fs::read_to_string(&path).expect("a text"), rest);

        file.set([(&wiki, address)]).expect("written");
        drop(file);
        assert_eq!(fs::read_to_string(&path).expect("a text"), rest);
    }

    #[test]
    fn a_part_without_an_end_takes_nothing_along() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        fs::write(&path, "# begin of portcullis one\n127.0.0.1 localhost").expect("written");
        let instance: Instance = "one".parse().expect("a name");
        let _file = HostsFile::open(&path, &instance).expect("opens");
        let text = fs::read_to_string(&path).expect("a text");
        assert_eq!(text, "127.0.0.1 localhost\n");
    }
}
