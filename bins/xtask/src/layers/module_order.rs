//! Check of the order of modules within a crate: a module imports only those before it.

use super::source_file::SourceFile;
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// The modules at the root of a crate, each before those that may import it.
pub(super) struct ModuleOrder {
    /// The crate, by the name of its folder in `crates`.
    pub(super) name: &'static str,
    pub(super) modules: &'static [&'static str],
}

impl ModuleOrder {
    /// Checks the crate in the workspace at `root`.
    pub(super) fn check(&self, root: &Path) -> anyhow::Result<Vec<String>> {
        let sources = Path::new("crates").join(self.name).join("src");
        self.compare(&sources, &|file| {
            std::fs::read_to_string(root.join(file))
                .with_context(|| format!("{} cannot be read", file.display()))
        })
    }

    /// Compares the order with the sources in the folder `sources`, which `read` reads.
    fn compare(
        &self,
        sources: &Path,
        read: &dyn Fn(&Path) -> anyhow::Result<String>,
    ) -> anyhow::Result<Vec<String>> {
        let library = SourceFile::parse(&read(&sources.join("lib.rs"))?, 0);
        let mut faults = self.compare_names(&library);
        let root_uses: BTreeMap<_, _> = library.uses.iter().cloned().collect();
        let mut pending: VecDeque<(String, PathBuf, usize)> = library
            .modules
            .iter()
            .map(|module| (module.clone(), sources.join(module), 1))
            .collect();
        while let Some((module, path, depth)) = pending.pop_front() {
            let file = path.with_extension("rs");
            let source = SourceFile::parse(&read(&file)?, depth);
            for (name, line) in &source.root_names {
                let target = match root_uses.get(name) {
                    Some(module) if !library.modules.contains(name) => module,
                    _ => name,
                };
                let fault = self.check_import(&module, target, &library.modules);
                faults.extend(fault.map(|fault| format!("{}:{line}: {fault}", file.display())));
            }
            let below = source.modules.into_iter();
            pending.extend(below.map(|name| (module.clone(), path.join(name), depth + 1)));
        }
        Ok(faults)
    }

    /// Compares the names in the order with the modules of the crate.
    fn compare_names(&self, library: &SourceFile) -> Vec<String> {
        let name = self.name;
        let listed: BTreeSet<_> = self.modules.iter().copied().collect();
        let present: BTreeSet<_> = library.modules.iter().map(String::as_str).collect();
        let missing = present.difference(&listed).map(|module| {
            format!("module {module} of {name} is missing from the order of its modules")
        });
        let gone = listed.difference(&present).map(|module| {
            format!("module {module} does not exist, but is in the order of the modules of {name}")
        });
        missing.chain(gone).collect()
    }

    /// The fault of an import of `to` by `from`, if it is one.
    fn check_import(&self, from: &str, to: &str, modules: &[String]) -> Option<String> {
        if !modules.iter().any(|module| module == to) {
            return Some(format!(
                "{from} may not import {to} from the root of {}, which is above all modules",
                self.name
            ));
        }
        let position = |module| self.modules.iter().position(|listed| *listed == module);
        let (from_position, to_position) = (position(from)?, position(to)?);
        (to_position > from_position).then(|| {
            format!(
                "{from} may not import {to}, which comes after it in the order of the modules of {}",
                self.name
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    const ORDER: ModuleOrder = ModuleOrder {
        name: "sample",
        modules: &["bottom", "middle", "top"],
    };

    /// Faults of a crate of the given files, whose paths are relative to its `src`.
    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let read = |file: &Path| {
            let found = files
                .iter()
                .find(|(name, _)| file == Path::new("s").join(name));
            found
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| anyhow!("{} is missing", file.display()))
        };
        ORDER.compare(Path::new("s"), &read).unwrap()
    }

    const LIBRARY: (&str, &str) = (
        "lib.rs",
        "mod bottom; mod middle; pub mod top; pub use top::Top; pub use bottom::Bottom; fn own() {}",
    );

    #[test]
    fn imports_of_earlier_modules_are_allowed() {
        let found = faults(&[
            LIBRARY,
            ("bottom.rs", "use std::fmt; use portcullis_domain::top::X;"),
            ("middle.rs", "mod part; use crate::{Bottom, middle::part};"),
            (
                "middle/part.rs",
                "use super::Own; use super::super::bottom;",
            ),
            ("top.rs", "use crate::middle; use super::bottom::Bottom;"),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn imports_of_later_modules_are_faults() {
        let found = faults(&[
            LIBRARY,
            ("bottom.rs", "use crate::Top;"),
            ("middle.rs", "mod part;\nfn f() -> super::top::Top {}"),
            ("middle/part.rs", "\n\nuse crate::{bottom, top::Top};"),
            ("top.rs", ""),
        ]);
        let rule = "which comes after it in the order of the modules of sample";
        assert_eq!(
            found,
            [
                format!("s/bottom.rs:1: bottom may not import top, {rule}"),
                format!("s/middle.rs:2: middle may not import top, {rule}"),
                format!("s/middle/part.rs:3: middle may not import top, {rule}"),
            ]
        );
    }

    #[test]
    fn modules_and_order_have_the_same_names() {
        let found = faults(&[
            ("lib.rs", "mod bottom; mod top; mod novelty;"),
            ("bottom.rs", ""),
            ("top.rs", ""),
            ("novelty.rs", ""),
        ]);
        assert_eq!(
            found,
            [
                "module novelty of sample is missing from the order of its modules",
                "module middle does not exist, but is in the order of the modules of sample",
            ]
        );
    }

    #[test]
    fn items_of_the_root_are_above_all_modules() {
        let found = faults(&[
            LIBRARY,
            ("bottom.rs", ""),
            ("middle.rs", ""),
            ("top.rs", "use crate::own;"),
        ]);
        let fault = "s/top.rs:1: top may not import own from the root of sample, which is above all \
                     modules";
        assert_eq!(found, [fault]);
    }
}
