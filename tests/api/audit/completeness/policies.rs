//! Policies of three kinds, and posture checks of each type.

use super::walk::Walk;
use http::Method;
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-management POST /service-policies",
    "edge-management PUT /service-policies/{id}",
    "edge-management PATCH /service-policies/{id}",
    "edge-management DELETE /service-policies/{id}",
    "edge-management POST /edge-router-policies",
    "edge-management PUT /edge-router-policies/{id}",
    "edge-management PATCH /edge-router-policies/{id}",
    "edge-management DELETE /edge-router-policies/{id}",
    "edge-management POST /service-edge-router-policies",
    "edge-management PUT /service-edge-router-policies/{id}",
    "edge-management PATCH /service-edge-router-policies/{id}",
    "edge-management DELETE /service-edge-router-policies/{id}",
    "edge-management POST /posture-checks",
    "edge-management PUT /posture-checks/{id}",
    "edge-management PATCH /posture-checks/{id}",
    "edge-management DELETE /posture-checks/{id}",
];

#[tokio::test]
async fn policies_are_told() {
    let walk = Walk::start().await;
    let of_routers = |roles: &str| {
        let whole = json!({
            "name": "p", "semantic": "AnyOf", "edgeRouterRoles": ["#all"], roles: ["#a", "#b"],
            "tags": {"t": 1},
        });
        let part = json!({"semantic": "AllOf", roles: ["#b", "#c"], "tags": {"t": 2}});
        [whole, part, json!({"name": "q", "semantic": "AllOf"})]
    };
    let of_services = [
        json!({
            "name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#a"],
            "serviceRoles": ["#b"], "postureCheckRoles": ["#c"], "tags": {"t": 1},
        }),
        json!({"type": "Bind", "postureCheckRoles": [], "serviceRoles": ["#d"]}),
        json!({"name": "q", "type": "Dial", "semantic": "AllOf"}),
    ];
    for (noun, all, bodies) in [
        ("service-policy", "/service-policies", of_services),
        (
            "edge-router-policy",
            "/edge-router-policies",
            of_routers("identityRoles"),
        ),
        (
            "service-edge-router-policy",
            "/service-edge-router-policies",
            of_routers("serviceRoles"),
        ),
    ] {
        live(&walk, (noun, all), &bodies).await;
    }
    for bodies in checks() {
        live(&walk, ("posture-check", "/posture-checks"), &bodies).await;
    }
    walk.finish(CASES);
}

/// Creates something, merges and replaces it, and deletes it.
pub(super) async fn live(walk: &Walk, (noun, all): (&str, &str), bodies: &[Value; 3]) {
    let operation = |verb: &str| format!("{noun}.{verb}");
    let [whole, part, other] = bodies;
    let id = walk.make(all, &operation("create"), whole).await;
    let merging = (Method::PATCH, all, &*id);
    walk.change(merging, &operation("update"), part).await;
    let replacing = (Method::PUT, all, &*id);
    walk.change(replacing, &operation("update"), other).await;
    walk.remove((all, &id), &operation("delete")).await;
}

/// A check of each type, a part to merge into it, and one to put in its place.
fn checks() -> Vec<[Value; 3]> {
    let process = |path: &str, signer: &str| json!({"osType": "Linux", "path": path, "hashes": ["aabb"], "signerFingerprint": signer});
    let signed = |path: &str, signer: &str| json!({"osType": "Linux", "path": path, "hashes": [], "signerFingerprints": [signer]});
    let (one, other) = ("aa".repeat(20), "bb".repeat(20));
    let of = |kind: &str, bodies: [Value; 3]| {
        bodies.map(|mut body| {
            body["typeId"] = json!(kind);
            if body.get("name").is_none() {
                body["name"] = json!("check");
            }
            body
        })
    };
    let system = |name: &str, versions: &[&str]| json!({"type": name, "versions": versions});
    vec![
        of(
            "OS",
            [
                json!({"operatingSystems": [system("Linux", &[">=5.0.0"])], "roleAttributes": ["a"]}),
                json!({"operatingSystems": [
                    system("Linux", &[">=6.0.0"]), system("Windows", &[">=10.0.0"]),
                ]}),
                json!({"operatingSystems": [system("macOS", &[])], "name": "renamed"}),
            ],
        ),
        of(
            "DOMAIN",
            [
                json!({"domains": ["a.example.test"], "tags": {"t": 1}}),
                json!({"domains": ["b.example.test"]}),
                json!({"domains": ["b.example.test", "c.example.test"]}),
            ],
        ),
        of(
            "MAC",
            [
                json!({"macAddresses": ["00:11:22:33:44:55"]}),
                json!({"macAddresses": ["00:11:22:33:44:66"]}),
                json!({"macAddresses": ["001122334455"]}),
            ],
        ),
        of(
            "MFA",
            [
                json!({"timeoutSeconds": 60, "promptOnWake": true}),
                json!({"timeoutSeconds": -1, "promptOnWake": false, "promptOnUnlock": true}),
                json!({"timeoutSeconds": 120, "ignoreLegacyEndpoints": true}),
            ],
        ),
        of(
            "PROCESS",
            [
                json!({"process": process("/bin/x", &one)}),
                json!({"process": process("/bin/y", &other)}),
                json!({"process": {"osType": "Windows", "path": "c:\\x", "hashes": []}}),
            ],
        ),
        of(
            "PROCESS_MULTI",
            [
                json!({"semantic": "AnyOf", "processes": [signed("/bin/x", "aabb")]}),
                json!({"semantic": "AllOf", "processes": [
                    signed("/bin/x", "aabb"), signed("/bin/y", "aabb"),
                ]}),
                json!({"semantic": "AnyOf", "processes": [signed("/bin/y", &one)]}),
            ],
        ),
    ]
}
