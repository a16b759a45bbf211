//! Work that goes on while other work is done.

use super::client::Failure;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// What was begun at once, and is waited for later.
#[derive(Debug)]
pub struct Begun<T> {
    over: js_sys::Promise,
    place: Rc<RefCell<Option<Result<T, Failure>>>>,
}

impl<T: 'static> Begun<T> {
    /// Begins it.
    pub fn new(what: impl Future<Output = Result<T, Failure>> + 'static) -> Self {
        let place = Rc::new(RefCell::new(None));
        let result = Rc::clone(&place);
        let over = future_to_promise(async move {
            result.replace(Some(what.await));
            Ok(JsValue::UNDEFINED)
        });
        Self { over, place }
    }

    /// What came of it.
    ///
    /// # Errors
    /// It failed, or was given up.
    pub async fn end(self) -> Result<T, Failure> {
        self.over().await;
        // There is no result only where it was given up.
        self.place.take().unwrap_or(Err(Failure::Cancelled))
    }

    /// What came of it, for several who wait.
    ///
    /// # Errors
    /// It failed, or was given up.
    pub async fn same(&self) -> Result<T, Failure>
    where
        T: Clone,
    {
        self.over().await;
        self.place.borrow().clone().unwrap_or(Err(Failure::Cancelled))
    }

    async fn over(&self) {
        // It is never refused.
        let _ = JsFuture::from(self.over.clone()).await;
    }
}
