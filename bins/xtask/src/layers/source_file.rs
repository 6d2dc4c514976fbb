//! Modules that a source file declares, and the names that it takes from the root of its crate.

use super::tokens::{Token, tokenize};

/// A source file, without what is for tests only.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SourceFile {
    /// Modules in files of their own.
    pub(super) modules: Vec<String>,
    /// Names taken from the root of the crate, each with its line.
    pub(super) root_names: Vec<(String, usize)>,
    /// Names that `use` brings into the file, each with the first segment of its path.
    pub(super) uses: Vec<(String, String)>,
}

impl SourceFile {
    /// Parses the source of a module that is `depth` modules below the root of its crate.
    pub(super) fn parse(source: &str, depth: usize) -> Self {
        let tokens = tokenize(source);
        let mut parser = Parser {
            tokens: &tokens,
            depth,
            braces: 0,
            inline_modules: Vec::new(),
            file: Self::default(),
        };
        parser.run();
        parser.file
    }
}

struct Parser<'t, 's> {
    /// Tokens that are left.
    tokens: &'t [Token<'s>],
    depth: usize,
    braces: usize,
    /// Number of braces around each module whose body is being read.
    inline_modules: Vec<usize>,
    file: SourceFile,
}

impl<'s> Parser<'_, 's> {
    fn peek(&self) -> &'s str {
        self.tokens.first().map_or("", |token| token.text)
    }

    fn next(&mut self) -> Option<Token<'s>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// Takes the next token if it is `text`.
    fn take(&mut self, text: &str) -> bool {
        let is_it = self.peek() == text;
        if is_it {
            self.next();
        }
        is_it
    }

    fn run(&mut self) {
        while let Some(token) = self.next() {
            match token.text {
                "{" => self.braces += 1,
                "}" => {
                    self.braces = self.braces.saturating_sub(1);
                    self.inline_modules.pop_if(|around| *around == self.braces);
                },
                "#" if self.is_test_attribute() => self.skip_item(),
                "mod" => self.module(),
                "use" => self.import(),
                "crate" if self.take("::") => self.path(0),
                "super" if self.peek() == "::" => self.relative_path(),
                _ => {},
            }
        }
    }

    /// Reads an attribute; returns whether it is `#[cfg(test)]`.
    fn is_test_attribute(&mut self) -> bool {
        let is_test = self
            .tokens
            .iter()
            .map(|token| token.text)
            .take(6)
            .eq(["[", "cfg", "(", "test", ")", "]"]);
        if is_test {
            self.tokens = self.tokens.get(6..).unwrap_or_default();
        }
        is_test
    }

    /// Skips an item up to its `;` or the end of its body.
    fn skip_item(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.next() {
            match token.text {
                "{" | "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                },
                ";" if depth == 0 => return,
                _ => {},
            }
        }
    }

    fn module(&mut self) {
        let Some(name) = self.next() else { return };
        if self.take(";") {
            self.file.modules.push(name.text.to_owned());
        } else if self.take("{") {
            self.inline_modules.push(self.braces);
            self.braces += 1;
        }
    }

    fn import(&mut self) {
        let before = self.tokens;
        let first = self.peek();
        let mut leaf = first;
        while let Some(token) = self.next() {
            match token.text {
                ";" => {
                    self.add_use(leaf, first);
                    break;
                },
                "," | "}" => self.add_use(leaf, first),
                "{" => leaf = "",
                text => leaf = text,
            }
        }
        // Read once more, as paths.
        self.tokens = before;
    }

    fn add_use(&mut self, leaf: &str, first: &str) {
        if !leaf.is_empty() {
            self.file.uses.push((leaf.to_owned(), first.to_owned()));
        }
    }

    /// Reads a path behind `super`.
    fn relative_path(&mut self) {
        let mut supers = 1;
        while self.take("::") {
            if !self.take("super") {
                break;
            }
            supers += 1;
        }
        let depth = self.depth + self.inline_modules.len();
        self.path(depth.saturating_sub(supers));
    }

    /// Reads the rest of a path that has led to a module at `depth`; the first name behind the root
    /// of the crate counts.
    fn path(&mut self, depth: usize) {
        if depth > 0 {
            return;
        }
        if !self.take("{") {
            let name = self.next();
            // Exported macros stand at the root, wherever they are declared.
            if self.peek() != "!" {
                self.add_root_name(name);
            }
            return;
        }
        let (mut nested, mut is_start) = (1_usize, true);
        while nested > 0
            && let Some(token) = self.next()
        {
            match token.text {
                "{" => nested += 1,
                "}" => nested -= 1,
                _ if is_start && nested == 1 => self.add_root_name(Some(token)),
                _ => {},
            }
            is_start = nested == 1 && token.text == ",";
        }
    }

    fn add_root_name(&mut self, name: Option<Token<'_>>) {
        let name = name.filter(|name| !matches!(name.text, "self" | "*" | "$"));
        let names = name.map(|name| (name.text.to_owned(), name.line));
        self.file.root_names.extend(names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str, depth: usize) -> Vec<String> {
        let file = SourceFile::parse(source, depth);
        file.root_names.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn names_are_those_behind_the_root() {
        let source = "use crate::app::App; use crate::{error::{self, AppError}, records, a as b};\n\
                      fn f() -> crate::listing::ListError { $crate::act!(); crate::$name::new() }\n\
                      pub(in crate::enrollments) struct S;";
        let expected = ["app", "error", "records", "a", "listing", "enrollments"];
        assert_eq!(names(source, 1), expected);
    }

    #[test]
    fn relative_paths_are_followed_to_the_root() {
        let source = "use super::app::App; use super::super::other;\n\
                      mod inner { use super::own; use super::super::outer; } use super::last;";
        assert_eq!(names(source, 1), ["app", "other", "outer", "last"]);
        assert_eq!(names(source, 2), ["other"]);
        assert_eq!(names("use super::{a::B, c};", 1), ["a", "c"]);
    }

    #[test]
    fn tests_are_left_out() {
        let source = "#[cfg(test)] mod tests; mod real;\n\
                      #[cfg(test)] mod inline { use crate::later; } #[cfg(test)] use crate::later;\n\
                      #[cfg(not(test))] use crate::sooner;";
        let file = SourceFile::parse(source, 0);
        assert_eq!(file.modules, ["real"]);
        assert_eq!(names(source, 0), ["sooner"]);
    }

    #[test]
    fn uses_know_where_their_names_come_from() {
        let source = "pub use app::{App, parts::{Parts as P}}; pub use error::AppError;";
        let uses = SourceFile::parse(source, 0).uses;
        let expected = [("App", "app"), ("P", "app"), ("AppError", "error")];
        for (name, module) in expected {
            assert!(
                uses.contains(&(name.to_owned(), module.to_owned())),
                "{uses:?}"
            );
        }
    }
}
