//! Tests of the module rules in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules of the library from the bottom up. A module uses only those before it.
const LAYERS: [&str; 26] = [
    "error",
    "random",
    "pool",
    "shard",
    "bits",
    "session",
    "text",
    "vector",
    "signature",
    "search",
    "prints",
    "passages",
    "clusters",
    "evaluate",
    "files",
    "executable",
    "corpus",
    "page",
    "ngrams",
    "chain",
    "near_dups",
    "methods",
    "sections",
    "alignment",
    "experiment",
    "cli",
];

/// A source file of the library without its unit tests and comments.
struct Source {
    path: PathBuf,
    module: String,
    code: String,
}

/// Returns all source files of the library except test modules.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib");
    let mut found = Vec::new();
    collect(&root, &root, &mut found);
    assert!(found.len() > 100, "only {} source files in {}", found.len(), root.display());
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if matches!(name, "tests" | "testing" | "lib") {
            continue;
        } else if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).unwrap().with_extension("");
            let module = relative.iter().next().unwrap().to_str().unwrap().to_string();
            let code = without_tests(&std::fs::read_to_string(&path).unwrap());
            found.push(Source { path, module, code });
        }
    }
}

/// Returns code up to its inline test module, without line comments.
fn without_tests(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let plain = |line: &str| line.split("//").next().unwrap().to_string();
    code.lines().map(plain).collect::<Vec<_>>().join("\n")
}

/// Returns the identifiers that follow `prefix` in some code.
fn identifiers_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let identifier = |rest: &'a str| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    };
    code.split(prefix).skip(1).map(identifier).collect()
}

#[test]
fn modules_use_only_lower_layers() {
    let level: BTreeMap<&str, usize> =
        LAYERS.iter().enumerate().map(|(level, module)| (*module, level)).collect();
    let mut wrong = Vec::new();
    for Source { path, module, code } in sources() {
        let own = *level.get(&*module).unwrap_or_else(|| panic!("{module} is not in LAYERS"));
        for used in identifiers_after(&code, "crate::") {
            if level.get(used).is_some_and(|used| *used > own) {
                wrong.push(format!("{}: {module} uses {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_is_in_bits_and_the_process() {
    let allowed =
        |source: &Source| source.module == "bits" || source.path.ends_with("cli/process.rs");
    let wrong: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|source| !allowed(source))
        .filter(|source| {
            let mut words = source.code.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == "unsafe")
        })
        .map(|source| source.path)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A map of a file that another process truncates ends the executable.
#[test]
fn no_file_is_mapped() {
    for Source { path, code, .. } in sources() {
        let maps = code.matches("Mmap").count() - code.matches("MmapMut").count();
        assert!(maps == 0 && !code.contains("map_mut"), "{}", path.display());
    }
}

#[test]
fn only_one_module_changes_the_file_system() {
    let changes = [
        "fs::rename",
        "fs::remove",
        "fs::create_dir",
        "fs::write",
        "fs::copy",
        "fs::hard_link",
        "OpenOptions",
        " File::create",
        "File::options",
    ];
    for Source { path, code, .. } in sources() {
        let change = changes.iter().find(|change| code.contains(**change));
        let is_allowed = change.is_none() || path.ends_with("files/disk.rs");
        assert!(is_allowed, "{}: {change:?}", path.display());
    }
}

#[test]
fn only_cli_reads_the_environment() {
    for Source { path, module, code } in sources() {
        let reads = code.contains("env::var") || code.contains("env::args");
        assert!(module == "cli" || !reads, "{}", path.display());
    }
}

#[test]
fn public_type_names_are_unique() {
    let mut seen: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for Source { path, code, .. } in sources() {
        for kind in ["\npub struct ", "\npub enum ", "\npub trait ", "\npub type "] {
            for name in identifiers_after(&code, kind) {
                seen.entry(name.to_string()).or_default().insert(path.clone());
            }
        }
    }
    assert!(seen.len() > 50, "only {} public types", seen.len());
    seen.retain(|_, paths| paths.len() > 1);
    assert!(seen.is_empty(), "{seen:#?}");
}

#[test]
fn architecture_names_every_module() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    for module in LAYERS {
        assert!(page.contains(&format!("`{module}`")), "{module}");
    }
}
