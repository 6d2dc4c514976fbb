//! The reference page is what the table of keys says.
//!
//! After a change of the table, run this test with `PORTCULLIS_BLESS=1` to write
//! `docs/controller-config.md` anew.

use std::fs;
use std::path::Path;

use portcullis_controller_config::reference_page;

#[test]
fn reference_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/controller-config.md");
    let page = reference_page();
    if std::env::var_os("PORTCULLIS_BLESS").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is stale: run this test with PORTCULLIS_BLESS=1",
        path.display()
    );
}
