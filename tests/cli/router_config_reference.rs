//! The reference page is what the table of keys says.
//!
//! After a change of the table, run this test with `PORTCULLIS_BLESS=1` to write
//! `docs/router-config.md` anew.

use portcullis_router_config::reference_page;
use portcullis_router_config::table::ROOT;
use std::fs;
use support::repository;

#[test]
fn reference_page_is_current() {
    let path = repository::root().join("docs/router-config.md");
    let page = reference_page();
    if std::env::var_os("PORTCULLIS_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is stale: run this test with PORTCULLIS_BLESS=1",
        path.display()
    );
}

/// Findings refer to the headings of the page.
#[test]
fn every_section_has_a_heading() {
    let page = reference_page();
    let names = ROOT.iter().map(|key| key.name).chain(["The file"]);
    for name in names {
        assert!(page.contains(&format!("\n## {name}\n")), "{name}");
    }
}
