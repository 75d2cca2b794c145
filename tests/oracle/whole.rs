//! Aligns results of whole collections in memory: the lines of compare_results about pairs, byte for byte.

use std::collections::HashMap;

/// The lines about each document, in order.
struct CollectionLines {
    order: Vec<String>,
    said: HashMap<String, Vec<(String, f64)>>,
}

fn members(group: &str) -> Vec<&str> {
    group.split(['(', ' ', ')']).filter(|name| !name.is_empty()).collect()
}

fn read(text: &str) -> CollectionLines {
    let mut whole = CollectionLines { order: Vec::new(), said: HashMap::new() };
    for line in text.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let head = members(fields[0]);
        for document in &head {
            let mates = head.iter().filter(|mate| *mate != document);
            let mut said: Vec<(String, f64)> =
                mates.map(|mate| (mate.to_string(), 100.0)).collect();
            for found in fields[1..].chunks(2) {
                let value = found[1].parse().unwrap();
                said.extend(members(found[0]).iter().map(|other| (other.to_string(), value)));
            }
            whole.order.push(document.to_string());
            assert!(whole.said.insert(document.to_string(), said).is_none());
        }
    }
    whole
}

/// Everything before the summary.
pub fn compared(sim: &str, ham: &str) -> String {
    let (sims, hams) = (read(sim), read(ham));
    let only_ham = hams.order.iter().filter(|document| !sims.said.contains_key(*document));
    let mut text = String::new();
    for document in sims.order.iter().chain(only_ham) {
        text += &format!("Results for {document}:\n");
        let nothing = Vec::new();
        let sim = sims.said.get(document).unwrap_or(&nothing);
        let ham = hams.said.get(document).unwrap_or(&nothing);
        let value = |said: &[(String, f64)], other: &str| {
            let found = said.iter().rev().find(|(name, _)| name == other);
            found.map_or("-".to_string(), |(_, value)| value.to_string())
        };
        let mut others: Vec<&str> = Vec::new();
        for (other, _) in sim.iter().chain(ham) {
            if !others.contains(&&**other) {
                others.push(other);
            }
        }
        for other in others {
            text += &format!("{other} {} {}\n", value(sim, other), value(ham, other));
        }
    }
    text
}
