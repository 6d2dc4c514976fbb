//! Lists with filters as large and deep as they may be.

use super::{Ground, repeat};
use crate::testbed::request::{self, CLIENT};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 8;
const PAUSE: Duration = Duration::from_millis(200);
/// Terms of one filter: nearly as deep as the language lets them be, and within the longest URI.
const TERMS: usize = 90;
const TERM_LENGTH: usize = 500;
/// Lists on one connection.
const LISTS: usize = 20;

pub(super) fn begin(ground: &Arc<Ground>, tasks: &mut JoinSet<()>) {
    repeat(ground, tasks, (CONNECTIONS, PAUSE), |ground| async move {
        let mut link = ground.endpoint.connect().await?;
        let filter = request::escaped(&filter());
        let path = format!("{CLIENT}/services?limit=500&filter={filter}");
        let request = request::get(&path, Some(&ground.scene.plain));
        for _ in 0..LISTS {
            ground.count();
            link.exchange(&request).await?;
        }
        Ok(())
    });
}

/// Terms that all have to be looked at, since none of them holds.
fn filter() -> String {
    let term = format!(r#"name contains "{}""#, "x".repeat(TERM_LENGTH));
    vec![term; TERMS].join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_fits_into_a_request() {
        let length = request::escaped(&filter()).len();
        assert!((40_000..60_000).contains(&length), "{length}");
    }
}
