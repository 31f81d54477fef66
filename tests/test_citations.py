"""Every document that code, tests and other documents cite exists, and so does the heading they name.

A citation has one form, such as docs/rules.md, "Reneging": the path from the root of the repository, and a heading of
that file. Links in Markdown are relative to their own file and may name a heading by its anchor.
"""

import os
import re
from pathlib import Path

import pytest
from support.paths import ROOT

NOT_OURS = {"build", "dist", "runs", "shared"}  # at the root; hidden folders are not ours either, but for .github
CITATION = re.compile(
    r"""(?<![\w/}.-])(?P<path>\.?(?:[\w-]+/)*[\w-]+\.md)\b"""
    r"""(?:, \\?"(?P<heading>[^"\\]+)\\?"|,? (?P<number>section \d+))?"""
)
WRITTEN = {"result.md"}  # by our commands, in folders of the user
RULES, NOWHERE = "docs/rules.md", "docs/nowhere.md"
LINK = re.compile(r"\[[^][]*\]\((?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")


def documents(root, *suffixes):
    """The files below `root` with one of these suffixes, without virtual environments and generated folders."""
    for folder, subfolders, names in os.walk(root):
        at_root = Path(folder) == root
        subfolders[:] = sorted(
            name
            for name in subfolders
            if (name == ".github" or not name.startswith((".", "__"))) and not (at_root and name in NOT_OURS)
        )
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(suffixes))


def headings(document):
    """The headings of a Markdown file, without lines of code blocks that look like headings."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [heading.replace("`", "") for heading in re.findall(r"^#+ (.+?) *$", text, re.MULTILINE)]


def anchors(document):
    """The anchors that GitHub gives the headings of a Markdown file."""
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings(document)]


def on_one_line(text):
    """The text of a Python or Markdown file without line breaks and comment signs."""
    return re.sub(r"\s*\n\s*(?:# )?", " ", text)


def citations(text):
    """Every citation, as a match of `CITATION`; a path alone in quotes is a file that the code opens, no citation."""
    for found in CITATION.finditer(text):
        before, after = text[max(found.start() - 1, 0)], text[found.end() : found.end() + 1]
        if before not in "\"'" or after != before:
            yield found


def faults(file, root):
    """The faults of the citations and links in a file."""
    text = file.read_text()
    wrong = []
    if file.suffix == ".md":
        for link in LINK.finditer(text):
            target = file.parent / link["path"] if link["path"] else file
            if "://" in link["path"]:
                continue
            if not target.exists():
                wrong.append(f"no file {link['path']}")
            elif link["anchor"] and link["anchor"] not in anchors(target):
                wrong.append(f"no anchor {link['anchor']} in {link['path']}")
        text = LINK.sub("", text)
    for citation in citations(on_one_line(text)):
        path, heading = citation["path"], citation["heading"]
        if path in WRITTEN:
            continue
        if not (root / path).is_file():
            wrong.append(f"no file {path}")
        elif citation["number"]:
            wrong.append(f"{path} is cited by {citation['number']}, not by a heading")
        elif heading is not None and heading not in headings(root / path):
            wrong.append(f"no heading {heading} in {path}")
    return wrong


@pytest.mark.parametrize("file", list(documents(ROOT, ".py", ".md")), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_citation_and_link_resolves(file):
    assert faults(file, ROOT) == []


def test_the_rules_are_cited_by_code_and_by_tests():
    for folder, least in (("euchre_env", 5), ("agents", 3), ("tests", 10)):
        texts = (on_one_line(file.read_text()) for file in documents(ROOT / folder, ".py"))
        cited = [citation["heading"] for text in texts for citation in citations(text) if citation["path"] == RULES]
        assert len(list(filter(None, cited))) >= least, folder


@pytest.fixture
def small_repository(tmp_path):
    """A repository with one document in it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# The game\n\n## The dealer's `discard`\n\n```sh\n# No heading\n```\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("code.py", f'# As said ({NOWHERE}, "The game").', f"no file {NOWHERE}"),
        ("code.py", f'# As said ({RULES[5:]}, "The game").', f"no file {RULES[5:]}"),
        ("code.py", f'"""{NOWHERE} has it."""', f"no file {NOWHERE}"),
        ("code.py", f'# As said ({RULES}, "Bidding").', f"no heading Bidding in {RULES}"),
        ("code.py", f'# As said ({RULES}, "No heading").', f"no heading No heading in {RULES}"),
        ("code.py", f'# As said ({RULES},\n# "Bidding").', f"no heading Bidding in {RULES}"),
        ("code.py", f'"As said ({RULES}, \\"Bidding\\")"', f"no heading Bidding in {RULES}"),
        ("code.py", f"# As said ({RULES}, section 3).", f"{RULES} is cited by section 3, not by a heading"),
        ("page.md", f'See {RULES}, "Bidding".', f"no heading Bidding in {RULES}"),
        ("page.md", f"See [the rules]({NOWHERE}).", f"no file {NOWHERE}"),
        ("page.md", f"See [the rules]({RULES}#bidding).", f"no anchor bidding in {RULES}"),
        ("docs/page.md", f"See [the rules]({RULES}).", f"no file {RULES}"),
    ],
)
def test_a_citation_that_leads_nowhere_is_a_fault(small_repository, name, text, fault):
    (small_repository / name).write_text(text + "\n")
    assert faults(small_repository / name, small_repository) == [fault]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("code.py", f'# As said ({RULES}, "The game").'),
        ("code.py", f'"""It is told elsewhere ({RULES},\n    "The dealer\'s discard")."""'),
        ("code.py", f'text = (folder / "{RULES}").read_text()'),
        ("code.py", f'text = (folder / "{NOWHERE}").write_text("")'),
        ("page.md", f"See [the rules]({RULES}#the-dealers-discard) and https://example.org/{NOWHERE}."),
        ("docs/page.md", f'See [the rules]({RULES[5:]}), that is {RULES}, "The game", or [below](#end).\n\n## End'),
    ],
)
def test_a_citation_that_resolves_is_no_fault(small_repository, name, text):
    (small_repository / name).write_text(text + "\n")
    assert faults(small_repository / name, small_repository) == []
