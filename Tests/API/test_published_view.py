"""The view `happinessBySprint` with users of MongoDB that may do less: a tool that may read only this view, and a
program that may not create it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.mongod import command, initiate
from harness.processes import free_port
from harness.processes import running as running_program
from installation import Installation, running
from pymongo import MongoClient
from pymongo.errors import OperationFailure

VIEW = "happinessBySprint"
# The server's code for a user without the right.
UNAUTHORIZED = 13
PASSWORD = secrets.token_hex(16)


def privilege(database: str, collection: str, *actions: str) -> dict[str, Any]:
    """An empty name stands for all collections."""
    return {"resource": {"db": database, "collection": collection}, "actions": list(actions)}


PRIVILEGES = {
    "tool": [privilege("tool", VIEW, "find")],
    # All but creating collections and views.
    "program": [
        privilege(
            "program", "", "find", "insert", "update", "remove", "createIndex", "dropIndex", "listCollections",
            "listIndexes"),
        # What the programs ask of the server itself.
        {"resource": {"cluster": True}, "actions": ["inprog", "killop", "killAnySession"]},
    ],
}


class GuardedMongod:
    """A replica set of one node that asks for user and password. The tests have a database each, and its user."""

    def __init__(self, port: int) -> None:
        self._port = port
        # Until there is a user, the server lets this machine create one.
        with MongoClient[Any](f"mongodb://127.0.0.1:{port}/?directConnection=true") as client:
            client.admin.command("createUser", "owner", pwd=PASSWORD, roles=["root"])
        with self.client("owner", "admin") as client:
            for name, privileges in PRIVILEGES.items():
                client.admin.command("createRole", name, privileges=privileges, roles=[])
                client.admin.command("createUser", name, pwd=PASSWORD, roles=[name])

    def url(self, user: str, database: str) -> str:
        return f"mongodb://{user}:{PASSWORD}@127.0.0.1:{self._port}/{database}?replicaSet=rs0&authSource=admin"

    def client(self, user: str, database: str) -> MongoClient[Any]:
        return MongoClient(self.url(user, database))

    def installation(self, user: str, database: str) -> Installation:
        return Installation(self.url(user, database), demo=False)


@pytest.fixture(scope="module")
def mongod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedMongod]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    key = folder / "key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    data = folder / "mongod"
    data.mkdir()
    port = free_port()
    with running_program([*command(data, port), "--keyFile", str(key)], folder / "mongod.log") as process:
        initiate(port, process)
        yield GuardedMongod(port)


@pytest.fixture
def database(request: pytest.FixtureRequest, mongod: GuardedMongod) -> Iterator[str]:
    """An empty one, of the user with the same name."""
    with mongod.client("owner", request.param) as client:
        client.drop_database(request.param)
    yield request.param


@pytest.mark.parametrize("database", ["tool"], indirect=True)
def test_a_tool_reads_the_view_and_nothing_else(mongod: GuardedMongod, database: str) -> None:
    with running(mongod.installation("owner", database)) as installation:
        team = installation.add_team(threshold="2", policy="immediate")
        people = [installation.add_person(team=team) for _ in range(3)]
        for person, happiness in zip(people, [4, 7.5, 9]):
            installation.vote(person, happiness)
        with mongod.client("tool", database) as client:
            store = client[database]
            (sprint,) = store[VIEW].find()
            assert set(sprint) == {"team", "sprint", "happiness", "votes", "happinesssum", "sprintyear", "month"}
            assert (sprint["votes"], sprint["happinesssum"]) == (3, 20.5)
            # Neither by a filter nor by stages after those of the view.
            assert list(store[VIEW].find({"policy": {"$exists": True}})) == []
            assert list(store[VIEW].aggregate([{"$project": {"count": 1, "published": 1, "_id": 1}}])) == [{}]
            texts = {"$lookup": {"from": "feedback", "pipeline": [], "as": "texts"}}
            for attempt in [
                lambda: list(store["happiness"].find()),
                lambda: list(store["userSprints"].find()),
                lambda: list(store[VIEW].aggregate([texts])),
                lambda: store[VIEW].insert_one({"votes": 100}),
            ]:
                with pytest.raises(OperationFailure) as refusal:
                    attempt()
                assert refusal.value.code == UNAUTHORIZED


@pytest.mark.parametrize("database", ["program"], indirect=True)
def test_a_user_without_the_right_to_create_views_does_not_stop_the_start(
    mongod: GuardedMongod, database: str
) -> None:
    installation = mongod.installation("owner", database)
    with running(installation):
        assert VIEW not in installation.servers[0].log()
        installation.servers[0].stop()
        with mongod.client("owner", database) as client:
            assert VIEW in client[database].list_collection_names()
            client[database].drop_collection(VIEW)
        server = installation.servers[0]
        server.environment["DATABASE_URL"] = mongod.url("program", database)
        server.start()
        warnings = [line for line in server.log().splitlines() if VIEW in line]
        assert len(warnings) == 1 and " warning " in warnings[0] and f"mongodb.code={UNAUTHORIZED}" in warnings[0]
        with mongod.client("owner", database) as client:
            assert VIEW not in client[database].list_collection_names()
