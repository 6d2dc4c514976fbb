use portcullis_pki::{KeyType, SigningKey};

use super::*;
use crate::identity::test_files::TestFiles;

/// The first certificate that the router shows to controllers, in PEM.
fn shown(tls: &Tls) -> String {
    let chain = tls.client_chain();
    Certificate::from_der(chain.first().unwrap().to_vec())
        .unwrap()
        .to_pem()
}

#[test]
fn certificates_are_replaced_when_all_files_fit() {
    let files = TestFiles::new();
    let (mut watcher, tls, id) = IdentityWatcher::begin(files.usual()).unwrap();
    assert_eq!(id, "r1");
    let first = shown(&tls);
    watcher.poll();
    assert_eq!(shown(&tls), first);

    // The key comes first, and fits nothing for a while.
    let key = SigningKey::generate(KeyType::P256).unwrap();
    files.write("r1.key", &key.to_pkcs8_pem().unwrap());
    watcher.poll();
    assert_eq!(shown(&tls), first);
    assert!(matches!(watcher.refused, Some((_, false))), "it may go on");
    let renewed = files.client("r1", &key);
    files.write("r1.cert", &renewed);
    watcher.poll();
    assert_eq!(shown(&tls), first);
    files.write("r1.server.cert", &files.server("two.example.test", &key));
    watcher.poll();
    assert_eq!(shown(&tls), renewed);
    assert!(watcher.refused.is_none());
}

#[test]
fn files_that_stay_wrong_are_told_once_and_can_become_right_again() {
    let files = TestFiles::new();
    let (mut watcher, tls, _) = IdentityWatcher::begin(files.usual()).unwrap();
    let first = shown(&tls);
    let server = fs::read_to_string(files.path("r1.server.cert")).unwrap();
    fs::remove_file(files.path("r1.server.cert")).unwrap();
    let mut told = Vec::new();
    for _ in 0..4 {
        watcher.poll();
        told.push(
            watcher
                .refused
                .as_ref()
                .is_some_and(|(_, is_told)| *is_told),
        );
    }
    assert_eq!(told, [false, true, true, true]);
    assert_eq!(shown(&tls), first);
    files.write("r1.server.cert", &server);
    files.write("r1.cert", &files.client("r1", &files.key));
    watcher.poll();
    assert!(watcher.refused.is_none());
    assert_ne!(shown(&tls), first);
}

#[test]
fn certificate_of_another_router_is_refused() {
    let files = TestFiles::new();
    let (mut watcher, tls, _) = IdentityWatcher::begin(files.usual()).unwrap();
    let first = shown(&tls);
    files.write("r1.cert", &files.client("r2", &files.key));
    let error = watcher.replace().unwrap_err();
    assert!(
        error.to_string().contains("another router, `r2`"),
        "{error}"
    );
    watcher.reload();
    assert_eq!(shown(&tls), first);
}

#[tokio::test]
async fn operator_need_not_wait_for_the_next_look() {
    let files = TestFiles::new();
    let (watcher, tls, _) = IdentityWatcher::begin(files.usual()).unwrap();
    let (reload, stop) = (Reload::default(), CancellationToken::new());
    let running = tokio::spawn(watcher.run(reload.clone(), stop.clone()));
    let renewed = files.client("r1", &files.key);
    files.write("r1.cert", &renewed);
    reload.request();
    tokio::time::timeout(INTERVAL, async {
        while shown(&tls) != renewed {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    stop.cancel();
    running.await.unwrap();
}
