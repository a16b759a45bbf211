//! A worker's module.

fn main() {
    oddnode::web::start_worker();
}
