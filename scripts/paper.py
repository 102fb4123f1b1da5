#!/usr/bin/env python3
"""The tables of docs/paper.md, from the tables of reports.

    surefoot report results/published
    scripts/paper.py published results/published docs/paper.md

puts the short tables of `results/published/report/tables.md` between `<!-- published -->` and `<!-- /published -->` of the page. The same
for `paper` and `precision`.
"""

import re
import sys

# The metrics of docs/paper.md: how their tables begin in tables.md, and the paper's name of each.
METRICS = [
    ("P pre", "Precision of the literals of preconditions"),
    ("R eff", "Recall of the literals of effects"),
    ("precision", "Semantic precision"),
    ("recall", "Semantic recall"),
    ("MSE", "Error of numeric effects"),
]


def tables(text):
    """Caption, head and rows of each table."""
    for part in re.split(r"^\*\*(?=\S)", text, flags=re.M)[1:]:
        caption, body = part.split("**\n", 1)
        lines = [line for line in body.strip().splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
        # Intervals are in the report.
        cells = [[re.sub(r" ±[0-9.<>e-]+", "", cell).strip() for cell in row] for row in cells]
        yield caption, cells[0], cells[2:]


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def last_rows(found, metric):
    """Of each domain the last row of a metric's table."""
    head, rows = None, []
    for caption, columns, body in found:
        domain, _, what = caption.partition(": ")
        if what.startswith(metric + ",") and body:
            head = ["domain"] + columns
            rows.append([domain] + body[-1])
    return head, rows


def digest(text, name):
    found = list(tables(text))
    parts = []
    if name != "precision":
        for metric, title in METRICS:
            head, rows = last_rows(found, metric)
            if rows:
                parts.append(f"{title}:\n\n{markdown(head, rows)}")
    for caption, head, rows in found:
        if caption.startswith("Coverage with "):
            most = {}
            for row in rows:
                most[row[0]] = row
            rows = rows if name == "precision" else list(most.values())
            parts.append(f"{caption}:\n\n{markdown(head, rows)}")
        elif name != "precision" and ("cannot be executed" in caption or "a limit was reached" in caption
                                      or caption.startswith("Of the test steps")):
            parts.append(f"{caption}:\n\n{markdown(head, rows)}")
    return "\n\n".join(parts)


def main():
    name, results, page = sys.argv[1:]
    with open(f"{results}/report/tables.md", encoding="utf-8") as file:
        made = digest(file.read(), name)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    block = re.compile(rf"<!-- {name} -->.*?<!-- /{name} -->", re.S)
    if not block.search(text):
        sys.exit(f"{page} has no block {name}")
    note = f"`surefoot report {results}`, then `scripts/paper.py {name} {results} docs/paper.md`:"
    with open(page, "w", encoding="utf-8") as file:
        file.write(block.sub(lambda _: f"<!-- {name} -->\n{note}\n\n{made}\n<!-- /{name} -->", text))


if __name__ == "__main__":
    main()
