//! Writes the JSON Schema of router files, for an editor.
//!
//! `cargo run -p portcullis-router-config --example schema > router.schema.json`

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    writeln!(io::stdout(), "{:#}", portcullis_router_config::schema())
}
