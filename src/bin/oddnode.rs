//! The native command.

fn main() -> std::process::ExitCode {
    oddnode::cli::main()
}
