//! Lines of the public items of a crate.

use super::crate_source::{CrateSource, Definition, ModulePath, imports_of, item_name};
use super::text::text;
use quote::{ToTokens as _, quote};
use std::collections::BTreeSet;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Fields, ImplItem, Item, ItemImpl, Path, Token, TraitItem, Type, Variant, Visibility,
};

/// Lists what users of a crate can name, sorted.
pub(super) fn list(source: &CrateSource) -> BTreeSet<String> {
    let mut listing = Listing {
        source,
        lines: BTreeSet::new(),
        open: Vec::new(),
    };
    listing.module(&Vec::new(), "");
    listing.everywhere();
    listing.lines
}

struct Listing<'s> {
    source: &'s CrateSource,
    lines: BTreeSet<String>,
    /// Modules that are being listed, since globs may go round.
    open: Vec<ModulePath>,
}

impl Listing<'_> {
    fn add(&mut self, line: String) {
        self.lines.insert(line);
    }

    /// Lists the public items of a module that is known as `path`.
    fn module(&mut self, module: &ModulePath, path: &str) {
        if self.open.contains(module) {
            return;
        }
        self.open.push(module.clone());
        let source = self.source;
        for (index, item) in source.items(module).iter().enumerate() {
            match item {
                Item::Mod(inner) if is_public(&inner.vis) => {
                    let name = inner.ident.to_string();
                    let path = join(path, &name);
                    self.add(format!("mod {path}"));
                    self.module(&[module.clone(), vec![name]].concat(), &path);
                },
                Item::Use(item) if is_public(&item.vis) => {
                    for import in imports_of(item) {
                        let definition = source.resolve_import(module, &import);
                        match &import.name {
                            Some(name) => self.definition(&definition, &join(path, name)),
                            None => self.all_of(&definition, path),
                        }
                    }
                },
                _ => {
                    if let Some(name) = item_name(item).filter(|_| is_visible(item)) {
                        let definition = Definition::Item(module.clone(), index);
                        self.definition(&definition, &join(path, &name.to_string()));
                    }
                },
            }
        }
        self.open.pop();
    }

    fn all_of(&mut self, definition: &Definition, path: &str) {
        match definition {
            Definition::Module(module) => self.module(module, path),
            Definition::Item(..) => {},
            Definition::Elsewhere(name) => self.add(format!("use {path}::* = {name}::*")),
        }
    }

    fn definition(&mut self, definition: &Definition, path: &str) {
        match definition {
            Definition::Module(module) => self.module(module, path),
            Definition::Elsewhere(name) => self.add(format!("use {path} = {name}")),
            Definition::Item(module, index) => {
                if let Some(item) = self.source.item(module, *index) {
                    self.item(item, path);
                    self.impls_of(definition, path);
                }
            },
        }
    }

    fn item(&mut self, item: &Item, path: &str) {
        match item {
            Item::Const(item) => self.add(format!("const {path}: {}", text(&item.ty))),
            Item::Static(item) => self.add(format!("static {path}: {}", text(&item.ty))),
            Item::Type(item) => {
                let generics = text(&item.generics);
                self.add(format!("type {path}{generics} = {}", text(&item.ty)));
            },
            Item::Fn(item) => self.add(format!("{path}: {}", text(&item.sig))),
            Item::Struct(item) => {
                let (generics, bounds) = (text(&item.generics), &item.generics.where_clause);
                let rest = if item.fields.iter().all(|field| is_public(&field.vis)) {
                    ""
                } else {
                    " (private fields)"
                };
                let exhaustive = exhaustiveness(&item.attrs);
                self.add(format!(
                    "struct {path}{generics}{}{exhaustive}{rest}",
                    text(bounds)
                ));
                self.derived(&item.attrs, path);
                for (index, field) in item.fields.iter().enumerate() {
                    if is_public(&field.vis) {
                        let name = field
                            .ident
                            .as_ref()
                            .map_or_else(|| index.to_string(), ToString::to_string);
                        self.add(format!("{path}.{name}: {}", text(&field.ty)));
                    }
                }
            },
            Item::Enum(item) => {
                let (generics, exhaustive) = (text(&item.generics), exhaustiveness(&item.attrs));
                self.add(format!("enum {path}{generics}{exhaustive}"));
                self.derived(&item.attrs, path);
                for variant in &item.variants {
                    self.add(format!("{path}::{}", variant_text(variant)));
                }
            },
            Item::Trait(item) => {
                let (generics, bounds) = (text(&item.generics), text(&item.supertraits));
                let colon = if bounds.is_empty() { "" } else { ": " };
                self.add(format!("trait {path}{generics}{colon}{bounds}"));
                for member in &item.items {
                    self.trait_item(member, path);
                }
            },
            _ => {},
        }
    }

    fn trait_item(&mut self, member: &TraitItem, path: &str) {
        let line = match member {
            TraitItem::Fn(member) => {
                let provided = if member.default.is_some() {
                    " (provided)"
                } else {
                    ""
                };
                format!("{path}: {}{provided}", text(&member.sig))
            },
            TraitItem::Const(member) => {
                let provided = if member.default.is_some() {
                    " (provided)"
                } else {
                    ""
                };
                format!(
                    "const {path}::{}: {}{provided}",
                    member.ident,
                    text(&member.ty)
                )
            },
            TraitItem::Type(member) => {
                format!("type {path}::{}: {}", member.ident, text(&member.bounds))
            },
            other => text(other),
        };
        self.add(line);
    }

    fn derived(&mut self, attributes: &[Attribute], path: &str) {
        let derives = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"));
        let parse = Punctuated::<Path, Token![,]>::parse_terminated;
        for derive in derives.filter_map(|derive| derive.parse_args_with(parse).ok()) {
            for name in &derive {
                self.add(format!("impl {} for {path}", text(name)));
            }
        }
    }

    /// The implementations for an item, wherever they are.
    fn impls_of(&mut self, definition: &Definition, path: &str) {
        let source = self.source;
        for (module, item) in source.all_items() {
            if let Item::Impl(item) = item
                && subject(source, module, item).as_ref() == Some(definition)
            {
                self.implementation(item, path);
            }
        }
    }

    fn implementation(&mut self, item: &ItemImpl, path: &str) {
        if let Some((_, name, _)) = &item.trait_ {
            let (generics, bounds) = (text(&item.generics), text(&item.generics.where_clause));
            let subject = text(&item.self_ty);
            self.add(
                format!(
                    "impl{generics} {} for {path} ({subject}) {bounds}",
                    text(name)
                )
                .trim_end()
                .to_owned(),
            );
            return;
        }
        for member in &item.items {
            match member {
                ImplItem::Fn(member) if is_public(&member.vis) => {
                    self.add(format!("{path}: {}", text(&member.sig)));
                },
                ImplItem::Const(member) if is_public(&member.vis) => {
                    let name = &member.ident;
                    self.add(format!("const {path}::{name}: {}", text(&member.ty)));
                },
                _ => {},
            }
        }
    }

    /// What is not said of one item: exported macros, what macros make, and implementations for types of
    /// others.
    fn everywhere(&mut self) {
        let source = self.source;
        for (module, item) in source.all_items() {
            match item {
                Item::Macro(item) => {
                    let name = item.ident.as_ref();
                    let is_exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
                    match name {
                        Some(name) if is_exported => self.add(format!("macro {name}!")),
                        Some(_) => {},
                        None => {
                            let call = text(&item.mac);
                            self.add(format!("made in {}: {call}", module.join("::")));
                        },
                    }
                },
                Item::Impl(item) if subject(source, module, item).is_none() => {
                    if let Some((_, name, _)) = &item.trait_ {
                        let (generics, of) = (text(&item.generics), text(&item.self_ty));
                        self.add(format!("impl{generics} {} for {of}", text(name)));
                    }
                },
                _ => {},
            }
        }
    }
}

/// The item that is implemented something for; `None` for types of other crates, and of parameters.
fn subject(source: &CrateSource, module: &ModulePath, item: &ItemImpl) -> Option<Definition> {
    let Type::Path(subject) = &*item.self_ty else {
        return None;
    };
    let names: Vec<String> = subject
        .path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    match source.resolve(module, &names) {
        found @ Definition::Item(..) => Some(found),
        Definition::Module(_) | Definition::Elsewhere(_) => None,
    }
}

fn variant_text(variant: &Variant) -> String {
    let name = &variant.ident;
    let fields = variant.fields.iter().map(|field| {
        let ty = &field.ty;
        match &field.ident {
            Some(name) => quote!(#name: #ty),
            None => ty.to_token_stream(),
        }
    });
    match &variant.fields {
        Fields::Unit => text(name),
        Fields::Named(_) => text(&quote!(#name { #(#fields),* })),
        Fields::Unnamed(_) => text(&quote!(#name(#(#fields),*))),
    }
}

fn exhaustiveness(attributes: &[Attribute]) -> &'static str {
    let is_open = |attribute: &Attribute| attribute.path().is_ident("non_exhaustive");
    if attributes.iter().any(is_open) {
        " (non-exhaustive)"
    } else {
        ""
    }
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_visible(item: &Item) -> bool {
    match item {
        Item::Const(item) => is_public(&item.vis),
        Item::Enum(item) => is_public(&item.vis),
        Item::Fn(item) => is_public(&item.vis),
        Item::Static(item) => is_public(&item.vis),
        Item::Struct(item) => is_public(&item.vis),
        Item::Trait(item) => is_public(&item.vis),
        Item::Type(item) => is_public(&item.vis),
        _ => false,
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}::{name}")
    }
}
