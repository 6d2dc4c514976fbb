//! The modules of a crate, and what the names in them stand for.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;
use syn::{Attribute, Item, ItemUse, UseTree};

/// Path of a module from the root of its crate.
pub(super) type ModulePath = Vec<String>;

/// The source of a crate, without what is for tests.
#[derive(Default)]
pub(super) struct CrateSource {
    modules: BTreeMap<ModulePath, Vec<Item>>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// The item at this position of a module.
    Item(ModulePath, usize),
    Module(ModulePath),
    /// Something of another crate, or made by a macro.
    Elsewhere(String),
}

/// A name that `use` brings into a module.
pub(super) struct Import {
    /// `None` for all names of a module.
    pub(super) name: Option<String>,
    path: Vec<String>,
}

/// Longest chain of imports that is followed.
const MAX_IMPORTS: usize = 16;

impl CrateSource {
    /// Parses all modules below a directory with a `lib.rs`.
    pub(super) fn load(directory: &Path) -> anyhow::Result<Self> {
        let mut source = Self::default();
        source.load_file(&directory.join("lib.rs"), directory, Vec::new())?;
        Ok(source)
    }

    fn load_file(&mut self, file: &Path, below: &Path, path: ModulePath) -> anyhow::Result<()> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let parsed =
            syn::parse_file(&text).with_context(|| format!("{} is not Rust", file.display()))?;
        self.add(parsed.items, below, path)
    }

    fn add(&mut self, items: Vec<Item>, below: &Path, path: ModulePath) -> anyhow::Result<()> {
        let mut kept = Vec::new();
        for item in items {
            if attributes(&item).is_some_and(|list| list.iter().any(is_for_tests)) {
                continue;
            }
            if let Item::Mod(module) = &item {
                let name = module.ident.to_string();
                let path = [path.clone(), vec![name.clone()]].concat();
                let below_module = below.join(&name);
                if let Some((_, items)) = &module.content {
                    self.add(items.clone(), &below_module, path)?;
                } else {
                    self.load_file(&below.join(format!("{name}.rs")), &below_module, path)?;
                }
            }
            kept.push(item);
        }
        self.modules.insert(path, kept);
        Ok(())
    }

    pub(super) fn items(&self, module: &[String]) -> &[Item] {
        self.modules.get(module).map_or(&[], Vec::as_slice)
    }

    pub(super) fn item(&self, module: &[String], index: usize) -> Option<&Item> {
        self.items(module).get(index)
    }

    /// All items of all modules, public or not.
    pub(super) fn all_items(&self) -> impl Iterator<Item = (&ModulePath, &Item)> {
        self.modules
            .iter()
            .flat_map(|(path, items)| items.iter().map(move |item| (path, item)))
    }

    /// What a path in a module stands for.
    pub(super) fn resolve(&self, module: &[String], path: &[String]) -> Definition {
        self.resolve_within(module, path, MAX_IMPORTS)
    }

    /// What an import of a module stands for.
    pub(super) fn resolve_import(&self, module: &[String], import: &Import) -> Definition {
        self.resolve(module, &import.path)
    }

    fn resolve_within(&self, module: &[String], path: &[String], imports: usize) -> Definition {
        let elsewhere = || Definition::Elsewhere(path.join("::"));
        let mut definition = Definition::Module(module.to_vec());
        for name in path {
            definition = match (name.as_str(), &definition) {
                ("crate", _) => Definition::Module(Vec::new()),
                ("self", _) => definition,
                ("super", Definition::Module(at)) => {
                    Definition::Module(at.split_last().map_or(&[][..], |(_, up)| up).to_vec())
                },
                (_, Definition::Module(at)) => match self.find(at, name, imports) {
                    Some(found) => found,
                    None => return elsewhere(),
                },
                // A variant, or an associated item.
                _ => return definition,
            };
        }
        definition
    }

    /// Finds a name in a module.
    fn find(&self, module: &[String], name: &str, imports: usize) -> Option<Definition> {
        let imports = imports.checked_sub(1)?;
        let items = self.items(module);
        for (index, item) in items.iter().enumerate() {
            if let Item::Mod(inner) = item
                && inner.ident == name
            {
                return Some(Definition::Module(
                    [module.to_vec(), vec![name.to_owned()]].concat(),
                ));
            }
            if item_name(item).is_some_and(|own| own == name) {
                return Some(Definition::Item(module.to_vec(), index));
            }
        }
        for import in items.iter().filter_map(as_use).flat_map(imports_of) {
            let found = match &import.name {
                Some(own) if own == name => {
                    Some(self.resolve_within(module, &import.path, imports))
                },
                Some(_) => None,
                None => match self.resolve_within(module, &import.path, imports) {
                    Definition::Module(of) if of != module => self.find(&of, name, imports),
                    _ => None,
                },
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

fn as_use(item: &Item) -> Option<&ItemUse> {
    match item {
        Item::Use(item) => Some(item),
        _ => None,
    }
}

/// The names that an item imports.
pub(super) fn imports_of(item: &ItemUse) -> Vec<Import> {
    let mut imports = Vec::new();
    add_imports(&item.tree, &mut Vec::new(), &mut imports);
    imports
}

fn add_imports(tree: &UseTree, path: &mut Vec<String>, imports: &mut Vec<Import>) {
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            add_imports(&step.tree, path, imports);
            path.pop();
        },
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(tree, path, imports);
            }
        },
        UseTree::Glob(_) => imports.push(Import {
            name: None,
            path: path.clone(),
        }),
        UseTree::Name(name) => {
            let ident = name.ident.to_string();
            let name = if ident == "self" {
                path.last().cloned()
            } else {
                Some(ident.clone())
            };
            imports.push(Import {
                name,
                path: [path.clone(), vec![ident]].concat(),
            });
        },
        UseTree::Rename(name) => imports.push(Import {
            name: Some(name.rename.to_string()),
            path: [path.clone(), vec![name.ident.to_string()]].concat(),
        }),
    }
}

/// The name that an item defines, unless it is a module.
pub(super) fn item_name(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    })
}

fn attributes(item: &Item) -> Option<&[Attribute]> {
    Some(match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => return None,
    })
}

fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute
            .parse_args::<syn::Ident>()
            .is_ok_and(|condition| condition == "test")
}
