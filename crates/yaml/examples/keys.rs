//! Lists every value of a YAML file with its place, and what can be said about the file as a whole.
//!
//! `cargo run -p portcullis-yaml --example keys -- FILE`

#![expect(clippy::print_stdout, reason = "printing is what the example is for")]

use std::error::Error;

use portcullis_yaml::{
    Diagnostics, KeyPath, Limits, Node, SourceId, Value, decode, expand_environment, parse,
};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let text = decode(&std::fs::read(path)?, SourceId::default())?;
    let mut document = parse(&text, SourceId::default(), &Limits::default())?;
    let mut diagnostics = Diagnostics::default();
    diagnostics.extend(document.diagnostics);
    expand_environment(
        &mut document.root,
        &|name| std::env::var(name).ok(),
        &mut diagnostics,
    );

    show(&document.root, &KeyPath::root());
    for diagnostic in diagnostics.into_sorted() {
        println!("{diagnostic}");
    }
    Ok(())
}

fn show(node: &Node, path: &KeyPath) {
    match &node.value {
        Value::Map(map) => {
            for entry in map {
                show(
                    &entry.value,
                    &path.key(entry.key.text().unwrap_or_default()),
                );
            }
        },
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                show(item, &path.index(index));
            }
        },
        scalar => {
            println!(
                "{}:{}: {path} = {scalar:?}",
                node.location.line, node.location.column
            );
        },
    }
}
