"""Models as files: one archive with all that a model is, in parts that people and other programs can read.

The archive is a ZIP file without compression, with the same bytes for the same model wherever it is made:

- `surefoot-model.json`: the version of the format, the options of the model, and the digest of every other part;
- `model.pddl`: the model as `Model.to_pddl` gives it, for planners;
- `certificate.json`: the proof for `surefoot check`, where all traces are known;
- `learner.state`: the evidence, as `bytes(learner)` gives it; with it a model explains, and can be made anew with other options;
- `domain.pddl`: the vocabulary, where there is no evidence (a learner that is not safe).
"""

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Union

from ._errors import SurefootError

if TYPE_CHECKING:
    from ._surefoot import Model

FORMAT = 1
MANIFEST = "surefoot-model.json"
# The earliest moment that a ZIP file can name: when a model was saved is not part of it.
NO_TIME = (1980, 1, 1, 0, 0, 0)


def _packed(parts: Dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(parts):
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, parts[name])
    return target.getvalue()


def save(model: "Model", path: Union[str, "os.PathLike[str]"]) -> None:
    """Writes a model; the file appears whole or not at all."""
    head, parts = model._parts()
    parts = {**parts, "model.pddl": model.to_pddl().encode()}
    head = {**head, "format": FORMAT, "parts": {name: hashlib.sha256(parts[name]).hexdigest() for name in parts}}
    parts[MANIFEST] = (json.dumps(head, indent=1, sort_keys=True) + "\n").encode()
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(_packed(parts))
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: Union[str, "os.PathLike[str]"]) -> "Model":
    """Reads a model; raises SurefootError where the file is damaged, foreign, or of a later version."""
    from ._surefoot import _restore_other, _restore_saved

    name = os.fspath(path)
    parts = _unpacked(name)
    head = _read_head(name, parts)
    for part, digest in head["parts"].items():
        if hashlib.sha256(parts.get(part, b"")).hexdigest() != digest:
            raise SurefootError(f"{name}: this model is damaged: {part} is missing, or was changed", name)
    told = parts["model.pddl"].decode()
    if "learner.state" in parts:
        model = _restore_saved(parts["learner.state"], head["options"], head["complete"])
    else:
        model = _restore_other(parts["domain.pddl"].decode(), told, tuple(head["learner"]), head["missing"], head["decimals"])
    # The first line names the version that wrote it.
    if model.to_pddl().split("\n", 1)[1] != told.split("\n", 1)[1]:
        raise SurefootError(
            f"{name}: this version makes another model of the same evidence than the one that saved it; learn again, "
            "or go on with the parts of the file, which is a ZIP archive",
            name,
        )
    return model


def _unpacked(name: str) -> Dict[str, bytes]:
    with open(name, "rb") as file:
        data = file.read()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {entry: archive.read(entry) for entry in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise SurefootError(f"{name}: this is no saved model, or it is damaged: {error}", name) from None


def _read_head(name: str, parts: Dict[str, bytes]) -> Dict[str, Any]:
    try:
        head = json.loads(parts[MANIFEST])
        version = head["format"]
    except (KeyError, TypeError, ValueError):
        raise SurefootError(f"{name}: this is no saved model", name) from None
    if version != FORMAT:
        raise SurefootError(f"{name}: this model has format {version}, but only format {FORMAT} is known", name)
    expected = {"options", "complete", "parts"} if "learner.state" in parts else {"learner", "missing", "decimals", "parts"}
    if not expected <= head.keys() or "model.pddl" not in head["parts"]:
        raise SurefootError(f"{name}: this model is damaged", name)
    result: Dict[str, Any] = head
    return result
