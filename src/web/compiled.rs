//! The workers' code, fetched and compiled once for all of them.
//!
//! A worker that fetched it itself would hold its bytes until they are compiled, and what the browser has
//! made fast would be gone with the last worker. One that begins after another build lies beside the page would have parts
//! of both.
//!
//! From one visit to a later one a browser keeps what it has made fast along with the very answer that the code came
//! in. So the code is asked for by the name of its build, and the service worker gives its own copy (`www/sw.js`), as it
//! does with what is generated beside it: without a network both are of the page's own build.

use super::intake::answered;
use crate::protocol::COMMIT;
use js_sys::{Promise, WebAssembly};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{AbortController, RequestInit};

/// What Trunk makes of `src/bin/worker.rs`, beside the page.
const MODULE_URL: &str = "./worker_bg.wasm";
/// What wasm-bindgen makes of it.
const GLUE_URL: &str = "./worker.js";

/// The address of a file beside the page: of this build, where that has a name.
fn of_build(file: &str) -> String {
    COMMIT.map_or_else(|| file.to_owned(), |build| format!("{file}?build={build}"))
}

/// The code, on its way or there.
struct Code {
    /// What joins the module to the browser: a script, made with it and of no use to another.
    glue: Promise,
    module: Promise,
    /// Ends the fetch of both.
    fetch: Option<AbortController>,
    is_there: Rc<Cell<bool>>,
}

impl Code {
    fn begin() -> Self {
        let (fetch, how) = (AbortController::new().ok(), RequestInit::new());
        how.set_signal(fetch.as_ref().map(AbortController::signal).as_ref());
        let glue = future_to_promise(text(how.clone()));
        let is_there = Rc::new(Cell::new(false));
        let (joined, said) = (JsFuture::from(glue.clone()), Rc::clone(&is_there));
        let module = future_to_promise(async move {
            let module = compile(how).await?;
            joined.await?;
            said.set(true);
            Ok(module)
        });
        Self { glue, module, fetch, is_there }
    }
}

thread_local! {
    static CODE: RefCell<Option<Code>> = const { RefCell::new(None) };
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
/// It cannot be fetched or compiled, or that was given up; who asks again has it tried again.
pub async fn module() -> Result<JsValue, JsValue> {
    awaited(|code| &code.module).await
}

/// The script that a worker needs beside it. It is there before.
///
/// # Errors
/// As of the module.
pub async fn glue() -> Result<JsValue, JsValue> {
    awaited(|code| &code.glue).await
}

async fn awaited(part: fn(&Code) -> &Promise) -> Result<JsValue, JsValue> {
    let promise = CODE.with_borrow_mut(|code| part(code.get_or_insert_with(Code::begin)).clone());
    let given = JsFuture::from(promise.clone()).await;
    if given.is_err() {
        // Where this was given up, another may be on its way.
        CODE.with_borrow_mut(|code| code.take_if(|code| js_sys::Object::is(part(code), &promise)));
    }
    given
}

/// Has it fetched and compiled anew for the next worker.
pub fn forget() {
    if let Some(fetch) = CODE.take().and_then(|code| code.fetch) {
        fetch.abort();
    }
}

/// Ends its fetch if that is under way, and the wait of all for it: a network that has stalled may never give the rest.
pub fn give_up() {
    if CODE.with_borrow(|code| code.as_ref().is_some_and(|code| !code.is_there.get())) {
        forget();
    }
}

async fn text(how: RequestInit) -> Result<JsValue, JsValue> {
    JsFuture::from(answered(&of_build(GLUE_URL), &how).await?.text()?).await
}

async fn compile(how: RequestInit) -> Result<JsValue, JsValue> {
    let response = answered(&of_build(MODULE_URL), &how).await?;
    let given = Promise::resolve::<JsValue>(response.as_ref());
    let streamed = JsFuture::from(WebAssembly::compile_streaming(&given)).await;
    // Of another type, as some static servers name it, nothing was read yet.
    if streamed.is_ok() || response.body_used() {
        return streamed;
    }
    let bytes = JsFuture::from(response.array_buffer()?).await?;
    JsFuture::from(WebAssembly::compile(&bytes)).await
}
