//! A parser's helpers: other workers that read members of the archive it unpacks.
//!
//! What they are told goes by way of the page, which hears of a worker that ends.

use super::envelope::Attachments;
use super::worker::post;
use crate::pipeline::ingest::{Call, Hand};
use crate::protocol::{FromWorker, RequestId};
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
pub struct Hands {
    /// Bytes that were sent to it and it has not read; `None`: it is gone.
    sent: RefCell<Vec<Option<usize>>>,
    /// To be called when one of them changes.
    wake: RefCell<Option<Function>>,
    /// Buffers that were read: to fill a new one takes four times as long.
    buffers: RefCell<Vec<ArrayBuffer>>,
}

impl Hands {
    /// So many helpers for one question, none of whom was sent anything.
    pub fn engage(self: &Rc<Self>, request: RequestId, count: usize) -> Vec<Helper> {
        self.sent.replace(vec![Some(0); count]);
        (0..count).map(|hand| Helper { request, hand, calls: Vec::new(), hands: Rc::clone(self) }).collect()
    }

    /// A helper has read so many bytes and gives their buffer back; `None`: it reads no more.
    pub fn eased(&self, hand: usize, bytes: Option<usize>, buffer: Option<&JsValue>) {
        self.buffers.borrow_mut().extend(buffer.and_then(|buffer| buffer.dyn_ref::<ArrayBuffer>()).cloned());
        if let Some(sent) = self.sent.borrow_mut().get_mut(hand) {
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

    /// Lets the page tell what was read meanwhile, and waits where there is too much for a helper.
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

/// Waits until messages that have come were heard: they are heard in order, and this sends one more.
async fn message_let_in() {
    let Ok(channel) = MessageChannel::new() else { return };
    let heard = Promise::new(&mut |heard, _| channel.port1().set_onmessage(Some(&heard)));
    if channel.port2().post_message(&JsValue::NULL).is_ok() {
        let _ = JsFuture::from(heard).await;
    }
    channel.port1().close();
}

/// One helper.
#[derive(Debug)]
pub struct Helper {
    request: RequestId,
    hand: usize,
    /// What it will be told.
    calls: Vec<u8>,
    hands: Rc<Hands>,
}

impl Helper {
    fn sent(&self) -> Option<usize> {
        self.hands.sent.borrow().get(self.hand).copied().flatten()
    }

    /// Sends what it was not told yet, if it has nothing else to do.
    pub fn send_if_idle(&mut self) {
        if self.sent() == Some(0) {
            self.send();
        }
    }

    /// Sends what it was not told yet.
    pub fn send(&mut self) {
        if let Some(Some(sent)) = self.hands.sent.borrow_mut().get_mut(self.hand)
            && !self.calls.is_empty()
        {
            let (request, hand, bytes) = (self.request, self.hand, self.calls.len());
            *sent += bytes;
            let calls = Attachments::handed_over([self.hands.buffer_of(&self.calls).into()]);
            post(&FromWorker::Dealt { request, hand, bytes }, &calls);
        }
        self.calls.clear();
    }
}

impl Hand for Helper {
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
