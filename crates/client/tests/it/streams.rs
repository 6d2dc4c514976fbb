//! Lists as streams: fetched when needed, each entity once.

use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::envelope::{ListEnvelope, ListMeta, Pagination};
use portcullis_client::{ClientError, ListQuery, Pages};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn config_type(number: usize) -> ConfigTypeDetail {
    let config_type = json!({
        "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
        "updatedAt": "2031-04-05T06:07:08.009Z", "id": format!("{number:06}"), "name": "n",
        "schema": {},
    });
    serde_json::from_value(config_type).unwrap()
}

/// A list of so many, with a count of the pages that were fetched. The page `broken` fails.
fn list(total: usize, broken: usize) -> (Pages<ConfigTypeDetail>, Arc<AtomicUsize>) {
    let fetched = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&fetched);
    let fetch = move |query: ListQuery| {
        let page = counter.fetch_add(1, Ordering::Relaxed);
        async move {
            if page == broken {
                return Err(ClientError::InvalidRequest("broken".to_owned()));
            }
            let filter = query.filter.unwrap_or_default();
            let begin = filter
                .split('"')
                .nth(1)
                .map_or(0, |after| after.parse::<usize>().unwrap() + 1);
            let limit = query.limit.unwrap();
            let end = total.min(begin + usize::try_from(limit).unwrap());
            let pagination = Pagination {
                limit,
                offset: 0,
                total_count: i64::try_from(total - begin).unwrap(),
            };
            Ok(ListEnvelope {
                data: (begin..end).map(config_type).collect(),
                meta: ListMeta {
                    filterable_fields: Vec::new(),
                    pagination,
                },
            })
        }
    };
    (
        Pages::new(
            fetch,
            |entity| entity.base.id.as_str(),
            ListQuery::default(),
        ),
        fetched,
    )
}

#[tokio::test]
async fn every_entity_comes_once() {
    for total in [0, 1, 499, 500, 1200] {
        let (pages, _) = list(total, usize::MAX);
        let all = pages.into_stream().try_collect().await.unwrap();
        let ids: Vec<_> = all
            .iter()
            .map(|entity| entity.base.id.to_string())
            .collect();
        let expected: Vec<_> = (0..total).map(|number| format!("{number:06}")).collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn no_page_is_fetched_before_it_is_needed() {
    let (pages, fetched) = list(1200, usize::MAX);
    let mut stream = pages.into_stream();
    assert_eq!(fetched.load(Ordering::Relaxed), 0);
    for _ in 0..499 {
        stream.try_next().await.unwrap().unwrap();
    }
    assert_eq!(fetched.load(Ordering::Relaxed), 1);
    stream.try_next().await.unwrap().unwrap();
    assert_eq!(fetched.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn stream_ends_after_an_error() {
    let (pages, _) = list(1200, 1);
    let mut stream = pages.into_stream();
    let mut seen = 0;
    let error = loop {
        match stream.try_next().await {
            Ok(entity) => seen += usize::from(entity.is_some()),
            Err(error) => break error,
        }
    };
    assert_eq!((seen, error.to_string().contains("broken")), (499, true));
    assert!(stream.try_next().await.unwrap().is_none());
}
