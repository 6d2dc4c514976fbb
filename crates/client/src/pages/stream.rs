//! Lists as streams.

use super::Pages;
use crate::error::ClientError;
use futures_core::Stream;
use portcullis_api::envelope::ListEnvelope;
use std::fmt;
use std::future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

/// The entities of a list, whose pages are fetched as they are needed: while nobody asks for the next
/// entity, no request is sent. It ends after the first error.
///
/// It is a [`Stream`], for the combinators of `futures`; [`EntityStream::try_next`] does without them.
pub struct EntityStream<T> {
    page: vec::IntoIter<T>,
    rest: Rest<T>,
}

/// What is left of the list after the present page.
enum Rest<T> {
    Pages(Box<Pages<T>>),
    Fetching(PageFetch<T>),
    Nothing,
}

/// A page that is being fetched, and then the pages after it.
type PageFetch<T> = Pin<
    Box<dyn Future<Output = (Result<Option<ListEnvelope<T>>, ClientError>, Box<Pages<T>>)> + Send>,
>;

impl<T> EntityStream<T> {
    pub(super) fn new(pages: Pages<T>) -> Self {
        Self {
            page: Vec::new().into_iter(),
            rest: Rest::Pages(Box::new(pages)),
        }
    }
}

/// No entity is pinned.
impl<T> Unpin for EntityStream<T> {}

impl<T: Send + 'static> EntityStream<T> {
    /// The next entity; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`Pages::next`].
    pub async fn try_next(&mut self) -> Result<Option<T>, ClientError> {
        let next = future::poll_fn(|context| Pin::new(&mut *self).poll_next(context));
        next.await.transpose()
    }

    /// All entities that are left.
    ///
    /// # Errors
    ///
    /// Those of [`Pages::next`].
    pub async fn try_collect(mut self) -> Result<Vec<T>, ClientError> {
        let mut entities = Vec::new();
        while let Some(entity) = self.try_next().await? {
            entities.push(entity);
        }
        Ok(entities)
    }
}

impl<T: Send + 'static> Stream for EntityStream<T> {
    type Item = Result<T, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(entity) = self.page.next() {
                return Poll::Ready(Some(Ok(entity)));
            }
            let mut fetch = match std::mem::replace(&mut self.rest, Rest::Nothing) {
                Rest::Pages(mut pages) => Box::pin(async move { (pages.next().await, pages) }),
                Rest::Fetching(fetch) => fetch,
                Rest::Nothing => return Poll::Ready(None),
            };
            let Poll::Ready((page, pages)) = fetch.as_mut().poll(context) else {
                self.rest = Rest::Fetching(fetch);
                return Poll::Pending;
            };
            match page {
                Ok(Some(page)) => {
                    self.page = page.data.into_iter();
                    self.rest = Rest::Pages(pages);
                },
                Ok(None) => {},
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl<T> fmt::Debug for EntityStream<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EntityStream")
            .field("fetched", &self.page.len())
            .finish_non_exhaustive()
    }
}
