//! Logins in a browser, for which curl stands in.

use crate::Session;
use crate::session::PASSWORD;
use crate::terminal::{GIVE_UP, Terminal};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStderr, Stdio};
use support::{Curl, Reply, Tool, binaries, tools, wait};
use url::Url;

const FORM: &str = "application/x-www-form-urlencoded";

/// A login that waits for the browser.
struct Waiting {
    child: Child,
    told: BufReader<ChildStderr>,
    /// Where the browser is to go.
    url: Url,
}

impl Waiting {
    fn start(session: &Session) -> Self {
        let ca = session.controller.ca();
        let mut command = session.command(&binaries::cli());
        command
            .args(["login", session.controller.url(), "--ca"])
            .args([ca.to_str().unwrap(), "--no-open"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let url = loop {
            let mut line = String::new();
            assert_ne!(told.read_line(&mut line).unwrap(), 0, "it shows no address");
            if let Ok(url) = line.trim().parse() {
                break url;
            }
        };
        Self { child, told, url }
    }

    /// A parameter of the authorization request.
    fn parameter(&self, name: &str) -> String {
        let mut pairs = self.url.query_pairs();
        pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
    }

    /// Asks the port that the browser comes back to.
    fn come_back(&self, query: &str) -> Reply {
        let uri = self.parameter("redirect_uri");
        Curl::bare(&format!("{uri}?{query}")).send()
    }

    /// Exit code, and what else was told.
    fn end(mut self) -> (Option<i32>, String) {
        let mut told = String::new();
        while self.told.read_line(&mut told).unwrap() > 0 {}
        (self.child.wait().unwrap().code(), told)
    }
}

/// Logs in on the page as a person would; answers where the browser is sent in the end.
fn log_in(session: &Session, url: &Url) -> String {
    let (jar, ca) = (session.site.file("cookies"), session.controller.ca());
    let ask = |url: &str| {
        let jar = jar.to_str().unwrap();
        Curl::new(url, &ca).arguments(["--cookie", jar, "--cookie-jar", jar])
    };
    let location = |reply: Reply| reply.header("location").unwrap().to_owned();
    let page = location(ask(url.as_str()).send().expect_status(302));
    let page = url.join(&page).unwrap();
    let (_, id) = page.query_pairs().next().unwrap();
    let form = format!("id={id}&username=admin&password={PASSWORD}");
    let login = url.join("/oidc/login/password").unwrap();
    let login = ask(login.as_str()).body("POST", FORM, form).send();
    let callback = url.join(&location(login.expect_status(302))).unwrap();
    location(ask(callback.as_str()).send().expect_status(302))
}

#[test]
fn browser_comes_back_with_a_code() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let session = Session::new();
    let waiting = Waiting::start(&session);
    assert_eq!(waiting.parameter("code_challenge_method"), "S256");
    let uri: Url = waiting.parameter("redirect_uri").parse().unwrap();
    assert_eq!(uri.host_str(), Some("127.0.0.1"));

    // Whatever does not answer the login does not end it.
    for query in ["", "code=c", "code=c&state=s", "error=access_denied"] {
        let page = waiting.come_back(query).expect_status(400);
        assert!(page.text().contains("does not belong to the login"));
    }
    let other = |path: &str| Curl::bare(uri.join(path).unwrap().as_str());
    let _ = other("/favicon.ico").send().expect_status(404);
    let posted = other("/auth/callback").body("POST", FORM, "code=c").send();
    let _ = posted.expect_status(405);

    let back = log_in(&session, &waiting.url);
    let page = Curl::bare(&back).send().expect_status(200);
    assert!(page.text().contains("You may close this window"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let (code, told) = waiting.end();
    assert_eq!(code, Some(0), "{told}");
    let refused = Curl::bare(&back).output();
    assert_ne!(refused.code(), 0, "nobody listens any more");
    assert_eq!(session.json(&["whoami"])["name"], "admin");
    let profile = session.json(&["profile", "show"]);
    assert_eq!(
        (&profile["login"], &profile["protocol"]),
        (&"browser".into(), &"oidc".into())
    );
}

#[test]
fn login_that_the_controller_refuses_fails() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let session = Session::new();
    let waiting = Waiting::start(&session);
    let state = waiting.parameter("state");
    let refusal = format!("error=access_denied&error_description=not+today&state={state}");
    let page = waiting.come_back(&refusal).expect_status(200);
    assert!(page.text().contains("The terminal says why"));
    let (code, told) = waiting.end();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("not today (access_denied)"), "{told}");
    session.run(&["whoami"]).expect_code(3);
}

/// Without anything that says how, somebody at a terminal is sent to the browser. In scripts that stays a
/// mistake.
#[test]
fn browser_is_opened_for_people_alone() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::new();
    let program = session.site.file("xdg-open");
    fs::write(
        &program,
        "#!/bin/sh\necho \"$1\" >opened.tmp && mv opened.tmp opened\n",
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", session.site.work().display());
    let ca = session.controller.ca();
    let login = format!("login {} --ca {}", session.controller.url(), ca.display());
    let mut terminal = Terminal::with_environment(&session, &login, &[("PATH", &path)]);
    let opened = wait::until(wait::DEFAULT_TIMEOUT, || {
        fs::read_to_string(session.site.file("opened"))
    });
    let opened = opened.unwrap();
    assert!(
        opened.starts_with(&format!("{}/oidc/authorize?", session.controller.url())),
        "{opened}"
    );
    terminal.answer("Log in in the browser", GIVE_UP);
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("cancelled"), "{shown}");

    // What a browser has no use for says that it is not meant.
    for (given, variables) in [
        ("--totp 123456", &[][..]),
        ("", &[("PORTCULLIS_PASSWORD", "x")]),
    ] {
        let line = format!("{login} {given}");
        let (code, shown) = Terminal::with_environment(&session, &line, variables).end();
        assert_eq!(code, 2, "{shown}");
        assert!(shown.contains("the username is missing"), "{shown}");
    }

    let login: Vec<_> = login.split(' ').collect();
    let refused = session.run(&login).expect_code(2).stderr;
    assert!(refused.contains("the username is missing"), "{refused}");
    assert!(refused.contains("`--browser`"), "{refused}");
    for way in ["--username=anna", "--identity=x", "--totp=123456"] {
        session.run(&["login", "--browser", way]).expect_code(2);
    }
}
