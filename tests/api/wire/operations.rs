//! The table of operations in the documentation is made from the table of routes.
//!
//! Run with `PORTCULLIS_BLESS=1` to write it anew.

use http::Method;
use portcullis_domain::access::Access;
use portcullis_http::path::Api;
use portcullis_http::route::Route;
use portcullis_testkit::Harness;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

const INTRODUCTION: &str = "\
# API operations

Every operation that the controller has, with what its caller needs: nothing (`anybody`), a session
(`session`; `partial` ones suffice where a second factor may still be open), a permission such as
`identity.read` or the rank of an administrator (`admin`; `admin, read-only` where the permission
`admin_readonly` suffices). Administrators may do everything, and holders of `admin_readonly` may
read whatever a permission lets others read, unless it is demanded *by name*. Some objects have rules
of their own besides, which the answer names.

*501* stands behind what the descriptions of the API have and no controller does. `HEAD` is
answered by `health-checks` alone, and by 405 elsewhere.

This table is made from the routes by the test `operations` and cannot differ from them.
";

#[tokio::test]
async fn the_documentation_lists_every_operation() {
    let controller = Harness::start().await;
    let routes = controller.table().routes();
    let mut text = INTRODUCTION.to_owned();
    let used: BTreeSet<Api> = routes
        .iter()
        .flat_map(|route| route.apis)
        .copied()
        .collect();
    for api in used {
        let heading = (api.binding(), api.base_path());
        write!(text, "\n## `{}`: `{}`\n\n", heading.0, heading.1).unwrap();
        text.push_str(&table(
            routes.iter().filter(|route| route.apis.contains(&api)),
        ));
    }
    compare(&text);
}

/// One line for each path, with a column for each method.
fn table<'r>(routes: impl Iterator<Item = &'r Route>) -> String {
    let mut by_path: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for route in routes.filter(|route| route.method != Method::HEAD) {
        let demand = demand(route);
        let cells = by_path.entry(route.path).or_default();
        let replaced = cells.insert(route.method.as_str(), demand);
        assert_eq!(replaced, None, "{route:?} is there twice");
    }
    let mut text = String::from("| Path |");
    for method in &METHODS {
        write!(text, " {method} |").unwrap();
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(METHODS.len()));
    text.push('\n');
    for (path, mut cells) in by_path {
        write!(text, "| `{path}` |").unwrap();
        for method in &METHODS {
            let cell = cells.remove(method.as_str()).unwrap_or_default();
            write!(text, " {cell} |").unwrap();
        }
        assert!(
            cells.is_empty(),
            "{path} has methods that are not shown: {cells:?}"
        );
        text.push('\n');
    }
    text
}

fn demand(route: &Route) -> String {
    let demand = match route.access {
        Access::Public => "anybody".to_owned(),
        Access::Partial => "partial".to_owned(),
        Access::Full => "session".to_owned(),
        Access::Admin => "admin".to_owned(),
        Access::AdminOrReadOnly => "admin, read-only".to_owned(),
        Access::Granted(subject, verb) => format!("`{}.{}`", subject.name(), verb.name()),
        Access::GrantedExplicitly(subject, verb) => {
            format!("`{}.{}`, by name", subject.name(), verb.name())
        },
        Access::GrantedWhole(subject) => format!("`{}`, as a whole", subject.name()),
    };
    if route.is_implemented {
        demand
    } else {
        format!("{demand}: *501*")
    }
}

fn compare(actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/api-operations.md");
    if std::env::var_os("PORTCULLIS_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        actual,
        written,
        "{} is not what the routes are",
        path.display()
    );
}
