//! A parser's helpers: other workers that read members of the archive it unpacks.
//!
//! Members go to them by way of the page, which learns of a worker that ends.

use super::envelope::Attachments;
use super::worker::tell;
use crate::pipeline::ingest::{Call, Helper};
use crate::protocol::News;
use js_sys::{ArrayBuffer, Function, Promise, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// While so many bytes wait for every helper, the parser reads members itself: nearly a tenth of a second's
/// work, so that none runs dry while it reads a log of some megabytes.
pub const BUSY_FROM_BYTES: usize = 8 << 20;
/// While so many bytes wait for one, as those of a long member may, nothing more is unpacked.
const FULL_BYTES: usize = 2 * BUSY_FROM_BYTES;
/// What goes to a helper at a time: one message costs as much as reading 100 kB.
const SENT_BYTES: usize = 2 << 20;
/// Length of a buffer: calls are sent once they are [`SENT_BYTES`], with what was unpacked at once.
const BUFFER_BYTES: usize = SENT_BYTES + (256 << 10);

/// What waits for each helper.
#[derive(Debug, Default)]
pub struct Helpers {
    /// Bytes that were sent to it and not read yet; `None`: it has stopped.
    sent: RefCell<Vec<Option<usize>>>,
    /// To be called when one of them changes.
    wake: RefCell<Option<Function>>,
    /// Buffers that were read: to fill a new one takes four times as long.
    buffers: RefCell<Vec<ArrayBuffer>>,
}

impl Helpers {
    /// So many helpers for one question, to none of whom anything was sent yet.
    pub fn engage(self: &Rc<Self>, count: usize) -> Vec<ToHelper> {
        self.sent.replace(vec![Some(0); count]);
        (0..count).map(|helper| ToHelper { helper, calls: Vec::new(), helpers: Rc::clone(self) }).collect()
    }

    /// A helper has read so many bytes and gives their buffer back; `None`: it has stopped.
    pub fn note_read(&self, helper: usize, bytes: Option<usize>, buffer: Option<&JsValue>) {
        self.buffers.borrow_mut().extend(buffer.and_then(|buffer| buffer.dyn_ref::<ArrayBuffer>()).cloned());
        if let Some(sent) = self.sent.borrow_mut().get_mut(helper) {
            *sent = sent.zip(bytes).map(|(sent, bytes)| sent.saturating_sub(bytes));
        }
        if let Some(wake) = self.wake.take() {
            let _ = wake.call0(&JsValue::NULL);
        }
    }

    /// Calls as the head of a buffer.
    fn buffer_of(&self, calls: &[u8]) -> ArrayBuffer {
        let spare = self.buffers.borrow_mut().pop().filter(|buffer| buffer.byte_length() as usize >= calls.len());
        let buffer = spare.unwrap_or_else(|| ArrayBuffer::new(calls.len().max(BUFFER_BYTES) as u32));
        Uint8Array::new_with_byte_offset_and_length(&buffer, 0, calls.len() as u32).copy_from(calls);
        buffer
    }

    /// Lets messages in that say what was read meanwhile, and waits where too much is on its way to a helper.
    pub async fn room(&self) {
        if self.sent.borrow().is_empty() {
            return;
        }
        message_let_in().await;
        while self.sent.borrow().iter().flatten().any(|sent| *sent >= FULL_BYTES) {
            let woken = Promise::new(&mut |wake, _| {
                self.wake.replace(Some(wake));
            });
            // It is only ever resolved.
            let _ = JsFuture::from(woken).await;
        }
    }
}

/// Waits until the messages that have come were handled: it sends one more, which comes after them.
async fn message_let_in() {
    let Ok(channel) = MessageChannel::new() else { return };
    let handled = Promise::new(&mut |handled, _| channel.port1().set_onmessage(Some(&handled)));
    if channel.port2().post_message(&JsValue::NULL).is_ok() {
        let _ = JsFuture::from(handled).await;
    }
    channel.port1().close();
}

/// The way to one helper.
#[derive(Debug)]
pub struct ToHelper {
    helper: usize,
    /// What will be sent to it.
    calls: Vec<u8>,
    helpers: Rc<Helpers>,
}

impl ToHelper {
    fn sent(&self) -> Option<usize> {
        self.helpers.sent.borrow().get(self.helper).copied().flatten()
    }

    /// Sends what has gathered, if it has nothing else to do.
    pub fn send_if_idle(&mut self) {
        if self.sent() == Some(0) {
            self.send();
        }
    }

    /// Sends what has gathered.
    pub fn send(&mut self) {
        if let Some(Some(sent)) = self.helpers.sent.borrow_mut().get_mut(self.helper)
            && !self.calls.is_empty()
        {
            let (helper, bytes) = (self.helper, self.calls.len());
            *sent += bytes;
            let calls = Attachments::handed_over([self.helpers.buffer_of(&self.calls).into()]);
            tell(News::Dealt { helper, bytes }, &calls);
        }
        self.calls.clear();
    }
}

impl Helper for ToHelper {
    fn waits(&self) -> usize {
        self.sent().map_or(usize::MAX, |sent| sent + self.calls.len())
    }

    fn call(&mut self, call: Call<'_>) {
        call.write(&mut self.calls);
        if self.calls.len() >= SENT_BYTES {
            self.send();
        }
    }
}
