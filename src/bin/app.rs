//! The page's module.

fn main() {
    oddnode::web::start_page();
}
