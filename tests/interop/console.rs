//! A web console behind `quickstart --console`: what is served of its folder, and what it asks for.

mod downloads;
mod listeners;
mod logins;
mod requests;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use support::tools::are_available;
use support::{Controller, Curl, Reply, TestDirectory, Tool};

const INDEX: &str = "<!doctype html><title>a console</title>";

/// Makes a console with an index, a script and an asset with a hash in its name.
fn make_console(site: &TestDirectory) -> PathBuf {
    let folder = site.file("console");
    fs::create_dir_all(folder.join("assets")).unwrap();
    for (name, text) in [
        ("index.html", INDEX),
        ("main.js", &"console.log('ready');\n".repeat(1000)),
        ("assets/logo.0123456789abcdef.svg", "<svg/>"),
        (".env", "A=1"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

fn start(site: &TestDirectory, console: &Path) -> Controller {
    let console = console.to_str().unwrap();
    site.quickstart().with(["--console", console]).start()
}

fn get(controller: &Controller, path: &str) -> Curl {
    get_at(&format!("{}{path}", controller.url()), &controller.ca())
}

fn get_at(url: &str, ca: &Path) -> Curl {
    Curl::new(url, ca).argument("--path-as-is")
}

fn is_index(reply: &Reply) -> bool {
    reply.status == 200
        && reply.text() == INDEX
        && reply.header("content-type") == Some("text/html; charset=utf-8")
        && reply.header("cache-control") == Some("no-cache")
}

#[test]
fn console_is_served_beside_the_apis() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = start(&site, &make_console(&site));
    let url = format!("{}/zac/", controller.url());
    assert!(
        controller.printed().contains(&url),
        "{}",
        controller.printed()
    );
    for path in [
        "/zac",
        "/zac/",
        "/zac?x=1",
        "/zac/services",
        "/zac/missing.js",
        "/zac/assets",
    ] {
        let reply = get(&controller, path).send();
        assert!(is_index(&reply), "{path}: {reply:?}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let policy = reply.header("content-security-policy");
        assert_eq!(policy, Some("frame-ancestors 'none'"));
    }
    for path in [
        "/zacfoo",
        "/ZAC/",
        "/assets/logo.0123456789abcdef.svg",
        "/auth/callback",
    ] {
        let reply = get(&controller, path).send();
        assert_eq!(reply.error().0, 404, "{path}");
    }
    let version = get(&controller, "/").send();
    assert!(
        version.data()["apiVersions"].is_object(),
        "the root stays with the API"
    );

    let script = get(&controller, "/zac/main.js/").send().expect_status(200);
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    assert_eq!(script.header("content-length"), Some("22000"));
    let asset = get(&controller, "/zac/assets/logo.0123456789abcdef.svg").send();
    let cached = asset.header("cache-control");
    assert_eq!(cached, Some("public, max-age=31536000, immutable"));
    assert_eq!(get(&controller, "/zac/.env").send().text(), "A=1");

    let moved = get(&controller, "/zac/a/index.html")
        .send()
        .expect_status(301);
    assert_eq!(moved.header("location"), Some("./"));
    let wrong = get(&controller, "/zac/")
        .body("POST", "text/plain", "x")
        .send();
    assert_eq!(
        (wrong.status, wrong.header("allow")),
        (405, Some("GET, HEAD"))
    );
}

#[test]
fn nothing_outside_of_the_folder_is_served() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let folder = make_console(&site);
    fs::write(site.file("secret.txt"), "a secret").unwrap();
    symlink(site.file("secret.txt"), folder.join("out.txt")).unwrap();
    symlink(site.folder(), folder.join("out")).unwrap();
    symlink("main.js", folder.join("in.js")).unwrap();
    let controller = start(&site, &folder);
    for path in [
        "/zac/../secret.txt",
        "/zac/%2e%2e/secret.txt",
        "/zac/..%2fsecret.txt",
        "/zac/.%2e%2f%2e./secret.txt",
        "/zac/..%5csecret.txt",
        "/zac/..\\secret.txt",
        "/zac/assets/..",
        "/zac/a%00",
        "/zac/%ff",
        "/zac/%zz",
    ] {
        let reply = get(&controller, path).send();
        assert_eq!(
            (reply.status, reply.text().as_str()),
            (400, "invalid URL path\n"),
            "{path}"
        );
    }
    let long = format!("/zac/{}", "a".repeat(5000));
    let deep = format!("/zac{}", "/a".repeat(5000));
    for path in [
        "/zac//etc/passwd",
        "/zac/%2fetc/passwd",
        "/zac/%252e%252e/secret.txt",
        "/zac/out.txt",
        "/zac/out/secret.txt",
        &long,
        &deep,
    ] {
        assert!(is_index(&get(&controller, path).send()), "{path}");
    }
    let linked = get(&controller, "/zac/in.js").send();
    assert!(
        linked.text().contains("ready"),
        "links within the folder are followed"
    );
}

#[test]
fn clients_get_what_they_lack() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let folder = make_console(&site);
    let controller = start(&site, &folder);
    let script = || get(&controller, "/zac/main.js");
    let whole = script().send();
    let etag = whole.header("etag").unwrap();
    let date = whole.header("last-modified").unwrap();
    for known in [
        format!("if-none-match: {etag}"),
        format!("if-modified-since: {date}"),
    ] {
        let reply = script().header(&known).send();
        assert_eq!((reply.status, reply.body.len()), (304, 0), "{known}");
        assert_eq!(reply.header("etag"), Some(etag));
    }
    let head = script().argument("--head").send().expect_status(200);
    assert_eq!(head.header("content-length"), Some("22000"));
    assert!(!head.text().contains("ready"), "no body: {}", head.text());

    let part = script().header("range: bytes=21990-30000").send();
    assert_eq!(part.status, 206);
    assert_eq!(
        part.header("content-range"),
        Some("bytes 21990-21999/22000")
    );
    assert_eq!(part.body, whole.body[21990..]);
    let beyond = script().header("range: bytes=22000-").send();
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("content-range"), Some("bytes */22000"));
    for ignored in ["bytes=9-1", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b"] {
        let reply = script().header(&format!("range: {ignored}")).send();
        assert_eq!((reply.status, reply.body.len()), (200, 22000), "{ignored}");
    }

    let packed = script().header("accept-encoding: gzip").send();
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < 2000);
    let unpacked = script().argument("--compressed").send();
    assert_eq!(unpacked.body, whole.body);

    fs::write(folder.join("main.js"), "changed();").unwrap();
    let changed = script()
        .header(&format!("if-none-match: {etag}"))
        .argument("--compressed");
    assert_eq!(changed.send().expect_status(200).text(), "changed();");
    fs::remove_file(folder.join("index.html")).unwrap();
    let gone = get(&controller, "/zac/").send();
    assert_eq!(
        (gone.status, gone.text().as_str()),
        (404, "404 page not found\n")
    );
}

#[test]
fn a_folder_without_a_console_is_refused() {
    let site = TestDirectory::new();
    let empty = site.file("empty");
    fs::create_dir(&empty).unwrap();
    let refused = site
        .quickstart()
        .with(["--console", empty.to_str().unwrap()]);
    let errors = refused.run_expecting_failure().stderr;
    assert!(errors.contains("has no index.html"), "{errors}");
}
