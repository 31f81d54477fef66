"""Reading HTML strictly: the elements and the text of a page, or an error if it is not well-formed."""

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}
IN_SVG = {"svg", "g", "line", "circle", "rect", "text", "title"}


class Element:
    """An element with its attributes, its children and its own text."""

    def __init__(self, tag: str, attributes: dict[str, str | None], parent: "Element | None") -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element | str] = []

    def __iter__(self) -> Iterator["Element"]:
        """The element and all elements in it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    def __getitem__(self, name: str) -> str:
        """The value of an attribute."""
        value = self.attributes[name]
        assert value is not None
        return value

    @property
    def text(self) -> str:
        """All text in it, with single blanks."""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return " ".join("".join(parts).replace("\N{NO-BREAK SPACE}", " ").split())

    def all(self, tag: str, **attributes: str) -> list["Element"]:
        """The elements in it called `tag` with these attributes; "look" stands for one of the classes."""
        look = attributes.pop("look", None)
        return [
            each
            for each in self
            if each.tag == tag
            and (look is None or look in (each.attributes.get("class") or "").split())
            and all(each.attributes.get(name) == value for name, value in attributes.items())
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self.here = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag, dict(attrs), self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in IN_SVG, f"<{tag}/> is no element of SVG"
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.here.tag, f"</{tag}> ends <{self.here.tag}>, at {self.getpos()}"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        self.here.children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read_page(page: str) -> Element:
    """The whole page; every element is closed in the order in which it was opened.

    Raises:
        AssertionError: if it is not well-formed.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.here is reader.root, f"<{reader.here.tag}> is not closed"
    return reader.root
