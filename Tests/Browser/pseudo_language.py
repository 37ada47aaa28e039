"""A made-up language: every English text with accents on all letters, 40 % longer, and from right to left. A text that is
not from the files stays plain English, and is found."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from installation import ROOT

# One of the codes for private use (ISO 639-2, qaa to qtz).
CODE = "qps"

PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "áƀćďéƒǵĥíĵķĺḿńóṕɋŕśťúṽẃẋýźÁƁĆĎÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼẂẌÝŹ"
ACCENTS = str.maketrans(PLAIN, ACCENTED)

# What must stay: placeholders of messages; tags of templates and of HTML, and HTML's entities.
PLACEHOLDER = re.compile(r"(\{\w+\})")
TAG = re.compile(r"(\{\{.*?\}\}+|<[^>]*>|&\w+;)", re.DOTALL)


def pseudo(text: str, kept: re.Pattern[str] = PLACEHOLDER) -> str:
    """The text in the made-up language. It has as many words: names of months are separated by spaces."""
    parts = kept.split(text)
    return "".join(part if number % 2 else re.sub(r"[A-Za-z]+", _word, part) for number, part in enumerate(parts))


def _word(match: re.Match[str]) -> str:
    word = match[0]
    return word.translate(ACCENTS) + "ø" * -(-2 * len(word) // 5)


def install(root: Path) -> None:
    """Fills a folder with the program's files, and with the made-up language beside the others."""
    for name in ("public", "openapi"):
        (root / name).symlink_to(ROOT / name)
    templates = root / "templates"
    shutil.copytree(ROOT / "templates", templates)
    english = json.loads((templates / "messages" / "en.json").read_text())
    texts = {section: {key: pseudo(text) for key, text in keys.items()} for section, keys in english.items()}
    texts["language"]["direction"] = "rtl"
    (templates / "messages" / f"{CODE}.json").write_text(json.dumps(texts, ensure_ascii=False))
    mails = templates / "mail" / CODE
    mails.mkdir()
    for file in (templates / "mail" / "en").iterdir():
        (mails / file.name).write_text(pseudo(file.read_text(), TAG))


def english_words() -> set[str]:
    """All words of the English texts and mails, in lower case, of three letters or more."""
    english = json.loads((ROOT / "templates" / "messages" / "en.json").read_text())
    texts = [PLACEHOLDER.sub(" ", text) for keys in english.values() for text in keys.values()]
    texts += [TAG.sub(" ", file.read_text()) for file in (ROOT / "templates" / "mail" / "en").iterdir()]
    return {word for text in texts for word in words(text)}


def words(text: str) -> set[str]:
    """The words of a text that consist of three plain letters or more, in lower case."""
    return {word.lower() for word in re.findall(r"[^\W\d_]+", text) if re.fullmatch("[A-Za-z]{3,}", word)}
