//! Consoles by the bindings of the configuration, beside the APIs of a listener and on one of their own.

use super::{INDEX, get_at, is_index, make_console};
use std::fs;
use std::path::{Path, PathBuf};
use support::controller::free_port;
use support::tools::are_available;
use support::{Controller, Reply, TestDirectory, Tool};

/// A controller with a listener of the APIs, and one with nothing but `apart`; each is a list of bindings in YAML.
struct Listeners {
    _controller: Controller,
    ca: PathBuf,
    ports: [u16; 2],
}

impl Listeners {
    fn start(site: &TestDirectory, beside: &str, apart: &str) -> Self {
        let ports = [free_port(), free_port()];
        let listener = |name: &str, port: u16, apis: &str| {
            format!(
                "  - name: {name}\n    bindPoints:\n      - {{interface: 127.0.0.1:{port}, address: localhost:{port}}}\n    apis: [{apis}]\n"
            )
        };
        let apis = format!("{{binding: edge-client}}, {{binding: edge-management}}, {beside}");
        let web = [
            "web:\n".to_owned(),
            listener("apis", ports[0], &apis),
            listener("apart", ports[1], apart),
        ];
        let config = site.file("listeners.yml");
        fs::write(&config, web.concat()).unwrap();
        let controller = site
            .quickstart()
            .with(["--ctrl-port", &ports[0].to_string()])
            .with(["--config", config.to_str().unwrap()])
            .start();
        Self {
            ca: controller.ca(),
            _controller: controller,
            ports,
        }
    }

    fn get_beside(&self, path: &str) -> Reply {
        self.get(self.ports[0], path)
    }

    fn get_apart(&self, path: &str) -> Reply {
        self.get(self.ports[1], path)
    }

    fn get(&self, port: u16, path: &str) -> Reply {
        get_at(&format!("https://localhost:{port}{path}"), &self.ca).send()
    }
}

fn binding(name: &str, location: &Path, more: &str) -> String {
    let location = location.display();
    format!("{{binding: {name}, options: {{location: \"{location}\"{more}}}}}")
}

fn outcome(reply: &Reply) -> (u16, String) {
    (reply.status, reply.text())
}

#[test]
fn older_binding_serves_assets_at_the_root_too() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let console = make_console(&site);
    let apart = binding("spa", &console, ", path: console");
    let listeners = Listeners::start(&site, &binding("zac", &console, ""), &apart);
    for path in [
        "/assets/logo.0123456789abcdef.svg",
        "/zac/assets/logo.0123456789abcdef.svg",
    ] {
        let asset = listeners.get_beside(path).expect_status(200);
        assert_eq!(asset.text(), "<svg/>", "{path}");
        assert_eq!(asset.header("content-type"), Some("image/svg+xml"));
        let cached = asset.header("cache-control");
        assert_eq!(cached, Some("public, max-age=31536000, immutable"));
    }
    for path in [
        "/zac",
        "/zac/main",
        "/assets",
        "/assets/",
        "/assets/missing.js",
    ] {
        assert!(is_index(&listeners.get_beside(path)), "{path}");
    }
    let moved = listeners
        .get_beside("/assets/index.html")
        .expect_status(301);
    assert_eq!(moved.header("location"), Some("./"));
    for path in ["/assets/../main.js", "/assets/%2e%2e/main.js"] {
        let refused = outcome(&listeners.get_beside(path));
        assert_eq!(refused, (400, "invalid URL path\n".to_owned()), "{path}");
    }
    for path in ["/assetsx", "/Assets/", "/main.js", "/console/"] {
        assert_eq!(listeners.get_beside(path).error().0, 404, "{path}");
    }
    let version = listeners.get_beside("/").data();
    assert!(version["apiVersions"].is_object(), "{version}");
    let logged = site.logged();
    assert!(
        logged.contains("the binding `zac` is deprecated"),
        "{logged}"
    );
}

#[test]
fn console_alone_on_a_listener_serves_every_path() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let (console, other) = (make_console(&site), site.file("other"));
    fs::create_dir(&other).unwrap();
    fs::write(
        other.join("index.html"),
        "<!doctype html><title>another</title>",
    )
    .unwrap();
    // The last one of the list gets what is nobody's.
    let apart = [
        binding("spa", &other, ", path: other"),
        binding("spa", &console, ", path: console"),
    ];
    let beside = binding("spa", &console, ", path: zac");
    let listeners = Listeners::start(&site, &beside, &apart.join(", "));
    for path in [
        "/",
        "/console",
        "/console/",
        "/services/some-id",
        "/auth/callback?code=x",
        "/zac/",
        "/edge/management/v1/version",
        "/oidc/authorize",
        "/otherwise",
    ] {
        let reply = listeners.get_apart(path);
        assert!(is_index(&reply), "{path}: {reply:?}");
    }
    for path in ["/console/main.js", "/main.js"] {
        let script = listeners.get_apart(path).expect_status(200);
        assert_eq!(
            script.header("content-type"),
            Some("text/javascript; charset=utf-8")
        );
    }
    let another = listeners.get_apart("/other/x").expect_status(200);
    assert!(another.text().contains("another"), "{another:?}");
    assert_eq!(listeners.get_apart("/a/index.html").status, 301);
    for path in ["/..", "/a/%2e%2e/b", "/%ff"] {
        let refused = outcome(&listeners.get_apart(path));
        assert_eq!(refused, (400, "invalid URL path\n".to_owned()), "{path}");
    }

    // Beside the APIs it has its own paths alone.
    assert_eq!(
        outcome(&listeners.get_beside("/zac/")),
        (200, INDEX.to_owned())
    );
    for path in ["/console/", "/main.js", "/assets/logo.0123456789abcdef.svg"] {
        assert_eq!(listeners.get_beside(path).error().0, 404, "{path}");
    }
}
