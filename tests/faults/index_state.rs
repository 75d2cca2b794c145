//! The index of `find_near_dups` as files: whether it is whole, and its content without generation numbers.

use flate2::Crc;
use serde_json::Value;

use super::Files;

/// The file that describes an index.
const HEAD: &str = "index.json";

/// Returns the folders with an index, each with its description.
fn indexes(files: &Files) -> impl Iterator<Item = (&str, Value)> {
    let heads =
        files.iter().filter_map(|(name, content)| Some((name.strip_suffix(HEAD)?, content)));
    heads.map(|(folder, content)| (folder, serde_json::from_slice(content).unwrap_or(Value::Null)))
}

/// Fails unless all files of every index exist with the size and checksum that its description states.
pub fn index_violation(files: &Files) -> Result<(), String> {
    for (folder, head) in indexes(files) {
        let stated =
            head["files"].as_array().ok_or_else(|| format!("{folder}{HEAD} is damaged"))?;
        for file in stated {
            let name = format!("{folder}{}", file["name"].as_str().unwrap());
            let content = files.get(&name).ok_or_else(|| format!("{name} is missing"))?;
            let mut crc = Crc::new();
            crc.update(content);
            if file["bytes"] != content.len() || file["crc32"] != crc.sum() {
                return Err(format!("{name} does not belong to its index"));
            }
        }
    }
    Ok(())
}

/// Returns files in which every index has generation 0, without empty lock files. Files that no index describes keep their names.
pub fn canonical(files: &Files) -> Files {
    let is_lock = |name: &str, content: &[u8]| name.ends_with("/lock") && content.is_empty();
    let mut result = files.clone();
    result.retain(|name, content| !is_lock(name, content));
    for (folder, mut head) in indexes(files) {
        let generation = head["generation"].to_string();
        head["generation"] = 0.into();
        for file in head["files"].as_array_mut().into_iter().flatten() {
            let name = file["name"].as_str().unwrap_or_default().to_string();
            let general = name.replace(&format!("-{generation}."), "-0.");
            if let Some(content) = result.remove(&format!("{folder}{name}")) {
                result.insert(format!("{folder}{general}"), content);
            }
            file["name"] = general.into();
        }
        result.insert(format!("{folder}{HEAD}"), head.to_string().into_bytes());
    }
    result
}
