"""The page docs/results.md and its pictures, from the list of measurements and the records alone."""

from pathlib import Path

from euchre_env.files import replace_bytes, replace_text
from report.measurements import Plan, Section
from report.pictures import paint
from report.tables import TABLES, Records

IMAGES = "images"


def write_page(plan: Plan, records: Records, docs: Path) -> None:
    """Write the page and its pictures in the folder `docs`; a picture without a measurement is removed."""
    (docs / IMAGES).mkdir(exist_ok=True)
    for picture in (picture for section in plan.sections for picture in section.pictures):
        painted, file = paint(picture, records), docs / IMAGES / picture.file
        if painted is None:
            file.unlink(missing_ok=True)
        else:
            replace_bytes(file, painted)
    replace_text(docs / "results.md", page(plan, records))


def page(plan: Plan, records: Records) -> str:
    """The page in Markdown. A record that is out of date is shown and named as such, but meets no target."""
    blocks = ["# Results", plan.introduction.strip()]
    current = {
        name: record for name, record in records.items() if record.is_current(plan.measurements[name], with_runs=False)
    }
    for section in plan.sections:
        blocks += [f"## {section.title}", *_blocks(section, records, current)]
    return "\n\n".join(blocks) + "\n"


def _blocks(section: Section, records: Records, current: Records) -> list[str]:
    """Text, pictures, tables and notes of a section."""
    pictures = [
        f"![{picture.alt}]({IMAGES}/{picture.file})"
        for picture in section.pictures
        if any(name in records for name in picture.of)
    ]
    tables = ["\n".join(TABLES[name](section, current if name == "targets" else records)) for name in section.show]
    notes = _notes(section, records, current)
    return [text for text in (section.text.strip(), *pictures, *map(str.strip, tables), *notes) if text]


def _notes(section: Section, records: Records, current: Records) -> list[str]:
    """What the tables of a section do not show yet, and what is out of date in them."""
    missing = [each for name, each in section.measurements.items() if name not in records]
    old = [each for name, each in section.measurements.items() if name in records and name not in current]
    notes = []
    if to_play := [f"`{each.name}`" for each in missing if each.is_played]:
        notes.append(f"Not measured yet, by `make results`: {', '.join(to_play)}.")
    notes += [f"`{each.source}` is missing; this makes it: `{each.command}`." for each in missing if not each.is_played]
    if to_play_again := [f"`{each.name}`" for each in old if each.is_played]:
        named = ", ".join(to_play_again)
        notes.append(f"Measured by another command, or with another network, than `make results` would now: {named}.")
    for each in (each for each in old if not each.is_played):
        network = ", or with another network" if each.is_training else ""
        notes.append(f"`{each.source}` was made by another command than `{each.command}`{network}.")
    return notes
