//! How much memory the process may use.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that the process may use: what the machine has, or less if a control group allows less, such as that of a
/// container or of a systemd unit with `MemoryMax`.
pub fn available() -> usize {
    let system = rustix::system::sysinfo();
    let units = usize::try_from(system.totalram).unwrap_or(usize::MAX);
    let machine = units.saturating_mul(usize::try_from(system.mem_unit).unwrap_or(1));
    let groups = ControlGroups {
        memberships: Path::new("/proc/self/cgroup"),
        mount: Path::new("/sys/fs/cgroup"),
    };
    groups.limit().map_or(machine, |limit| limit.min(machine))
}

/// Bytes that messages on their way may wait in, unless somebody says otherwise: half of what is available, since
/// allocators, the kernel and everything else that a program does take their part.
pub fn for_buffers() -> usize {
    available() / 2
}

/// Where the kernel tells of control groups (cgroups(7)).
struct ControlGroups<'a> {
    memberships: &'a Path,
    mount: &'a Path,
}

impl ControlGroups<'_> {
    /// The least limit of the groups that the process is in; `None` if there is none, or it cannot be read.
    fn limit(&self) -> Option<usize> {
        let memberships = fs::read_to_string(self.memberships).ok()?;
        memberships
            .lines()
            .filter_map(|line| self.files(line))
            .flatten()
            .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok())
            .min()
    }

    /// The files that hold limits of memory for the groups of a line, `ID:CONTROLLERS:PATH`, innermost first.
    fn files(&self, line: &str) -> Option<Vec<PathBuf>> {
        let (_, membership) = line.split_once(':')?;
        let (controllers, path) = membership.split_once(':')?;
        let (mount, file) = if controllers.is_empty() {
            (self.mount.to_path_buf(), "memory.max")
        } else if controllers.split(',').any(|name| name == "memory") {
            (self.mount.join("memory"), "memory.limit_in_bytes")
        } else {
            return None;
        };
        // Inside a container the path may be that of the host, of which only the root is seen.
        let inner = mount.join(path.trim_start_matches('/'));
        let groups = inner
            .ancestors()
            .take_while(|group| group.starts_with(&mount));
        Some(groups.map(|group| group.join(file)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(memberships: &str, files: &[(&str, &str)]) -> Option<usize> {
        let directory = tempfile::tempdir().unwrap();
        let mount = directory.path().join("mount");
        for (path, content) in files {
            let file = mount.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let list = directory.path().join("cgroup");
        fs::write(&list, memberships).unwrap();
        let groups = ControlGroups {
            memberships: &list,
            mount: &mount,
        };
        groups.limit()
    }

    #[test]
    fn the_least_limit_of_all_groups_counts() {
        let unit = "0::/system.slice/router.service\n";
        let files = [
            ("memory.max", "max\n"),
            ("system.slice/memory.max", "2000\n"),
            ("system.slice/router.service/memory.max", "3000\n"),
        ];
        assert_eq!(limit(unit, &files), Some(2_000));
        assert_eq!(limit(unit, &files[..1]), None);
        assert_eq!(limit("", &files), None);
    }

    #[test]
    fn containers_see_their_own_limit_at_the_root() {
        let files = [("memory.max", "5000")];
        assert_eq!(limit("0::/\n", &files), Some(5_000));
        assert_eq!(limit("0::/host/path\n", &files), Some(5_000));
    }

    #[test]
    fn older_kernels_have_a_hierarchy_for_memory() {
        let memberships = "9:name=systemd:/\n4:memory:/app\n1:cpu:/other\n0::/\n";
        let files = [
            ("memory/memory.limit_in_bytes", "9223372036854771712"),
            ("memory/app/memory.limit_in_bytes", "4000"),
            ("memory/other/memory.limit_in_bytes", "1"),
        ];
        assert_eq!(limit(memberships, &files), Some(4_000));
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(available() > 64 << 20);
    }
}
