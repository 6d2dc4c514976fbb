//! Logins in a browser: pages, cookies, and requests that other pages make it send.

use crate::support::credentials::with_certificate;
use crate::support::mfa::enroll;
use crate::support::oidc::{
    Flow, authorization, location, parameter, request, with_alice, with_form,
};
use http::Method;
use portcullis_testkit::{Harness, PASSWORD, Reply, Request};
use serde_json::json;

/// A browser with the cookies that it was given.
struct Browser<'h> {
    controller: &'h Harness,
    cookies: Vec<String>,
}

impl<'h> Browser<'h> {
    fn new(controller: &'h Harness) -> Self {
        Self {
            controller,
            cookies: Vec::new(),
        }
    }

    fn request(&self, method: Method, path: &str) -> Request<'h> {
        let request = request(self.controller, method, path)
            .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
            .header("sec-fetch-mode", "navigate");
        let cookies = self.cookies.join("; ");
        if cookies.is_empty() {
            request
        } else {
            request.header("cookie", &cookies)
        }
    }

    /// Begins a login; returns the id of the login request.
    async fn begin(&mut self) -> String {
        let reply = self.request(Method::GET, &authorization(&[])).send().await;
        let cookie = reply.headers["set-cookie"].to_str().unwrap();
        assert!(
            cookie.ends_with("HttpOnly; Secure; SameSite=Lax"),
            "{cookie}"
        );
        assert!(cookie.contains("Path=/oidc;"), "{cookie}");
        self.cookies
            .push(cookie.split(';').next().unwrap().to_owned());
        parameter(&location(&reply), "authRequestID")
    }

    async fn load(&self, path: &str) -> Reply {
        self.request(Method::GET, path).send().await
    }

    async fn submit(&self, path: &str, form: &[(&str, &str)]) -> Reply {
        let request = self.request(Method::POST, path);
        let request = request.header("origin", "https://ctrl.example.test:1280");
        with_form(request, form).send().await
    }
}

#[track_caller]
fn assert_page(reply: &Reply, status: u16, contents: &str) {
    assert_eq!(reply.status, status, "{}", reply.text());
    assert_eq!(reply.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(reply.headers["cache-control"], "no-store");
    assert_eq!(reply.headers["x-frame-options"], "DENY");
    let policy = reply.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(reply.text().contains(contents), "{}", reply.text());
}

#[tokio::test]
async fn person_logs_in_on_pages() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "alice", json!({})).await;
    let (_device, codes) = enroll(&controller, &session).await;
    let mut browser = Browser::new(&controller);
    let id = browser.begin().await;
    let page = browser
        .load(&format!("/login/username?authRequestID={id}"))
        .await;
    assert_page(&page, 200, "type=\"password\"");
    let wrong = [("id", &*id), ("username", "alice"), ("password", "wrong")];
    assert_page(
        &browser.submit("/login/password", &wrong).await,
        401,
        "role=\"alert\"",
    );
    let right = [("id", &*id), ("username", "alice"), ("password", PASSWORD)];
    let totp = browser.submit("/login/password", &right).await;
    assert_page(&totp, 200, "one-time-code");
    // Loading the page again shows where the login is.
    let again = browser
        .load(&format!("/login/username?authRequestID={id}"))
        .await;
    assert_page(&again, 200, "one-time-code");
    let wrong = [("id", &*id), ("code", "000000")];
    assert_page(
        &browser.submit("/login/totp", &wrong).await,
        401,
        "role=\"alert\"",
    );
    let right = [("id", &*id), ("code", &*codes[0])];
    // A redirect would belong to the form, which may lead to no other host.
    let done = browser.submit("/login/totp", &right).await;
    assert_page(&done, 200, &format!("/oidc/authorize/callback?id={id}\""));
    let back = browser.load(&format!("/authorize/callback?id={id}")).await;
    assert!(location(&back).contains("code="));
    let cookie = back.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("Max-Age=0"), "{cookie}");
    let ended = browser
        .load(&format!("/login/username?authRequestID={id}"))
        .await;
    assert_page(&ended, 401, "ended");
}

#[tokio::test]
async fn pages_say_when_to_try_again() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "alice", json!({})).await;
    enroll(&controller, &session).await;
    let mut browser = Browser::new(&controller);
    let id = browser.begin().await;
    let password = [("id", &*id), ("username", "alice"), ("password", PASSWORD)];
    browser.submit("/login/password", &password).await;
    let wrong = [("id", &*id), ("code", "000000")];
    for _attempt in 0..5 {
        let page = browser.submit("/login/totp", &wrong).await;
        assert_page(&page, 401, "role=\"alert\"");
        assert!(!page.headers.contains_key("retry-after"));
    }
    let page = browser.submit("/login/totp", &wrong).await;
    assert_page(&page, 429, "role=\"alert\"");
    let seconds = page.headers["retry-after"].to_str().unwrap();
    assert!(seconds.parse::<u32>().unwrap() > 0, "{seconds}");
}

#[tokio::test]
async fn login_of_another_browser_is_refused() {
    let controller = with_alice().await;
    let mut attacker = Browser::new(&controller);
    let id = attacker.begin().await;
    // The victim is lured to the page of the attacker's login request.
    let mut victim = Browser::new(&controller);
    let own = victim.begin().await;
    let page = victim
        .load(&format!("/login/username?authRequestID={id}"))
        .await;
    assert_page(&page, 401, "ended");
    let form = [("id", &*id), ("username", "alice"), ("password", PASSWORD)];
    assert_page(&victim.submit("/login/password", &form).await, 401, "ended");
    // Their own goes on.
    let form = [("id", &*own), ("username", "alice"), ("password", PASSWORD)];
    let done = victim.submit("/login/password", &form).await;
    assert_page(&done, 200, "signed in");
}

#[tokio::test]
async fn forms_of_other_origins_are_refused() {
    let controller = with_alice().await;
    let mut browser = Browser::new(&controller);
    let id = browser.begin().await;
    let form = [("id", &*id), ("username", "alice"), ("password", PASSWORD)];
    for (origin, status) in [
        ("https://evil.test", 403),
        ("null", 403),
        ("https://ctrl.example.test", 403),
        // The application that the login is for may have a form of its own.
        ("http://localhost:8080", 200),
    ] {
        let request = browser.request(Method::POST, "/login/password");
        let request = with_form(request.header("origin", origin), &form);
        assert_eq!(request.send().await.status, status, "{origin}");
    }
}

#[tokio::test]
async fn people_are_told_of_errors_by_pages() {
    let controller = Harness::start().await;
    let mut browser = Browser::new(&controller);
    let id = browser.begin().await;
    let typed = |kind: &str, body: &str| {
        let request = browser.request(Method::POST, "/login/password");
        request.text(kind, body)
    };
    for (request, status) in [
        (browser.request(Method::GET, "/nothing"), 404),
        (browser.request(Method::POST, "/keys"), 405),
        (
            browser.request(Method::GET, "/end_session?state=a&state=b"),
            400,
        ),
        (typed("text/plain", &format!("id={id}")), 415),
        (typed("application/x-www-form-urlencoded", "id=1&id=2"), 400),
        (
            typed("application/x-www-form-urlencoded", &"x".repeat(2 << 20)),
            413,
        ),
    ] {
        assert_page(&request.send().await, status, "Request refused");
    }
    let reply = request(&controller, Method::GET, "/nothing").send().await;
    assert_eq!(reply.headers["content-type"], "application/json");
}

/// On loopback the application could be anybody's page, and a browser needs no click to send its
/// certificate.
#[tokio::test]
async fn certificates_are_taken_from_pages_of_the_provider_alone() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, chain) = with_certificate(&controller, &admin, "laptop").await;
    // Begun by a program, so that no cookie protects it.
    let flow = Flow::begin(&controller).await;
    let post = |origin: &'static str| {
        let request = request(&controller, Method::POST, "/login/cert").certificates(&chain);
        let request = request.header("sec-fetch-mode", "no-cors");
        let request = request.header("origin", origin);
        with_form(request, &[("id", &*flow.id)]).send()
    };
    assert_eq!(post("http://localhost:8080").await.status, 403);
    assert_eq!(post("https://ctrl.example.test:1280").await.status, 302);
}

#[tokio::test]
async fn programs_get_no_cookies() {
    let controller = Harness::start().await;
    let reply = request(&controller, Method::GET, &authorization(&[]))
        .send()
        .await;
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn request_that_leads_nowhere_is_answered_by_a_page() {
    let controller = Harness::start().await;
    let browser = Browser::new(&controller);
    for replaced in [
        [("redirect_uri", "https://evil.test/auth/callback")],
        [("client_id", "unknown")],
    ] {
        let reply = browser.load(&authorization(&replaced)).await;
        assert_page(&reply, 400, "Invalid request");
        assert!(!reply.headers.contains_key("location"));
    }
}
