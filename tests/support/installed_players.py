"""Players of installed packages."""


def install(folder, monkeypatch, package, entries):
    """Make an installed package with entry points in `folder`, as pip does, whose players come from `package`.py.

    Args:
        folder: the folder, which comes first on the path.
        monkeypatch: the fixture.
        package: the name of the package.
        entries: the factories by the names of the players.
    """
    information = folder / f"{package}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {package}:{factory}" for name, factory in entries.items()]
    (information / "entry_points.txt").write_text("\n".join(["[euchre_env.players]", *lines, ""]))
    (folder / f"{package}.py").write_text(
        """
class Remembering:
    def __init__(self, argument, seed, rules):
        self.arguments = argument, seed, rules
    def act(self, observation, action_mask):
        return int(action_mask.argmax())

def no_player(argument, seed, rules):
    return 17
"""
    )
    monkeypatch.syspath_prepend(folder)
