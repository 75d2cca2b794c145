#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nearsig_fuzz::run("ngrams", data));
