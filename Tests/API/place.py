"""Data for the generated requests: people with tokens, and a team with one object of every kind that a path names."""

from __future__ import annotations

from typing import Any

from installation import Installation


class Place:
    """A team with an administrator, a lead, a member, and a user for requests that end a token."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        team = installation.add_team("Fuzzed")
        self._people = {
            "admin": installation.add_person("admin", role="admin"),
            "lead": installation.add_person("lead", team, lead=True),
            "member": installation.add_person("member", team),
            "leaver": installation.add_person("leaver", team),
        }

    def environment(self, role: str) -> dict[str, str]:
        """The variables of schemathesis.toml, with a token for the role."""
        lead = self._people["lead"]
        team = f"/teams/{self._installation.team_id(lead)}"
        sprint = self._api("lead", "GET", f"{team}/sprints/current")["sprint"]["label"]
        share = self._api("lead", "PUT", f"{team}/share-link")
        return {
            "SERVER": self._installation.servers[0].address,
            "TOKEN": self._installation.classic_token(self._people[role]),
            "LEAVER": self._installation.classic_token(self._people["leaver"]),
            "PATH_TEAM": team.removeprefix("/teams/"),
            "PATH_YEAR": sprint.split("/")[0],
            "PATH_NUMBER": sprint.split("/")[1],
            "PATH_TOKEN": share["chart"].split("/")[-2],
            "PATH_USER": self._api("leaver", "GET", "/me")["id"],
            "PATH_KEY": self._api("lead", "GET", f"{team}/sprints/{sprint}/ballot-key")["id"],
            "PATH_ACTION": self._api("lead", "POST", f"{team}/actions", {"title": "Less work"})["id"],
        }

    def _api(self, role: str, method: str, path: str, body: Any = None) -> Any:
        return self._installation.api(self._people[role], method, path, body)
