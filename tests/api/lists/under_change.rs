//! Lists while others create, rename and delete what they are about.

use crate::support::lists::{list, pagination};
use crate::support::{create, modify_store, text};
use http::Method;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, IDENTITY, UniqueIndex, UniqueValue};
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long lists are asked for while others change them.
const WHILE: Duration = Duration::from_secs(3);

/// Identities that are there all the time.
const STEADY: usize = 40;

/// Creates, renames and deletes; answers what was left.
async fn churn(
    controller: Arc<Harness>,
    admin: String,
    worker: usize,
    goes_on: Arc<AtomicBool>,
) -> Vec<String> {
    let mut own = Vec::new();
    for number in 0.. {
        if !goes_on.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("busy {worker} {number:05}");
        let attributes = if number % 2 == 0 {
            json!(["even"])
        } else {
            json!([])
        };
        let more = json!({
            "roleAttributes": attributes, "tags": {"even": number % 2 == 0},
            "enrollment": {"ott": number % 3 == 0},
        });
        own.push(create(&controller, &admin, &name, more).await);
        let place = number * 7 % own.len();
        let path = format!("/identities/{}", own[place]);
        let request = match number % 3 {
            0 => controller.manage(Method::DELETE, &path, &admin),
            // In and out of what the lists ask for.
            1 => {
                let name = format!("idle {worker} {number:05}");
                let request = controller.manage(Method::PATCH, &path, &admin);
                request.json(&json!({"name": name, "roleAttributes": ["even"]}))
            },
            _ => {
                let tags = json!({"roleAttributes": [], "tags": {"even": false}});
                controller.manage(Method::PATCH, &path, &admin).json(&tags)
            },
        };
        let reply = request.send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        if number % 3 == 0 {
            own.swap_remove(place);
        }
        // So that there is always something left to delete, and never too much.
        while own.len() > 60 {
            let path = format!("/identities/{}", own.swap_remove(0));
            let request = controller.manage(Method::DELETE, &path, &admin);
            assert_eq!(request.send().await.status, 200);
        }
    }
    own
}

struct Question {
    path: &'static str,
    filter: &'static str,
    sort: &'static str,
    /// What every row of the answer has to be.
    is_meant: fn(&Value) -> bool,
    /// What the rows are sorted by, if their order can be seen in themselves.
    key: fn(&Value) -> Value,
    /// Rows that are always among those that match.
    steady: usize,
}

fn has_even(row: &Value) -> bool {
    row["roleAttributes"]
        .as_array()
        .unwrap()
        .contains(&json!("even"))
}

fn begins(row: &Value, word: &str) -> bool {
    text(row, "name").starts_with(word)
}

const QUESTIONS: &[Question] = &[
    // Orders and columns of the catalog.
    Question {
        path: "/identities",
        filter: "true",
        sort: "id",
        is_meant: |_row| true,
        key: |row| row["id"].clone(),
        steady: STEADY,
    },
    Question {
        path: "/identities",
        filter: r#"name contains "busy""#,
        sort: "name",
        is_meant: |row| begins(row, "busy"),
        key: |row| row["name"].clone(),
        steady: 0,
    },
    Question {
        path: "/identities",
        filter: r#"anyOf(roleAttributes) = "even""#,
        sort: "id",
        is_meant: has_even,
        key: |row| row["id"].clone(),
        steady: STEADY,
    },
    Question {
        path: "/identities",
        filter: r#"name >= "idle" and name < "zzz""#,
        sort: "name",
        is_meant: |row| begins(row, "idle") || begins(row, "steady"),
        key: |row| row["name"].clone(),
        steady: STEADY,
    },
    // What only records tell.
    Question {
        path: "/identities",
        filter: "tags.even",
        sort: "id",
        is_meant: |row| row["tags"]["even"] == true,
        key: |row| row["id"].clone(),
        steady: STEADY,
    },
    Question {
        path: "/identities",
        filter: r#"tags.even and not (name contains "idle")"#,
        sort: "externalId, id",
        is_meant: |row| row["tags"]["even"] == true && !begins(row, "idle"),
        key: |row| row["id"].clone(),
        steady: STEADY,
    },
    Question {
        path: "/enrollments",
        filter: "true",
        sort: "id",
        is_meant: |row| row["identity"]["name"].is_string(),
        key: |row| row["id"].clone(),
        steady: STEADY,
    },
];

/// Checks an answer by itself: it may be of any moment, but of a sound one.
fn check(question: &Question, limit: &str, reply: &Reply) {
    let what = format!("{} {} {limit}", question.path, question.filter);
    assert_eq!(reply.status, 200, "{what}: {}", reply.text());
    let data = reply.data();
    let rows = data.as_array().unwrap();
    let ids: BTreeSet<_> = rows.iter().map(|row| text(row, "id")).collect();
    assert_eq!(ids.len(), rows.len(), "{what}: one was shown twice");
    for row in rows {
        assert!((question.is_meant)(row), "{what}: {row}");
    }
    // A renamed one stands where its old name put it; ids never change.
    if question.sort.ends_with("id") {
        let keys = rows.iter().map(question.key).map(|key| key.to_string());
        assert!(keys.is_sorted(), "{what}");
    }
    let total = pagination(reply).2.as_u64().unwrap();
    assert!(total >= question.steady as u64, "{what}: {total}");
    match limit.parse::<usize>() {
        // What goes away while the page is read is made up for by what follows.
        Ok(limit) => {
            assert!(rows.len() <= limit, "{what}");
            let due = question.steady.min(limit);
            assert!(rows.len() >= due, "{what}: {} of {due}", rows.len());
        },
        Err(_unlimited) => {
            let steady = rows.iter().filter(|row| {
                let name = row["identity"].get("name").unwrap_or(&row["name"]);
                name.as_str().unwrap().starts_with("steady")
            });
            assert_eq!(steady.count(), question.steady, "{what}: none is missing");
        },
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lists_are_sound_while_others_change_them() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    for number in 0..STEADY {
        let more = json!({
            "roleAttributes": ["even"], "tags": {"even": true}, "enrollment": {"ott": true},
        });
        create(&controller, &admin, &format!("steady {number:03}"), more).await;
    }
    let goes_on = Arc::new(AtomicBool::new(true));
    let workers: Vec<_> = (0..8)
        .map(|worker| {
            let (controller, admin) = (controller.clone(), admin.clone());
            tokio::spawn(churn(controller, admin, worker, goes_on.clone()))
        })
        .collect();
    let begun = Instant::now();
    let mut asked = 0;
    while begun.elapsed() < WHILE {
        for question in QUESTIONS {
            for limit in ["7", "30", "none"] {
                let mut filter = question.filter.to_owned();
                let mut parameters = vec![("sort", question.sort)];
                match limit {
                    "none" => filter.push_str(" limit none"),
                    limit => parameters.push(("limit", limit)),
                }
                parameters.push(("filter", &filter));
                let reply = list(&controller, &admin, question.path, &parameters).await;
                check(question, limit, &reply);
                asked += 1;
            }
        }
    }
    goes_on.store(false, Ordering::Relaxed);
    let mut left = BTreeSet::new();
    for worker in workers {
        left.extend(worker.await.unwrap());
    }
    assert!(asked > 20, "{asked}");

    // When the dust has settled, everything is what it seems.
    let everything = [("limit", "-1")];
    let all = list(&controller, &admin, "/identities", &everything)
        .await
        .data();
    let all = all.as_array().unwrap();
    let busy = all
        .iter()
        .filter(|row| !begins(row, "steady") && !begins(row, "admin"));
    let busy: BTreeSet<_> = busy.map(|row| text(row, "id").to_owned()).collect();
    assert_eq!(busy, left);
    for question in QUESTIONS
        .iter()
        .filter(|question| question.path == "/identities")
    {
        let filter = format!("{} sort by {} limit none", question.filter, question.sort);
        let reply = list(&controller, &admin, "/identities", &[("filter", &filter)]).await;
        let mut expected: Vec<_> = all.iter().filter(|row| (question.is_meant)(row)).collect();
        expected.sort_by_key(|row| (question.key)(row).to_string());
        let given = reply.data();
        assert_eq!(
            given.as_array().unwrap().iter().collect::<Vec<_>>(),
            expected
        );
        assert_eq!(pagination(&reply).2, expected.len());
    }
    let attributes = list(&controller, &admin, "/identity-role-attributes", &[]).await;
    assert_eq!(attributes.data(), json!(["even"]));
}

/// Identities that make a search take a while, and such as go away during it.
const HAYSTACK: usize = 3000;
const GOING: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_gone_or_renamed_is_made_up_for_by_what_follows() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let numbers: Vec<_> = (0..HAYSTACK + GOING)
        .map(|_| controller.engine.allocate(IDENTITY))
        .collect();
    let now = controller.app.env().now();
    modify_store(&controller, move |rows| {
        for (place, number) in numbers.iter().enumerate() {
            let name = match place.checked_sub(GOING) {
                None => format!("a {place:05}"),
                Some(place) => format!("stays {place:05}"),
            };
            let spec = IdentitySpec::named(IdentityName::new(name).unwrap());
            let id = IdentityId::from_wire(format!("i{place:05}"));
            let key = RecordKey::root(IDENTITY, *number);
            rows.insert(&key, &Identity::new(id, spec, now)).unwrap();
        }
    })
    .await;
    let going = {
        let controller = controller.clone();
        tokio::spawn(async move {
            for place in 0..GOING {
                modify_store(&controller, move |rows| {
                    let by_id = UniqueValue::new(UniqueIndex::IdentityId, format!("i{place:05}"));
                    let found: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
                    if place % 2 == 0 {
                        return rows.remove_identity(&found).unwrap();
                    }
                    let mut after = found.entity.clone();
                    after.spec.name = IdentityName::new(format!("other {place}")).unwrap();
                    rows.replace(&found.key, &found.entity, &after).unwrap();
                })
                .await;
            }
        })
    };
    // Slow enough for something to go away between search and page.
    let others = (0..60).map(|number| format!(r#" or name icontains "q{number}q""#));
    let filter = format!(r#"name icontains "A"{}"#, others.collect::<String>());
    let parameters = [("filter", &*filter), ("sort", "name"), ("limit", "20")];
    let mut asked = 0;
    while !going.is_finished() || asked == 0 {
        let reply = list(&controller, &admin, "/identities", &parameters).await;
        let data = reply.data();
        let rows = data.as_array().unwrap();
        assert_eq!(rows.len(), 20, "what is gone leaves no gap");
        assert!(rows.is_sorted_by_key(|row| text(row, "name")));
        assert!(rows.iter().all(|row| text(row, "name").contains('a')));
        asked += 1;
    }
    going.await.unwrap();
    let reply = list(&controller, &admin, "/identities", &parameters).await;
    assert_eq!(text(&reply.data()[0], "name"), "admin");
    assert_eq!(pagination(&reply).2, HAYSTACK + 1);
}
