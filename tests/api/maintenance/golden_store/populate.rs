//! A store with records of every kind, in as many states as there are.

use crate::enrollment::ottca::invited;
use crate::entities::auth_policies::policy;
use crate::routers::edge_routers::{add_edge, add_transit};
use crate::routers::enrollment::enroll as enroll_router;
use crate::support::credentials::with_certificate;
use crate::support::idp::{Idp, bearing};
use crate::support::mfa::{advance_clock, begin, enroll as enroll_totp};
use crate::support::third_party::{Authority, add as add_authority, add_unverified};
use crate::support::{create, find_identity_id, ott_enrollment, pending_enrollment, send, text};
use http::Method;
use portcullis_domain::clock::Clock as _;
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::{Value, json};

/// Makes it; answers the controller, and what clients have in their hands.
pub(super) async fn populate() -> (Harness, Value) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let making = Making {
        controller: &controller,
        admin: &admin,
    };
    making.trust().await;
    making.network().await;
    let mut clients = making.people().await;
    making.checks().await;
    making.sessions(text(&clients, "annaSession")).await;
    clients["adminSession"] = json!(admin);
    clients["time"] = json!(controller.clock.now());
    (controller, clients)
}

struct Making<'c> {
    controller: &'c Harness,
    admin: &'c str,
}

impl Making<'_> {
    async fn make(&self, all: &str, body: Value) -> String {
        let reply = send(self.controller, self.admin, (Method::POST, all), &body);
        reply.await.id()
    }

    /// Authorities, signers and policies.
    async fn trust(&self) {
        let (controller, admin) = (self.controller, self.admin);
        let root = Authority::root("root");
        let more = json!({"identityRoles": ["x"], "tags": {"site": "a"}});
        let ca = add_authority(controller, admin, ("verified", &root), more).await;
        let mapped = json!({"externalIdClaim": {
            "location": "COMMON_NAME", "matcher": "PREFIX", "matcherCriteria": "dev-",
            "parser": "SPLIT", "parserCriteria": "-", "index": 1,
        }});
        let other = Authority::root("other");
        add_unverified(controller, admin, ("unverified", &other), mapped).await;
        invited(controller, admin, "invited", &ca).await;

        let idp = Idp::new(controller, "idp");
        let signer = idp
            .register(controller, admin, json!({"tags": {"t": 1}}))
            .await;
        let keys = json!({
            "name": "keys", "issuer": "https://keys.example.test", "audience": "portcullis",
            "enabled": true, "jwksEndpoint": "https://idp.example.test/keys",
            "claimsProperty": "email", "clientId": "cli", "scopes": ["openid", "email"],
            "externalAuthUrl": "https://idp.example.test/auth", "targetToken": "ID",
            "enrollToCertEnabled": true, "enrollToTokenEnabled": true,
            "enrollNameClaimsSelector": "/name", "enrollAttributeClaimsSelector": "/roles",
        });
        self.make("/external-jwt-signers", keys).await;
        let external = json!({"externalId": "ada@x"});
        create(controller, admin, "ada", external).await;
        let request =
            controller.request(Method::POST, "/edge/client/v1/authenticate?method=ext-jwt");
        let token = idp.token(controller, "ada@x");
        bearing(request, &[&token]).send().await.data();

        let mut contractors = policy("contractors");
        contractors["primary"]["extJwt"] = json!({"allowed": true, "allowedSigners": [signer]});
        contractors["secondary"] = json!({"requireTotp": true, "requireExtJwtSigner": signer});
        contractors["tags"] = json!({"t": 1});
        let contractors = self.make("/auth-policies", contractors).await;
        let more = json!({"authPolicyId": contractors, "roleAttributes": ["contractor"]});
        create(controller, admin, "contractor", more).await;
    }

    /// Routers, services, configurations and policies.
    async fn network(&self) {
        let (controller, admin) = (self.controller, self.admin);
        let more = json!({
            "cost": 10, "noTraversal": true, "appData": {"k": "v"}, "roleAttributes": ["gate"],
            "ctrlChanListeners": {"tls:a:1": ["g"]}, "tags": {"t": 1},
        });
        let gate = add_edge(controller, admin, "gate", more).await;
        enroll_router(controller, admin, &gate).await;
        add_edge(controller, admin, "pending", json!({"disabled": true})).await;
        add_edge(
            controller,
            admin,
            "tunneler",
            json!({"isTunnelerEnabled": true}),
        )
        .await;
        add_transit(controller, admin, "transit", json!({"cost": 3})).await;
        let schema = json!({"name": "port", "schema": {
            "type": "object", "properties": {"port": {"type": "integer"}}, "required": ["port"],
        }});
        let kind = self.make("/config-types", schema).await;
        let body = json!({"name": "web", "configTypeId": kind, "data": {"port": 80}});
        let config = self.make("/configs", body).await;
        let body = json!({
            "name": "vault", "encryptionRequired": true, "roleAttributes": ["secret"],
            "configs": [config], "terminatorStrategy": "sticky", "maxIdleTimeMillis": 5000,
            "tags": {"team": "x"},
        });
        let vault = self.make("/services", body).await;
        let body = json!({
            "service": vault, "router": gate, "binding": "transport", "identity": "instance",
            "address": "tcp:localhost:80", "cost": 3, "precedence": "required", "tags": {"x": 1},
        });
        self.make("/terminators", body).await;
        for (all, roles) in [
            ("/edge-router-policies", "identityRoles"),
            ("/service-edge-router-policies", "serviceRoles"),
        ] {
            let body = json!({
                "name": "everywhere", "semantic": "AnyOf", "edgeRouterRoles": ["#all"],
                roles: ["#all"], "tags": {"t": 1},
            });
            self.make(all, body).await;
        }
        for (name, kind) in [("dial", "Dial"), ("bind", "Bind")] {
            let body = json!({
                "name": name, "type": kind, "semantic": "AnyOf", "identityRoles": ["#people"],
                "serviceRoles": [format!("@{vault}"), "#secret"], "postureCheckRoles": [],
            });
            self.make("/service-policies", body).await;
        }
        let body = json!({
            "name": "guarded", "type": "Dial", "semantic": "AllOf", "identityRoles": ["#guests"],
            "serviceRoles": ["#secret"], "postureCheckRoles": ["#strict"],
        });
        self.make("/service-policies", body).await;
    }

    /// Identities with credentials and enrollments of every sort.
    async fn people(&self) -> Value {
        let (controller, admin) = (self.controller, self.admin);
        let people = json!({"roleAttributes": ["people"], "tags": {"desk": 7}});
        let anna = controller.create_user(admin, "anna", people).await;
        let (device_url, recovery) = {
            let begun = begin(controller, &anna).await.1;
            let url = text(&begun, "provisioningUrl").to_owned();
            (url, begun["recoveryCodes"][0].clone())
        };
        let device = crate::support::mfa::Device::scan(&device_url);
        let code = device.code(controller, 0);
        let verified = crate::support::mfa::verify(controller, &anna, &code).await;
        assert_eq!(verified.status, 200, "{}", verified.text());

        let bert = controller.create_user(admin, "bert", json!({})).await;
        begin(controller, &bert).await;
        let guests = json!({"roleAttributes": ["guests"]});
        let carla = controller.create_user(admin, "carla", guests).await;
        enroll_totp(controller, &carla).await;
        let (dora, chain) = with_certificate(controller, admin, "dora").await;
        crate::support::credentials::token_by(controller, &chain).await;
        let disabling = format!("/identities/{dora}/disable");
        let body = json!({"durationMinutes": 30});
        send(controller, admin, (Method::POST, &disabling), &body)
            .await
            .data();

        let reader = json!({"permissions": ["identity.read"], "externalId": "reader@x"});
        create(controller, admin, "reader", reader).await;
        create(controller, admin, "laptop", ott_enrollment()).await;
        let how = json!({"enrollment": {"updb": "erik"}});
        let erik = create(controller, admin, "erik", how).await;
        let erik = pending_enrollment(controller, admin, &erik, "updb").await;
        let services = json!({
            "serviceHostingCosts": {}, "defaultHostingPrecedence": "required",
            "defaultHostingCost": 5, "appData": {"a": "b"}, "isAdmin": true,
        });
        create(controller, admin, "host", services).await;
        advance_clock(controller, 1);
        json!({
            "annaSession": anna, "annaProvisioningUrl": device_url, "annaRecoveryCode": recovery,
            "updbToken": erik["token"],
        })
    }

    /// Posture checks of every type.
    async fn checks(&self) {
        let fingerprint = "aa".repeat(20);
        let signed = json!({
            "osType": "Linux", "path": "/bin/x", "hashes": ["aabb"],
            "signerFingerprints": [fingerprint],
        });
        for (kind, mut body) in [
            (
                "OS",
                json!({"operatingSystems": [{"type": "Linux", "versions": [">=5.0.0"]}]}),
            ),
            ("DOMAIN", json!({"domains": ["a.example.test"]})),
            ("MAC", json!({"macAddresses": ["00:11:22:33:44:55"]})),
            (
                "MFA",
                json!({"timeoutSeconds": 60, "promptOnWake": true, "promptOnUnlock": true}),
            ),
            (
                "PROCESS",
                json!({"process": {
                    "osType": "Windows", "path": "c:\\x", "hashes": ["aabb"],
                    "signerFingerprint": fingerprint,
                }}),
            ),
            (
                "PROCESS_MULTI",
                json!({"semantic": "AllOf", "processes": [signed]}),
            ),
        ] {
            body["typeId"] = json!(kind);
            body["name"] = json!(format!("check {kind}"));
            body["roleAttributes"] = json!(["strict"]);
            self.make("/posture-checks", body).await;
        }
    }

    /// Sessions of services, certificates of sessions, revocations.
    async fn sessions(&self, anna: &str) {
        let controller = self.controller;
        let client = async |path: &str, body: Value| {
            let path = format!("/edge/client/v1{path}");
            let request = controller.request(Method::POST, &path).session(anna);
            request.json(&body).send().await.id()
        };
        let services = controller.request(Method::GET, "/edge/client/v1/services");
        let service = services.session(anna).send().await.data()[0]["id"].clone();
        for kind in ["Dial", "Bind"] {
            client("/sessions", json!({"serviceId": service, "type": kind})).await;
        }
        let csr = json!({"csr": client_key_and_csr().1});
        client("/current-api-session/certificates", csr).await;
        let identity = find_identity_id(controller, self.admin, "bert").await;
        let uuid = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";
        for (id, kind) in [(uuid, "JTI"), (&*identity, "IDENTITY")] {
            let body = json!({"id": id, "type": kind, "tags": {"a": "b"}});
            self.make("/revocations", body).await;
        }
    }
}
