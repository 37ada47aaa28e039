"""Puts what there really is into the requests that schemathesis makes up, and knows the rules that no schema can say."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Any
from urllib.parse import quote, unquote

import schemathesis

# These end the sender's token; one who has nothing else to do sends them.
LEAVING = {"logOut", "classicDeleteAccount"}

# Why a valid request may be refused all the same: what the answer says, and which rule is beyond a schema.
RULES = {
    # Mailed links
    "#link-expired": "Nobody guesses a token from a mail.",
    "#account-needed": "Whether name and password are needed depends on the invited address.",
    # Accounts
    "#domain-not-open": "The installation is open for one domain only.",
    "#password-": "What everybody would try first is a list, and in some scripts 72 bytes are fewer characters.",
    "The field password is missing": "Only accounts without a password leave it out or null.",
    "The current password is wrong": "The classic routes have no 403.",
    # Lists
    "after must be the nextAfter": "A place in a list is made by the server, and has a day that there is.",
    "give either year, or from and to": "OpenAPI cannot say that one parameter excludes another.",
    "form could not be read": "A form in which a field comes twice has no one meaning.",
    "The first line must name the columns|The list is empty|field list contains a control character": "What is in a CSV file is beyond its media type.",
    # Absences
    "longer than 366 days|ends before it begins": "A range of days.",
    "more than 10 absences": "Only those are counted that are not over.",
    # Pictures
    "#picture-|file is empty|not a picture": "Made-up bytes are no picture.",
    # Errors of apps
    "A report needs a message or a stack": "Either of two fields, and not empty.",
    # Messages
    "#push-(endpoint-not-allowed|keys-not-valid)": "Hosts that the operator chooses, and a point on a curve.",
    "#(text|unknown)-placeholder|has a brace": "Braces stand for placeholders, which depend on the text.",
    # Days
    "#action-due|first day must be|last day|years": "Days in a range that moves, or in an order.",
    # Teams
    "#threshold-above-members": "The number of members changes.",
    # Voting
    "Already voted!": "The classic routes have no 409.",
    "#sprint-not-open|not open": "Sprints open and close.",
    # Actions
    "#assignee-not-in-team": "An id of somebody else.",
}


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """Sends a valid request to something that is there; an invalid one stays as it was made."""
    operation = case.operation.definition.raw.get("operationId")
    if operation in LEAVING and "Authorization" in (case.headers or {}):
        case.headers["Authorization"] = f"Bearer {os.environ['LEAVER']}"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    for name, made_up in (case.path_parameters or {}).items():
        # Made-up ones are percent-encoded already.
        case.path_parameters[name] = os.environ.get(f"PATH_{name.upper()}") or quote(readable(unquote(str(made_up))), safe="")
    if case.media_type != "text/csv":
        case.body = readable(case.body)
    case.query = readable(case.query)


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext, failure: Any, case: schemathesis.Case, response: schemathesis.Response
) -> bool:
    """Whether a failure is one."""
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    return not any(re.search(rule, response.text) for rule in RULES)


def readable(value: Any) -> Any:
    """The same without control characters, which no text of a request may have, not even in fields that nobody reads."""
    if isinstance(value, str):
        return "".join("-" if unicodedata.category(character) == "Cc" else character for character in value)
    if isinstance(value, list):
        return [readable(item) for item in value]
    if isinstance(value, dict):
        return {readable(name): readable(item) for name, item in value.items()}
    return value
