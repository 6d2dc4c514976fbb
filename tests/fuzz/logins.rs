//! Requests of logins by OpenID Connect, within the process: cookies, and the bodies of steps.

use crate::driver::{fuzz, text};
use http::{HeaderValue, Method};
use portcullis_testkit::{Harness, Request};
use tokio::runtime::Runtime;

const AUTHORIZATION: &str = "/authorize?client_id=native&response_type=code&scope=openid\
     &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
     &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback";

fn request<'h>(controller: &'h Harness, method: Method, path: &str) -> Request<'h> {
    let request = controller.request(method, &format!("/oidc{path}"));
    request.header("host", "ctrl.example.test:1280")
}

/// A login that a browser began.
struct Begun {
    /// The path of its page.
    page: String,
    /// Id of the login request.
    id: String,
    /// The cookie as the browser sends it, and its value.
    cookie: String,
    secret: String,
}

async fn begin(controller: &Harness) -> Begun {
    let request = request(controller, Method::GET, AUTHORIZATION);
    let reply = request.header("sec-fetch-mode", "navigate").send().await;
    let header = |name: &str| reply.headers[name].to_str().unwrap().to_owned();
    let location = header("location");
    let cookie = header("set-cookie");
    let cookie = cookie.split(';').next().unwrap();
    Begun {
        page: location.strip_prefix("/oidc").unwrap().to_owned(),
        id: location.split_once('=').unwrap().1.to_owned(),
        secret: cookie.split_once('=').unwrap().1.to_owned(),
        cookie: cookie.to_owned(),
    }
}

#[test]
fn fuzzed_cookies_open_no_login_of_others() {
    let runtime = Runtime::new().unwrap();
    let controller = runtime.block_on(Harness::start());
    let login = runtime.block_on(begin(&controller));
    let cookie = &login.cookie;
    let seeds = [
        cookie.clone(),
        format!("theme=dark; {cookie}; lang=en"),
        cookie.to_uppercase(),
    ];
    let load = |cookie: &str| {
        let request = request(&controller, Method::GET, &login.page);
        let request = request.header("sec-fetch-mode", "navigate");
        runtime.block_on(request.header("cookie", cookie).send())
    };
    assert_eq!(load(&seeds[0]).status, 200);
    assert_eq!(load(&seeds[1]).status, 200);
    fuzz("cookies", seeds.map(String::into_bytes).into(), |input| {
        let line = text(input);
        if HeaderValue::try_from(&line).is_err() {
            return Ok("no header".to_owned());
        }
        let status = load(&line).status;
        if status == 200 && !line.contains(&login.secret) {
            return Err("a login goes on for somebody else".to_owned());
        }
        if status.is_server_error() {
            return Err(format!("it is answered with {status}"));
        }
        Ok(status.to_string())
    });
}

/// Steps are answered, whatever their bodies hold, and none of these is right.
#[test]
fn fuzzed_steps_lead_no_further() {
    const STEPS: [&str; 4] = [
        "/login/password",
        "/login/totp",
        "/login/totp/enroll",
        "/login/totp/enroll/verify",
    ];
    const TYPES: [&str; 2] = ["application/json", "application/x-www-form-urlencoded"];
    let runtime = Runtime::new().unwrap();
    let controller = runtime.block_on(Harness::start());
    let id = runtime.block_on(begin(&controller)).id;
    // Without a password, since verifying one takes long by intention.
    let seeds = [
        format!(
            "{{\"id\":\"{id}\",\"username\":\"x\",\"password\":\"\",\"configTypes\":[\"all\"],\
             \"envInfo\":{{\"os\":\"linux\"}},\"sdkInfo\":{{\"type\":\"t\"}},\"csrPem\":\"-----\"}}"
        ),
        format!("{{\"id\":\"{id}\",\"code\":\"123456\"}}"),
        format!("id={id}&username=x&configTypes=a&configTypes=b&envOs=linux&sdkType=t&csrPem=-"),
        format!("id={id}&code=%20123456&restart=1"),
    ];
    fuzz("steps", seeds.map(String::into_bytes).into(), |input| {
        let sum: usize = input.iter().copied().map(usize::from).sum();
        let (step, content_type) = (
            STEPS[sum % 4],
            TYPES[usize::from(input.first() != Some(&b'{'))],
        );
        let request = request(&controller, Method::POST, step).bytes(content_type, input);
        let reply = runtime.block_on(request.send());
        if !reply.status.is_client_error() {
            return Err(format!("{step} is answered with {}", reply.status));
        }
        let json: serde_json::Value = serde_json::from_slice(&reply.body)
            .map_err(|error| format!("{step}: the refusal is no JSON: {error}"))?;
        Ok(format!("{step} {} {}", reply.status, json["code"]))
    });
}
