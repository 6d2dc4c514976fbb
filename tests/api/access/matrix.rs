//! Who may call which operation.
//!
//! The matrix is made from the table of routes, by asking as each kind of caller. It must be what
//! the demands of the routes say, and it must be what stands, reviewed, in `matrix.txt`. Run with
//! `PORTCULLIS_BLESS=1` to write that file anew.

use crate::entities::auth_policies::policy;
use crate::support::{STRICT, add_strict_policy, create, merge};
use http::Method;
use portcullis_domain::access::Access;
use portcullis_domain::permission::Permission;
use portcullis_http::path::Api;
use portcullis_http::route::Route;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// A caller: how the file names it, and its token.
struct Caller {
    label: String,
    token: Option<String>,
    standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Stranger,
    Partial,
    User(Option<Permission>),
    Admin,
}

impl Standing {
    fn may(self, access: Access) -> bool {
        let permission = match self {
            Self::Stranger => return access == Access::Public,
            Self::Partial => return matches!(access, Access::Public | Access::Partial),
            Self::Admin => return true,
            Self::User(permission) => permission,
        };
        match access {
            Access::Public | Access::Partial | Access::Full => true,
            Access::Admin => false,
            Access::AdminOrReadOnly => permission == Some(Permission::AdminReadOnly),
            Access::GrantedExplicitly(subject, verb) => match permission {
                Some(Permission::All(given)) => given == subject,
                Some(Permission::One(given, only)) => (given, only) == (subject, verb),
                None | Some(Permission::AdminReadOnly) => false,
            },
            Access::GrantedWhole(subject) => permission == Some(Permission::All(subject)),
            Access::Granted(subject, verb) => match permission {
                None => false,
                Some(Permission::AdminReadOnly) => verb.name() == "read",
                Some(Permission::All(given)) => given == subject,
                Some(Permission::One(given, only)) => (given, only) == (subject, verb),
            },
        }
    }
}

/// The permissions about subjects that some route is about, and one that is about none.
fn permissions(routes: &[Route]) -> Vec<Permission> {
    let subjects: BTreeSet<_> = routes
        .iter()
        .filter_map(|route| match route.access {
            Access::Granted(subject, _) => Some(subject),
            _ => None,
        })
        .collect();
    Permission::grantable()
        .filter(|permission| match permission {
            Permission::AdminReadOnly => true,
            Permission::All(subject) | Permission::One(subject, _) => {
                subjects.contains(subject) || permission.to_string() == "terminator"
            },
        })
        .collect()
}

async fn callers(controller: &Harness, admin: &str) -> Vec<Caller> {
    add_strict_policy(controller).await;
    let caller = |label: &str, token: Option<String>, standing| Caller {
        label: label.to_owned(),
        token,
        standing,
    };
    let unknown = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee".to_owned();
    let mut callers = vec![
        caller("nobody", None, Standing::Stranger),
        caller("unknown token", Some(unknown), Standing::Stranger),
    ];
    let half = json!({"authPolicyId": STRICT});
    let token = controller.create_user(admin, "half", half).await;
    callers.push(caller("partial", Some(token), Standing::Partial));
    let half = json!({"authPolicyId": STRICT, "permissions": ["identity", "admin_readonly"]});
    let token = controller
        .create_user(admin, "half with permissions", half)
        .await;
    callers.push(caller(
        "partial with permissions",
        Some(token),
        Standing::Partial,
    ));
    let half = json!({"authPolicyId": STRICT, "isAdmin": true});
    let token = controller.create_user(admin, "half admin", half).await;
    callers.push(caller("partial admin", Some(token), Standing::Partial));
    let token = controller.create_user(admin, "user", json!({})).await;
    callers.push(caller("user", Some(token), Standing::User(None)));
    for permission in permissions(controller.table().routes()) {
        let name = permission.to_string();
        let more = json!({"permissions": [name]});
        let token = controller
            .create_user(admin, &format!("with {name}"), more)
            .await;
        callers.push(caller(&name, Some(token), Standing::User(Some(permission))));
    }
    let token = controller
        .create_user(admin, "appointed", json!({"isAdmin": true}))
        .await;
    callers.push(caller("appointed admin", Some(token), Standing::Admin));
    callers.push(caller("admin", Some(admin.to_owned()), Standing::Admin));
    callers
}

/// A body that no route can find fault with before it has judged the caller.
pub(crate) fn body(method: &Method, path: &str, number: usize) -> Value {
    if path.ends_with("/service-configs") {
        return json!([]);
    }
    if path.ends_with("/posture-response-bulk") {
        return json!([{"id": "nope", "typeId": "ENDPOINT_STATE", "woken": true}]);
    }
    // What a posture check is of, also when it is changed, and what is reported for one.
    let type_id = if path.starts_with("/posture-response") {
        "ENDPOINT_STATE"
    } else {
        "MFA"
    };
    if *method == Method::PATCH {
        // Some members are for administrators only.
        return json!({
            "tags": {"number": number}, "currentPassword": "not-the-right-one", "typeId": type_id,
        });
    }
    let kind = match path.split('/').nth(1) {
        Some("service-policies" | "sessions") => "Dial",
        Some("revocations") => "IDENTITY",
        _ => "Default",
    };
    // Each kind has methods of its own.
    let method = if path == "/authenticators" {
        "updb"
    } else {
        "ott"
    };
    let mut body = policy(&format!("made {number}"));
    let of_identities = json!({
        "type": kind, "isAdmin": false, "durationMinutes": 1, "identityId": "nope", "method": method,
        "expiresAt": "2040-01-01T00:00:00Z",
        "username": format!("user-{number}"), "password": "secret-1", "currentPassword": "secret-2",
        "code": "nope", "rollKeys": true, "clientCertCsr": "nope", "clientCert": "nope", "csr": "nope",
        "certPem": "nope", "isAutoCaEnrollmentEnabled": false, "isOttCaEnrollmentEnabled": false,
        "isAuthEnabled": false, "identityRoles": [], "identityNameFormat": "[caName]",
        "enabled": false, "issuer": format!("issuer-{number}"), "audience": "a",
        "jwksEndpoint": "https://keys.example.test/",
    });
    let of_services = json!({
        "typeId": type_id, "id": "nope", "woken": false, "unlocked": false,
        "configTypeId": "nope", "data": {}, "encryptionRequired": true, "semantic": "AnyOf",
        "serviceId": "nope", "certCsr": "nope", "serverCertCsr": "nope",
        "cost": 0, "noTraversal": false, "fingerprint": "", "appRegex": ".*", "requestedValues": [],
        "isVoter": true, "address": "tcp:localhost:80", "binding": "transport", "router": "nope", "service": "nope",
    });
    merge(&mut body, of_identities);
    merge(&mut body, of_services);
    body
}

async fn ask(
    controller: &Harness,
    (api, route): (Api, &Route),
    caller: &Caller,
    (target, number): (&str, usize),
) -> Reply {
    // Some rules are about the identity that is there; nothing else needs to be.
    let id = if route.method == Method::PUT {
        target
    } else {
        "nope"
    };
    let path = format!(
        "{}{}",
        api.base_path(),
        route.path.replace("{id}", id).replace("{*path}", "nope")
    );
    let mut request = controller.request(route.method.clone(), &path);
    if let Some(token) = &caller.token {
        request = request.session(token);
    }
    if matches!(route.method, Method::POST | Method::PUT | Method::PATCH) {
        request = request.json(&body(&route.method, route.path, number));
    }
    request.send().await
}

#[tokio::test]
async fn every_caller_reaches_what_it_may_and_nothing_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let callers = callers(&controller, &admin).await;
    let target = create(&controller, &admin, "target", json!({})).await;
    let mut lines = Vec::new();
    let mut number = 0;
    // Logging out comes last: it ends the sessions that everything else is asked with.
    let mut routes: Vec<_> = controller.table().routes().iter().collect();
    routes.sort_by_key(|route| {
        (
            route.method == Method::DELETE,
            route.path == "/current-api-session",
        )
    });
    for route in routes {
        let ends_session = route.method == Method::DELETE && route.path == "/current-api-session";
        for &api in route.apis {
            if ends_session && api == Api::Management {
                continue;
            }
            let mut allowed = Vec::new();
            for caller in &callers {
                number += 1;
                let reply = ask(&controller, (api, route), caller, (&target, number)).await;
                let what = format!("{} {api:?} {route:?}: {}", caller.label, reply.text());
                let may = caller.standing.may(route.access);
                if route.path == "/enroll/extend/router" {
                    // Whoever asks shows the certificate of a router instead of a session.
                    assert_eq!(reply.status, 401, "{what}");
                    allowed.push(caller.label.as_str());
                    continue;
                }
                // Only an administrator may replace an identity, whatever else permission covers.
                let is_by_rule = (&route.method, route.path) == (&Method::PUT, "/identities/{id}")
                    && caller.standing != Standing::Admin;
                if may && !is_by_rule {
                    assert_ne!(reply.status, 401, "{what}");
                    let status = reply.status.as_u16();
                    assert!(status < 500 || status == 501, "{what}");
                    assert_eq!(status == 501, !route.is_implemented, "{what}");
                    allowed.push(caller.label.as_str());
                } else {
                    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{what}");
                    let is_challenged = reply.headers.contains_key("www-authenticate");
                    let is_stranger = caller.standing == Standing::Stranger;
                    assert_eq!(is_challenged, is_stranger, "{what}");
                }
            }
            lines.push(line(api, route, &callers, &allowed));
        }
    }
    lines.sort();
    compare(&lines.concat());
}

fn line(api: Api, route: &Route, callers: &[Caller], allowed: &[&str]) -> String {
    let among = |admitted: fn(Standing) -> bool| {
        let all = callers.iter().filter(|caller| admitted(caller.standing));
        all.map(|caller| caller.label.as_str())
            .eq(allowed.iter().copied())
    };
    let who = if among(|_| true) {
        "everybody".to_owned()
    } else if among(|standing| standing != Standing::Stranger) {
        "every session".to_owned()
    } else if among(|standing| !matches!(standing, Standing::Stranger | Standing::Partial)) {
        "every full session".to_owned()
    } else {
        allowed.join(", ")
    };
    let (name, path, method) = (api.binding(), route.path, &route.method);
    format!("{name} {path} {method}: {who}\n")
}

fn compare(actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("api/access/matrix.txt");
    if std::env::var_os("PORTCULLIS_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        actual,
        reviewed,
        "the matrix differs from {}",
        path.display()
    );
}
