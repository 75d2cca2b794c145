"""Speed of reading by input format: the same documents in every form, through find_near_dups.

usage: python -m bench.formats SAMPLE WORK RESULTS [COPIES]
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from xml.sax.saxutils import escape

RUNS = 3
# Office documents are slower to write and to read than records.
OFFICE_COPIES = 4
PDF_DOCUMENTS = 300


def documents(sample: pathlib.Path, copies: int) -> list[tuple[str, str]]:
    """The texts of the sample, each several times under different ids."""
    texts = [(path.stem, path.read_text()) for path in sorted(sample.rglob("*.txt"))]
    return [(f"{number}/{at}-{name}", text) for number in range(copies) for at, (name, text) in enumerate(texts)]


def folder(form: str, to_bytes):
    """A writer of one file per document."""

    def write(work: pathlib.Path, all_documents):
        target = work / form
        for name, text in all_documents:
            path = target / f"{name}.{form}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_bytes(text))
        return target

    return write


def one_file(name: str, to_bytes):
    """A writer of one file with all documents."""

    def write(work: pathlib.Path, all_documents):
        target = work / name
        target.write_bytes(to_bytes(all_documents))
        return target

    return write


def json_lines(all_documents) -> bytes:
    return "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in all_documents).encode()


def array(all_documents) -> bytes:
    return json.dumps([{"id": name, "text": text} for name, text in all_documents], indent=1).encode()


def table(delimiter: str):
    def to_bytes(all_documents) -> bytes:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter).writerows([("id", "text"), *all_documents])
        return out.getvalue().encode()

    return to_bytes


def zipped(all_documents) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in all_documents:
            archive.writestr(f"{name}.txt", text)
    return out.getvalue()


def tarred(all_documents) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in all_documents:
            member = tarfile.TarInfo(f"{name}.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def page(text: str) -> bytes:
    paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in text.splitlines())
    return f"<!DOCTYPE html><html><head><title>x</title></head><body>{paragraphs}</body></html>".encode()


def warc(all_documents) -> bytes:
    records = []
    for name, text in all_documents:
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page(text)
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/{name}\r\nContent-Length: {len(body)}\r\n\r\n"
        records.append(head.encode() + body + b"\r\n\r\n")
    return b"".join(records)


def extracts(all_documents) -> bytes:
    docs = (f'<doc id="1" url="http://x/{name}" title="x">\n{escape(text)}\n</doc>\n' for name, text in all_documents)
    return "".join(docs).encode()


def office(members) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def docx(text: str) -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in text.splitlines())
    xml = f'<?xml version="1.0"?><w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>'
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    return office([("[Content_Types].xml", types), ("word/document.xml", xml)])


def odt(text: str) -> bytes:
    names = "urn:oasis:names:tc:opendocument:xmlns:"
    body = "".join(f"<text:p>{escape(line)}</text:p>" for line in text.splitlines())
    xml = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{names}office:1.0" xmlns:text="{names}text:1.0">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return office([("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", xml)])


def epub(text: str) -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="c.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="a"/></spine></package>'
    )
    members = [("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("c.opf", package)]
    return office([*members, ("a.xhtml", page(text))])


def rtf(text: str) -> bytes:
    lines = (line.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}") for line in text.splitlines())
    return ("{\\rtf1\\ansi " + "\\par\n".join(lines) + "}").encode("ascii", "replace")


def pdf(text: str) -> bytes:
    """A page with lines of words."""
    words, lines = text.encode("ascii", "replace").decode().split(), []
    for at in range(0, len(words), 12):
        line = " ".join(words[at : at + 12])
        lines.append("(" + line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") + ") Tj T*")
    content = "BT /F 10 Tf 12 TL 20 5000 Td\n" + "\n".join(lines) + "\nET"
    height = 5100 + 12 * len(lines)
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 {-height} 2000 {height}]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj{body}endobj\n"
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"xref\n0 6\n0000000000 65535 f \n{rows}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return out.encode()


def parquet(work: pathlib.Path, all_documents):
    import pyarrow
    import pyarrow.parquet

    ids, texts = zip(*all_documents, strict=True)
    pyarrow.parquet.write_table(pyarrow.table({"id": ids, "text": texts}), work / "a.parquet")
    return work / "a.parquet"


FORMS = [
    ("text files", folder("txt", str.encode), None),
    ("HTML files", folder("html", page), None),
    ("JSON Lines", one_file("a.jsonl", json_lines), None),
    ("JSON Lines, gzip", one_file("a.jsonl.gz", lambda d: gzip.compress(json_lines(d))), None),
    ("JSON Lines, bzip2", one_file("a.jsonl.bz2", lambda d: bz2.compress(json_lines(d))), None),
    ("JSON Lines, xz", one_file("a.jsonl.xz", lambda d: lzma.compress(json_lines(d), preset=2)), None),
    ("JSON array", one_file("a.json", array), None),
    ("CSV", one_file("a.csv", table(",")), None),
    ("TSV", one_file("a.tsv", table("\t")), None),
    ("Parquet", parquet, None),
    ("ZIP of text files", one_file("a.zip", zipped), None),
    ("tar of text files", one_file("a.tar", tarred), None),
    ("tar of text files, gzip", one_file("a.tar.gz", lambda d: gzip.compress(tarred(d), 3)), None),
    ("WARC of HTML pages", one_file("a.warc", warc), None),
    ("Wikipedia extracts", one_file("wiki_00", extracts), None),
    ("DOCX", folder("docx", docx), "office"),
    ("ODT", folder("odt", odt), "office"),
    ("EPUB", folder("epub", epub), "office"),
    ("RTF", folder("rtf", rtf), "office"),
    ("PDF", folder("pdf", pdf), "pdf"),
]


def stored_bytes(path: pathlib.Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


def seconds(path: pathlib.Path, expected: int) -> float:
    """The shortest of several runs, each of which must read all documents."""
    command = ["find_near_dups", path, "--removed", "/dev/null", "--no_sync"]
    best = float("inf")
    for _ in range(RUNS):
        started = time.perf_counter()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        best = min(best, time.perf_counter() - started)
        if run.returncode or f"{expected:,} documents;" not in run.stderr:
            sys.exit(f"{path}: expected {expected} documents\n{run.stderr}")
    return best


def main() -> None:
    sample, work, results = map(pathlib.Path, sys.argv[1:4])
    copies = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    sizes = {None: documents(sample, copies), "office": documents(sample, min(copies, OFFICE_COPIES))}
    sizes["pdf"] = documents(sample, 1)[:PDF_DOCUMENTS]
    rows = []
    for name, write, size in FORMS:
        chosen = sizes[size]
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        path = write(work, chosen)
        text = sum(len(text.encode()) for _, text in chosen) / 1e6
        taken = seconds(path, len(chosen))
        rows.append([name, len(chosen), f"{text:.1f}", f"{stored_bytes(path) / 1e6:.1f}", f"{taken:.3f}", f"{text / taken:.1f}"])
        print(",".join(map(str, rows[-1])), flush=True)
    shutil.rmtree(work, ignore_errors=True)
    header = ["format", "documents", "text_mb", "stored_mb", "seconds", "text_mb_per_s"]
    with open(results / "speed.csv", "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
    lines = "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)
    (results / "README.md").write_text(
        f"""# Input formats

Generated by `scripts/bench/formats.sh`.

`find_near_dups` from the command line to the result, two threads, the shortest of {RUNS} runs. The documents are those of `exp/sample`, repeated under
different ids, so that nearly all of the time is reading: decompressing, parsing, decoding, counting words. Text is counted as it is compared, in MB of 10^6 bytes;
stored bytes are those on disk. PDF files are read by `pdftotext`, one process per file.
[html.md](html.md) compares the HTML stripper with two parsers.

| format | documents | text, MB | stored, MB | seconds | MB of text per second |
|---|--:|--:|--:|--:|--:|
{lines}
"""
    )


if __name__ == "__main__":
    main()
