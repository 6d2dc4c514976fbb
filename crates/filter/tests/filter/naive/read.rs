//! Text to the naive reading. The text is known to be a query, so nothing is checked.

use super::{Chain, Collection, Leaf, Left, Literal, Naive};

/// Reads a query that the crate accepted.
pub(crate) fn read(text: &str) -> Naive {
    let mut reader = Reader {
        words: words(text),
        at: 0,
    };
    let query = reader.query();
    assert_eq!(reader.peek(), "", "everything of `{text}` is read");
    query
}

/// Splits at blanks, brackets, commas and signs; strings and datetimes are single words.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = text.chars().peekable();
    let mut sign = false;
    while let Some(character) = characters.next() {
        let was_sign = std::mem::replace(&mut sign, "=<>!".contains(character));
        match character {
            ' ' | '\t' | '\r' | '\n' => words.push(String::new()),
            '"' => {
                let mut word = String::from('"');
                let mut escaped = false;
                for inside in characters.by_ref() {
                    word.push(inside);
                    if inside == '"' && !escaped {
                        break;
                    }
                    escaped = inside == '\\' && !escaped;
                }
                words.extend([word, String::new()]);
            },
            '(' if words.last().is_some_and(|word| word == "datetime") => {
                let inside = characters.by_ref().take_while(|inside| *inside != ')');
                let word = format!("datetime({}", inside.collect::<String>());
                words.extend([word, String::new()]);
            },
            '(' | ')' | '[' | ']' | ',' => words.extend([character.into(), String::new()]),
            _ if sign == was_sign => words.last_mut().unwrap().push(character),
            _ => words.push(character.into()),
        }
    }
    words.retain(|word| !word.is_empty() && word != "datetime");
    words
}

struct Reader {
    words: Vec<String>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words[self.at - 1].clone()
    }

    /// Moves past the word if it comes next.
    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().eq_ignore_ascii_case(word);
        self.at += usize::from(found);
        found
    }

    fn query(&mut self) -> Naive {
        let clauses = ["sort", "skip", "limit"];
        let clause = clauses
            .iter()
            .any(|word| self.peek().eq_ignore_ascii_case(word));
        let condition = if clause {
            Chain::Leaf(Leaf::Constant(true))
        } else {
            self.condition()
        };
        if self.take("sort") {
            self.take("by");
            self.sort_field();
            while self.take(",") {
                self.sort_field();
            }
        }
        let skip = self.take("skip").then(|| self.next());
        let limit = self.take("limit").then(|| self.next());
        Naive {
            condition,
            skip,
            limit,
        }
    }

    fn sort_field(&mut self) {
        self.next();
        let _ = self.take("asc") || self.take("desc");
    }

    fn condition(&mut self) -> Chain {
        if self.take("not") {
            return Chain::Not(Box::new(self.condition()));
        }
        let left = if self.take("(") {
            let inner = self.condition();
            self.take(")");
            Chain::Group(Box::new(inner))
        } else {
            Chain::Leaf(self.leaf())
        };
        let and = self.take("and");
        if and || self.take("or") {
            let rest = self.condition();
            return Chain::Join(Box::new(left), and, Box::new(rest));
        }
        left
    }

    fn leaf(&mut self) -> Leaf {
        let word = self.next();
        let left = match word.to_ascii_lowercase().as_str() {
            "true" => return Leaf::Constant(true),
            "false" => return Leaf::Constant(false),
            "isempty" => return Leaf::IsEmpty(self.collection()),
            "count" => Left::Count(self.collection()),
            "anyof" => Left::AnyOf(self.set()),
            "allof" => Left::AllOf(self.set()),
            _ => Left::Symbol(word),
        };
        let negated = self.take("not");
        for operator in ["in", "between", "contains", "icontains"] {
            if self.take(operator) {
                let right = self.literals();
                let not = if negated { "not " } else { "" };
                let operator = format!("{not}{operator}");
                return Leaf::Test {
                    left,
                    operator,
                    right,
                };
            }
        }
        match left {
            Left::Symbol(name) if !self.peek().starts_with(['=', '<', '>', '!']) => {
                Leaf::Bare(name)
            },
            left => Leaf::Test {
                left,
                operator: self.next(),
                right: self.literals(),
            },
        }
    }

    fn set(&mut self) -> String {
        self.take("(");
        let set = self.next();
        self.take(")");
        set
    }

    fn collection(&mut self) -> Collection {
        self.take("(");
        let collection = if self.take("from") {
            let set = self.next();
            self.take("where");
            Collection::From(set, Box::new(self.query()))
        } else {
            Collection::Set(self.next())
        };
        self.take(")");
        collection
    }

    /// One literal, a list in brackets, or two bounds.
    fn literals(&mut self) -> Vec<Literal> {
        let list = self.take("[");
        let between = self.words[self.at - 1].eq_ignore_ascii_case("between");
        let mut literals = vec![self.literal()];
        while (list && self.take(",")) || (between && literals.len() < 2 && self.take("and")) {
            literals.push(self.literal());
        }
        self.take("]");
        literals
    }

    fn literal(&mut self) -> Literal {
        let word = self.next();
        if let Some(inside) = word.strip_prefix('"') {
            return Literal::Text(unescaped(inside.strip_suffix('"').unwrap()));
        }
        if let Some(inside) = word.strip_prefix("datetime(") {
            return Literal::Instant(inside.to_owned());
        }
        match word.to_ascii_lowercase().as_str() {
            "true" => Literal::Boolean(true),
            "false" => Literal::Boolean(false),
            "null" => Literal::Null,
            _ => Literal::Number(word),
        }
    }
}

fn unescaped(text: &str) -> String {
    let halves: Vec<_> = text.split("\\\\").collect();
    let plain = |half: &&str| {
        half.replace("\\\"", "\"")
            .replace("\\f", "\u{c}")
            .replace("\\n", "\n")
            .replace("\\r", "\r")
            .replace("\\t", "\t")
    };
    halves.iter().map(plain).collect::<Vec<_>>().join("\\")
}
