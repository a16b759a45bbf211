//! What comes from others: their licences and sources are those of `deny.toml`, and the page's bill of
//! materials names what is in its modules and nothing else.
#![allow(clippy::disallowed_methods, reason = "asks cargo, reads files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod shared;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What cargo says; first of what is there, so that a machine without a network can ask too.
fn cargo(args: &[&str]) -> String {
    let run = |more: &[&str]| {
        Command::new(env!("CARGO")).current_dir(root()).args(args).arg("--locked").args(more).output().unwrap()
    };
    let mut run_of = run(&["--offline"]);
    if !run_of.status.success() {
        run_of = run(&[]);
    }
    assert!(run_of.status.success(), "{}", String::from_utf8_lossy(&run_of.stderr));
    String::from_utf8(run_of.stdout).unwrap()
}

fn metadata(target: &str, features: &str) -> Value {
    let args = ["metadata", "--format-version=1", "--filter-platform", target, "--features", features];
    serde_json::from_str(&cargo(&args)).unwrap()
}

/// The texts of a list in `deny.toml`.
fn list(name: &str) -> BTreeSet<String> {
    let deny = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let (_, after) = deny.split_once(&format!("\n{name} = [")).unwrap();
    let (items, _) = after.split_once(']').unwrap();
    items.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a licence's expression can be met from the list: `A OR B`, `(A OR B) AND C`.
fn allowed(expression: &str, list: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    expression.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|name| list.contains(name.trim()))
    })
}

#[test]
fn expressions_are_met_by_one_of_each_part() {
    let list: BTreeSet<String> = ["MIT", "Zlib"].map(str::to_owned).into();
    for good in ["MIT", "GPL-3.0 OR MIT", "Apache-2.0/MIT", "(GPL-2.0 OR MIT) AND Zlib"] {
        assert!(allowed(good, &list), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND Unicode-3.0", ""] {
        assert!(!allowed(bad, &list), "{bad}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence_and_source() {
    let (licences, registries) = (list("allow"), list("allow-registry"));
    let mut seen = 0;
    for (target, features) in [("wasm32-unknown-unknown", "web"), ("x86_64-unknown-linux-gnu", "cli")] {
        for package in metadata(target, features)["packages"].as_array().unwrap() {
            let name = package["name"].as_str().unwrap();
            let licence = package["license"].as_str().unwrap_or_default();
            assert!(allowed(licence, &licences), "{name} is under {licence:?}, which deny.toml does not allow");
            let Some(source) = package["source"].as_str() else {
                assert_eq!(name, "oddnode", "only the project itself comes from a path");
                continue;
            };
            let registry = source.strip_prefix("registry+").unwrap_or_default();
            assert!(registries.contains(registry), "{name} comes from {source}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} dependencies were looked at");
}

/// Packages whose licence asks for more than to be named, which is fine for what is never passed on.
const OF_TOOLS: [(&str, &str); 1] = [("node_modules/axe-core", "MPL-2.0")];

#[test]
fn npm_packages_only_test_and_build_under_licences_that_are_known() {
    let lock = std::fs::read_to_string(root().join("tests/browser/package-lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    let licences = list("allow");
    let packages = lock["packages"].as_object().unwrap().iter().filter(|(path, _)| !path.is_empty());
    let mut seen = 0;
    for (path, package) in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        let is_known = allowed(licence, &licences) || OF_TOOLS.contains(&(path.as_str(), licence));
        assert!(is_known, "{path} is under {licence:?}");
        assert_eq!(package["dev"], true, "{path} does more than test and build");
        assert!(package["integrity"].as_str().is_some_and(|sum| sum.starts_with("sha512-")), "{path}");
        seen += 1;
    }
    assert!(seen >= 5, "{seen} packages were looked at");
}

/// `name version` of what cargo itself says is linked into the page's modules.
fn tree() -> BTreeSet<String> {
    let tree = cargo(&[
        "tree",
        "--target=wasm32-unknown-unknown",
        "--features=web",
        "--edges=normal,no-proc-macro",
        "--prefix=none",
        "--format={p}",
    ]);
    let line = |line: &str| {
        let mut words = line.split(' ');
        format!("{} {}", words.next().unwrap(), words.next().unwrap().trim_start_matches('v'))
    };
    tree.lines().filter(|text| !text.is_empty()).map(line).collect()
}

#[test]
fn bill_of_materials_names_what_is_in_the_modules_and_nothing_else() {
    let Ok(run) = Command::new("node").current_dir(root()).args([".ci/sbom.mjs", "-"]).output() else {
        return shared::skipped("no node here");
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let bom: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((bom["bomFormat"].as_str(), bom["specVersion"].as_str()), (Some("CycloneDX"), Some("1.5")));
    let name = |one: &Value| format!("{} {}", one["name"].as_str().unwrap(), one["version"].as_str().unwrap());
    let components = bom["components"].as_array().unwrap();
    let mut named: BTreeSet<String> = components.iter().map(name).collect();
    named.insert(name(&bom["metadata"]["component"]));
    named.retain(|one| !one.starts_with("rust-std "));
    assert_eq!(named, tree());
    // Of what is published, neither the command's nor the tests' crates.
    for absent in ["clap", "resvg", "proptest", "insta", "serde_derive"] {
        assert!(!named.iter().any(|one| one.starts_with(&format!("{absent} "))), "{absent}");
    }
    for one in components {
        assert!(one["licenses"][0]["expression"].as_str().is_some_and(|text| !text.is_empty() && !text.contains('/')));
        let registry = one["purl"].as_str().unwrap().starts_with("pkg:cargo/");
        assert_eq!(registry, one["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64), "{one}");
    }
    let refs: BTreeSet<&str> =
        bom["dependencies"].as_array().unwrap().iter().map(|one| one["ref"].as_str().unwrap()).collect();
    assert_eq!(refs.len(), named.len());
}
