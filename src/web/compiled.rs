//! The workers' code, fetched and compiled once for all of them.
//!
//! A worker that fetched it itself would hold its bytes until they are compiled, and what the browser has
//! made fast would be gone with the last worker.

use super::dom::window;
use js_sys::{Promise, WebAssembly};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::Response;

/// What Trunk makes of `src/bin/worker.rs`, beside the page.
const WORKER_WASM: &str = "./worker_bg.wasm";

thread_local! {
    /// The module, or its promise.
    static MODULE: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Has it begun, for who is about to give something to read.
pub fn begin() {
    spawn_local(async {
        // Who reads hears of what is wrong.
        let _ = module().await;
    });
}

/// The module, as a worker takes it.
///
/// # Errors
/// It cannot be fetched or compiled; who asks again has it tried again.
pub async fn module() -> Result<JsValue, JsValue> {
    let made = || future_to_promise(compile());
    let promise = MODULE.with_borrow_mut(|module| module.get_or_insert_with(made).clone());
    let module = JsFuture::from(promise).await;
    if module.is_err() {
        forget();
    }
    module
}

/// Has it compiled anew for the next worker.
pub fn forget() {
    MODULE.take();
}

async fn compile() -> Result<JsValue, JsValue> {
    let fetched = || window().fetch_with_str(WORKER_WASM);
    if let Ok(module) = JsFuture::from(WebAssembly::compile_streaming(&fetched())).await {
        return Ok(module);
    }
    // Some static servers name another type.
    let response: Response = JsFuture::from(fetched()).await?.dyn_into()?;
    let bytes = JsFuture::from(response.array_buffer()?).await?;
    JsFuture::from(WebAssembly::compile(&bytes)).await
}
