"""What the programs ask of their MongoDB: every operation, read from its profiler and its oplog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bson import Timestamp
from bson.codec_options import DatetimeConversion
from pymongo import DESCENDING, MongoClient

# Bytes. A phase of the test needs less than a tenth.
PROFILE_SIZE = 256 << 20
# The name under which API and worker connect.
PROGRAM = "happiness-metric"
# Commands that read or write no document of a collection.
ADMINISTRATIVE = {"listCollections", "listIndexes", "hello", "ping", "endSessions", "killCursors"}

# Collection, command, and the fields of the filter in order.
Shape = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation on one collection. An aggregation over several is one for each."""

    collection: str
    command: str
    # Of an insertion, the document.
    filter: Mapping[str, Any]
    upserts: bool = False

    @property
    def shape(self) -> Shape:
        """What it has in common with the same operation on other documents."""
        return self.collection, self.command, tuple(sorted(set(_fields(self.filter))))

    def names(self, field: str) -> bool:
        """Whether it says which values of the field it is about, one or several.

        Then the router of a sharded cluster sends it only to the shards of these values.
        """
        return _names(self.filter, field)

    def is_refused_without(self, field: str) -> bool:
        """Whether the router refuses it if it does not name the shard key."""
        return (self.command == "findAndModify" or self.upserts) and not self.names(field)


class Profiler:
    """Records what the programs ask of a database. Each operation of a transaction is recorded on its own."""

    def __init__(self, url: str) -> None:
        # Some filters have a date before the first that Python knows.
        self._client: MongoClient[Any] = MongoClient(url, datetime_conversion=DatetimeConversion.DATETIME_AUTO)
        self.database = self._client.get_default_database()

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def recording(self) -> Iterator[list[Operation]]:
        """Records while the block runs. The list is complete at its end."""
        operations: list[Operation] = []
        self.database.drop_collection("system.profile")
        self.database.create_collection("system.profile", capped=True, size=PROFILE_SIZE)
        begun = self._last_write()
        self.database.command("profile", 2)
        try:
            yield operations
        finally:
            self.database.command("profile", 0)
        assert self.database.command("collStats", "system.profile")["size"] < PROFILE_SIZE / 2, "it may have lost some"
        for entry in self.database["system.profile"].find({"appName": PROGRAM}):
            operations.extend(_operations(entry))
        operations.extend(self._insertions(begun))

    def _last_write(self) -> Timestamp:
        (entry,) = self._client["local"]["oplog.rs"].find().sort("$natural", DESCENDING).limit(1)
        return entry["ts"]

    def _insertions(self, begun: Timestamp) -> Iterator[Operation]:
        """The profiler leaves out the documents that are inserted. The oplog has them, one by one."""
        for entry in self._client["local"]["oplog.rs"].find({"ts": {"$gt": begun}}):
            # Those of a transaction are one entry.
            for write in entry["o"].get("applyOps", [entry]):
                database, _, collection = write["ns"].partition(".")
                if write["op"] == "i" and database == self.database.name and not collection.startswith("system."):
                    yield Operation(collection, "insert", write["o"])


def _operations(entry: Mapping[str, Any]) -> Iterator[Operation]:
    """The operations of an entry of the profiler."""
    kind, command = entry["op"], entry["command"]
    collection = entry["ns"].partition(".")[2]
    assert "$truncated" not in command, entry
    if kind in ("insert", "getmore"):
        # See `_insertions`. A cursor stays on the shards on which it was opened.
        return
    if kind == "update":
        name = "updateMany" if command["multi"] else "updateOne"
        yield Operation(collection, name, command["q"], command["upsert"])
    elif kind == "remove":
        yield Operation(collection, "deleteOne" if command["limit"] else "deleteMany", command["q"])
    elif "find" in command:
        yield Operation(collection, "find", command.get("filter", {}))
    elif "aggregate" in command:
        yield from _stages(collection, command["pipeline"])
    elif "findAndModify" in command:
        yield Operation(collection, "findAndModify", command["query"], command.get("upsert", False))
    else:
        # Another command, such as `count` or `distinct`, has to be read here before the product may use it.
        assert set(command) & ADMINISTRATIVE, entry


def _stages(collection: str, pipeline: list[Mapping[str, Any]]) -> Iterator[Operation]:
    """An aggregation reads its collection through its first stage, and those that it unites with through theirs."""
    first = pipeline[0] if pipeline else {}
    yield Operation(collection, "aggregate", first.get("$match", {}))
    for stage in pipeline:
        assert not set(stage) & {"$lookup", "$graphLookup", "$merge", "$out", "$facet"}, stage
        if union := stage.get("$unionWith"):
            yield from _stages(union["coll"], union["pipeline"])


def _names(filter: Mapping[str, Any], field: str) -> bool:
    if field in filter:
        value = filter[field]
        return not isinstance(value, Mapping) or set(value) <= {"$eq", "$in"}
    return any(_names(part, field) for part in filter.get("$and", [])) or (
        "$or" in filter and all(_names(part, field) for part in filter["$or"]))


def _fields(filter: Mapping[str, Any]) -> Iterator[str]:
    for field, value in filter.items():
        if field in ("$and", "$or", "$nor"):
            for part in value:
                yield from _fields(part)
        else:
            yield field
