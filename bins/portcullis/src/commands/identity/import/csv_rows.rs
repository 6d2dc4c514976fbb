//! Identities in comma-separated values.

use super::mistake::{Mistake, suggestion};
use super::row::Row;
use crate::commands::identity::identity_type::{IdentityType, TYPE_TAG};
use clap::ValueEnum as _;
use csv::{Position, ReaderBuilder, StringRecord, Trim};
use serde_json::{Map, Value, json};

/// Separates role attributes, and tags, within a cell.
const SEPARATOR: char = ';';

/// Known columns.
const COLUMNS: [&str; 8] = [
    "name",
    "type",
    "admin",
    "role_attributes",
    "tags",
    "auth_policy",
    "external_id",
    "enrollment",
];

/// Reads all rows, and the mistakes of those that are not right.
pub(super) fn read(text: &str) -> (Vec<Row>, Vec<Mistake>) {
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut mistakes = Vec::new();
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(_csv) => {
            return (
                Vec::new(),
                vec![Mistake::in_line(1, "there is no header row")],
            );
        },
    };
    mistakes.extend(check_header(&header));
    if !mistakes.is_empty() {
        // Cells without a known column cannot be judged.
        return (Vec::new(), mistakes);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let Ok(record) = record else {
            // The text is UTF-8, and numbers of cells are judged below.
            continue;
        };
        let line = record
            .position()
            .map_or(1, |position| line_of(text, position));
        match read_row(line, &header, &record) {
            Ok(row) => rows.push(row),
            Err(found) => mistakes.extend(found),
        }
    }
    if let Some(line) = line_of_open_quote(text) {
        let message = "a quotation mark `\"` is opened here and never closed";
        mistakes.push(Mistake::in_line(line, message));
    }
    if rows.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake::in_line(
            1,
            "there is a header row only, and no identity",
        ));
    }
    (rows, mistakes)
}

/// Line in which a record begins; its position is that of the blank lines before it.
fn line_of(text: &str, position: &Position) -> u64 {
    let begin = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.get(begin..).unwrap_or_default().chars();
    let blank = rest.take_while(|character| matches!(character, '\r' | '\n'));
    let lines = blank.filter(|character| *character == '\n').count();
    position.line() + u64::try_from(lines).unwrap_or_default()
}

fn check_header(header: &StringRecord) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (index, column) in header.iter().enumerate() {
        if !COLUMNS.contains(&column) {
            let message = format!(
                "there is no column `{column}`{}",
                suggestion(column, &COLUMNS)
            );
            mistakes.push(Mistake::in_line(1, message));
        } else if header.iter().take(index).any(|earlier| earlier == column) {
            let message = format!("the column `{column}` is there twice");
            mistakes.push(Mistake::in_line(1, message));
        }
    }
    if mistakes.is_empty() && !header.iter().any(|column| column == "name") {
        let message = "there is no column `name`; the first line has to name the columns";
        mistakes.push(Mistake::in_line(1, message));
    }
    mistakes
}

fn read_row(line: u64, header: &StringRecord, record: &StringRecord) -> Result<Row, Vec<Mistake>> {
    if record.len() != header.len() {
        let message = format!(
            "there are {} cells, and {} columns; cells with a comma are written in quotation marks",
            record.len(),
            header.len()
        );
        return Err(vec![Mistake::in_line(line, message)]);
    }
    let mut reader = RowReader {
        line,
        header,
        record,
        mistakes: Vec::new(),
    };
    let body = reader.body();
    let mut mistakes = reader.mistakes;
    if !body.contains_key("name") {
        return Err(mistakes);
    }
    // What is wrong beyond the cells that could not be read.
    match Row::judge(line, body, column_of) {
        Ok(row) if mistakes.is_empty() => return Ok(row),
        Ok(_) => {},
        Err(mistake) => mistakes.push(mistake),
    }
    Err(mistakes)
}

/// Reads the cells of a row.
struct RowReader<'r> {
    line: u64,
    header: &'r StringRecord,
    record: &'r StringRecord,
    mistakes: Vec<Mistake>,
}

impl<'r> RowReader<'r> {
    /// The body of the request.
    fn body(&mut self) -> Map<String, Value> {
        let members = [
            ("name", self.name()),
            ("type", json!("Default")),
            ("isAdmin", self.is_admin()),
            ("roleAttributes", self.role_attributes()),
            ("tags", self.tags()),
            ("authPolicyId", self.cell("auth_policy").into()),
            ("externalId", self.cell("external_id").into()),
            ("enrollment", self.enrollment()),
        ];
        let members = members.into_iter().filter(|(_, value)| !value.is_null());
        members
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// The text of a cell, if there is any.
    fn cell(&self, column: &str) -> Option<&'r str> {
        let mut cells = self.header.iter().zip(self.record);
        let (_, text) = cells.find(|(name, _)| *name == column)?;
        (!text.is_empty()).then_some(text)
    }

    /// The entries of a cell.
    fn list(&self, column: &str) -> impl Iterator<Item = &'r str> + use<'r> {
        let entries = self.cell(column).unwrap_or_default().split(SEPARATOR);
        entries.map(str::trim).filter(|entry| !entry.is_empty())
    }

    fn note(&mut self, column: &str, message: impl Into<String>) -> Value {
        let mistake = Mistake::in_field(self.line, column, message);
        self.mistakes.push(mistake);
        Value::Null
    }

    fn name(&mut self) -> Value {
        match self.cell("name") {
            Some(name) => name.into(),
            None => self.note("name", "is empty"),
        }
    }

    fn is_admin(&mut self) -> Value {
        let cell = self.cell("admin").map(str::to_ascii_lowercase);
        match cell.as_deref() {
            None | Some("false" | "no" | "0") => false.into(),
            Some("true" | "yes" | "1") => true.into(),
            Some(other) => {
                let message = format!("`{other}` is neither `true` nor `false`");
                self.note("admin", message);
                false.into()
            },
        }
    }

    fn role_attributes(&mut self) -> Value {
        let words: Vec<_> = self.list("role_attributes").collect();
        if let Some(joined) = words.iter().find(|word| word.contains(',')) {
            let message = format!("`{joined}` contains a comma; separate role attributes with `;`");
            return self.note("role_attributes", message);
        }
        words.into()
    }

    /// The tags, with the type among them.
    fn tags(&mut self) -> Value {
        let mut tags = Map::new();
        for tag in self.list("tags") {
            match tag.split_once('=') {
                Some((key, value)) if !key.trim().is_empty() => {
                    tags.insert(key.trim().to_owned(), value.trim().into());
                },
                _ => {
                    let message =
                        format!("`{tag}` is no tag; tags look like `key=value;key=value`");
                    self.note("tags", message);
                },
            }
        }
        if let Some(kind) = self.cell("type") {
            match IdentityType::from_str(kind, true) {
                Ok(kind) => {
                    tags.insert(TYPE_TAG.to_owned(), kind.name().into());
                },
                Err(_clap) => {
                    let near = suggestion(kind, &["device", "service", "user"]);
                    self.note("type", format!("`{kind}` is no type{near}"));
                },
            }
        }
        tags.into()
    }

    /// How it enrolls; identities with an external id need not.
    fn enrollment(&mut self) -> Value {
        let Some(cell) = self.cell("enrollment") else {
            return match self.cell("external_id") {
                Some(_) => Value::Null,
                None => json!({"ott": true}),
            };
        };
        match cell.split_once(':') {
            None if cell == "none" => Value::Null,
            None if cell == "ott" => json!({"ott": true}),
            Some(("updb", username)) if !username.is_empty() => json!({"updb": username}),
            Some(("ottca", ca)) if !ca.is_empty() => json!({"ottca": ca}),
            _ => {
                let message = format!(
                    "`{cell}` is no enrollment; there are ott, updb:USERNAME, ottca:CA and none"
                );
                self.note("enrollment", message)
            },
        }
    }
}

/// The column from which a member of the body comes.
fn column_of(member: &str) -> String {
    let (first, _) = member.split_once(['.', '[']).unwrap_or((member, ""));
    let column = match first {
        "isAdmin" => "admin",
        "roleAttributes" => "role_attributes",
        "authPolicyId" => "auth_policy",
        "externalId" => "external_id",
        other => other,
    };
    column.to_owned()
}

/// Line with a quotation mark that is never closed, as in half a file: what follows it is taken for one
/// cell.
fn line_of_open_quote(text: &str) -> Option<u64> {
    let (mut line, mut opened, mut begins_cell) = (1, None, true);
    for character in text.chars() {
        match (character, opened) {
            ('"', None) if begins_cell => opened = Some(line),
            ('"', Some(_)) => opened = None,
            _ => {},
        }
        line += u64::from(character == '\n');
        // A doubled quotation mark inside a cell closes and opens it.
        begins_cell = matches!(character, ',' | '\n' | '\r' | ' ' | '"');
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Value {
        let (rows, mistakes) = read(text);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        Value::Object(rows.into_iter().next().unwrap().body)
    }

    fn mistakes(text: &str) -> Vec<(u64, String)> {
        let (_, mistakes) = read(text);
        let told = |mistake: Mistake| {
            let field = mistake.field.map_or_else(String::new, |field| field + ": ");
            (mistake.line, field + &mistake.message)
        };
        mistakes.into_iter().map(told).collect()
    }

    #[test]
    fn cells_become_members() {
        let text = "name,type,admin,role_attributes,tags,auth_policy,external_id,enrollment\r\n\
                    \"Müller, Anna\",user,yes,a; b,k=v;x=1=2,strict,anna@x,updb:anna\r\n";
        assert_eq!(
            body(text),
            json!({
                "name": "Müller, Anna", "type": "Default", "isAdmin": true,
                "roleAttributes": ["a", "b"], "tags": {"k": "v", "x": "1=2", "type": "user"},
                "authPolicyId": "strict", "externalId": "anna@x", "enrollment": {"updb": "anna"},
            })
        );
        let enrollment =
            |cell: &str| body(&format!("name,enrollment\na,{cell}\n"))["enrollment"].clone();
        assert_eq!(enrollment(""), json!({"ott": true}));
        assert_eq!(enrollment("none"), Value::Null);
        assert_eq!(enrollment("ottca:c1"), json!({"ottca": "c1"}));
        assert_eq!(body("external_id,name\ne,a")["enrollment"], Value::Null);
    }

    #[test]
    fn all_mistakes_are_found_at_once() {
        let text = "name,type,admin,tags,enrollment,role_attributes\n\
                    ,devise,maybe,k,otp,\"a,b\"\n\
                    a,device\n\
                    b,,,,,#x\n";
        let found = mistakes(text);
        let expected = [
            (2, "name: is empty"),
            (2, "admin: `maybe` is neither"),
            (2, "role_attributes: `a,b` contains a comma"),
            (2, "tags: `k` is no tag"),
            (2, "type: `devise` is no type; did you mean `device`?"),
            (2, "enrollment: `otp` is no enrollment"),
            (3, "there are 2 cells, and 6 columns"),
            (4, "role_attributes: role attributes must not begin with #"),
        ];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((line, told), (expected_line, expected)) in found.iter().zip(expected) {
            assert_eq!(*line, expected_line, "{told}");
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn headers_are_judged() {
        for (text, expected) in [
            (
                "nam,role_attributes\nx,y\n",
                "there is no column `nam`; did you mean `name`?",
            ),
            (
                "name,banana\nx,y\n",
                "there is no column `banana`; there are name, type",
            ),
            ("type\ndevice\n", "there is no column `name`"),
            ("name,name\nx,y\n", "the column `name` is there twice"),
            ("name\n", "there is a header row only"),
        ] {
            let found = mistakes(text);
            assert!(found[0].1.starts_with(expected), "{found:?}");
        }
    }

    #[test]
    fn half_a_file_is_noticed() {
        let found = mistakes("name,tags\na,\nb,\"k=v\n");
        assert!(
            found
                .iter()
                .any(|(line, told)| *line == 3 && told.contains("never closed")),
            "{found:?}"
        );
        assert_eq!(line_of_open_quote("a,\"x \"\"y\"\" z\"\nb,c\"d\n"), None);
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let (rows, _) = read("name\n\"a\nb\"\n\nc\n");
        let lines: Vec<_> = rows.iter().map(|row| (row.line, row.name())).collect();
        assert_eq!(lines, [(2, "a\nb"), (5, "c")]);
    }
}
