"""What `record_responses.py` sends: bodies, fields and queries that make sense, and the order of the routes."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

_soon = date.today() + timedelta(days=20)
_later = date.today() + timedelta(days=24)
_monday = date.today() + timedelta(days=7 - date.today().weekday())

# Values for names in paths that nothing has. Any other name is once an id and once a text.
UNKNOWN = {"id": "0" * 32, "text": "nothing", "year": "1999", "number": "99", "language": "xx"}

# Values of fields that a page leaves empty.
FIELDS = {
    "username": "newcomer", "email": "newcomer@example.net", "password": "‹password›", "current": "‹password›",
    "repeat": "‹password›", "team": "Newcomers", "timeZone": "Europe/Vienna", "title": "Less noise", "name": "Newcomers",
    "body": "Please vote before.", "first": f"{_soon}", "last": f"{_later}", "emails": "one@example.org\ntwo@example.org",
    "happiness": "7.5", "feedback": "Quiet & good.", "text": "Another text", "notes": "In the mornings.",
    "reminder": "first", "a-title-first-en": "How was it, {team}?", "b-title-first-en": "One minute for {team}",
}

# Fields of forms that are not on a page, or where the values above do not fit.
FORMS: dict[str, dict[str, str]] = {
    "POST /setup": {
        "username": "chief", "email": "chief@example.org", "password": "gentle harbour chief",
        "repeat": "gentle harbour chief", "team": "Chiefs", "timeZone": "Europe/Vienna"},
    # Another account for each way in: after a few failures, an account has to wait for seconds.
    "POST /login": {"username": "clara", "password": "wrong harbour", "next": "/settings"},
    "POST /own-password": {"current": "‹password›", "password": "‹password›", "repeat": "‹password›"},
    "POST /forgot-password": {"email": "greta@example.org"},
    "POST /settings/team": {"team": "‹team›"},
    "POST /settings/absences/remove": {"first": f"{_soon}", "last": f"{_later}"},
    "POST /settings/name": {"displayName": "Someone", "username": "‹username›"},
    "POST /user/resetPassword": {"password": "gentle harbour hugo", "repeat": "gentle harbour hugo"},
    "POST /registration": {"password": "gentle harbour rita"},
    "POST /invitation": {
        "username": "invited", "password": "gentle harbour invited", "repeat": "gentle harbour invited"},
    "POST /admin/teams/{team}/delete": {"name": "Demo Team"},
    "POST /admin/people/{user}/role": {"role": "guest", "password": "‹password›"},
    "POST /admin/people/{user}/email": {"email": "greta.new@example.org", "password": "‹password›"},
    "POST /teams/{team}/manage/messages": {"confirmed": "yes"},
    "POST /teams/{team}/manage/members/role": {"user": "‹user›", "role": "lead"},
    "POST /teams/{team}/manage/members/remove": {"user": "‹user›"},
    "POST /teams/{team}/vote/plain": {"sprint": "‹current›", "happiness": "7.5", "feedback": "Quiet & good."},
    "POST /teams/{team}/manage/experiments": {
        "reminder": "second", "first": f"{_monday}", "last": f"{_monday + timedelta(days=97)}",
        "a-title-second-en": "How was it, {team}?", "b-title-second-en": "One minute for {team}"},
}

# Valid bodies of the API. ‹name› stands for a value of the world.
BODIES: dict[str, Any] = {
    "POST /api/v1/auth/login": {"username": "greta", "password": "wrong harbour"},
    "POST /api/v1/auth/refresh": {"refreshToken": "unknown"},
    "POST /api/v1/auth/password-reset": {"email": "greta@example.org"},
    "POST /api/v1/auth/password-reset/confirm": {"token": "unknown", "password": "gentle harbour reset"},
    "POST /api/v1/auth/exchange": {"code": "unknown", "device": "recorder"},
    "PATCH /api/v1/me": {"displayName": "Someone", "notifications": {"mail": False, "results": True}},
    "DELETE /api/v1/me": {"password": "‹password›"},
    "PUT /api/v1/me/absences": {"absences": [{"first": f"{_soon}", "last": f"{_later}"}]},
    "POST /api/v1/me/devices": {
        "service": "webpush", "platform": "web", "locale": "de",
        "subscription": {
            "endpoint": "https://updates.push.services.mozilla.com/wpush/v2/recorder",
            # The public key of an example of RFC 8291, section 5.
            "keys": {
                "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            },
        },
    },
    "POST /api/v1/client-errors": {"level": "error", "app": "ios", "message": "Found nil", "version": "2.1.0"},
    "PATCH /api/v1/admin/client-errors/{error}": {"state": "resolved"},
    "PATCH /api/v1/admin/people/{user}": {"role": "guest", "password": "‹password›"},
    "POST /api/v1/admin/teams": {"name": "Blue", "timeZone": "Europe/Vienna"},
    "PUT /api/v1/admin/texts/{language}/{text}": {"text": "Welcome"},
    "PUT /api/v1/me/password": {"currentPassword": "‹password›", "newPassword": "‹password›"},
    "PUT /api/v1/me/email": {"email": "another@example.org", "password": "‹password›"},
    "POST /api/v1/teams/{team}/messages": {"title": "Retrospective at eleven", "body": "Please vote before."},
    "POST /api/v1/invitations": {"email": "invited@example.org", "team": "‹team›", "locale": "de"},
    "POST /api/v1/invitations/accept": {"token": "unknown", "username": "accepted", "password": "gentle harbour new"},
    "POST /api/v1/registrations": {
        "username": "registered", "email": "registered@example.net", "password": "gentle harbour new"},
    "POST /api/v1/registrations/resend": {"email": "registered@example.net"},
    "PATCH /api/v1/teams/{team}": {"threshold": 4, "policy": "close"},
    "PATCH /api/v1/teams/{team}/members/{user}": {"role": "lead"},
    "PUT /api/v1/teams/{team}/reminders": {"isOn": True, "hour": 10, "remindsAgain": True, "holidays": [f"{_soon}"]},
    "POST /api/v1/teams/{team}/reminders/preview": {"isOn": True, "hour": 9, "remindsAgain": True, "holidays": []},
    "POST /api/v1/teams/{team}/experiments": {
        "reminder": "first", "first": f"{_monday}", "last": f"{_monday + timedelta(days=97)}",
        "wordings": {"a": {"en": {"title": "How was it, {team}?"}}, "b": {"en": {"title": "One minute for {team}"}}},
    },
    "POST /api/v1/teams/{team}/sprints/{year}/{number}/ballots": {"happiness": 7.5, "feedback": "Fewer meetings."},
    "POST /api/v1/teams/{team}/sprints/{year}/{number}/ballot-papers": {"blindedMessage": "A" * 512},
    "POST /api/v1/ballots": {"key": "‹key›", "paper": "A" * 43, "signature": "A" * 512, "happiness": 7},
    "POST /api/v1/teams/{team}/actions": {"title": "Freeze the release", "due": f"{_soon}"},
    "PATCH /api/v1/teams/{team}/actions/{action}": {"version": "‹version›", "state": "inProgress", "before": None},
    "POST /user/login": {"username": "david", "password": "wrong harbour"},
    "POST /user/changePassword": {"oldPassword": "‹password›", "newPassword": "‹password›"},
    "POST /user/registerDevice": {"token": "recorder-token", "platform": "android"},
    "POST /happiness/track": {"happiness": 7, "sprint": "‹current›", "feedback": "Good."},
    "POST /webhooks/mailgun": {"signature": {"timestamp": "1", "token": "a", "signature": "b"}, "event-data": {}},
}

# Further queries of routes that have some.
QUERIES = {
    "GET /api/v1/search": ["search=demo", "search=anna", "search="],
    "GET /search": ["search=demo", "search=anna", "search="],
    "GET /teams/{team}/history": [
        "year=all", "year=2025", "year=all&compare=no", "from=2025-01-01&to=2025-12-31", "from=2025-12-31&to=2025-01-01"],
    "GET /api/v1/teams/{team}/sprints": ["year=2025", "from=2025-01-01&to=2025-12-31", "year=x"],
    "GET /api/v1/teams/{team}/history.csv": ["year=2025", "from=2025-01-01", "language=de"],
    "GET /api/v1/teams/{team}/chart.svg": ["year=2025", "theme=dark"],
    "GET /api/v1/admin/jobs": ["state=dead", "state=waiting", "state=x"],
    "GET /admin/jobs": ["state=dead", "state=waiting", "state=x"],
    "GET /api/v1/admin/client-errors": ["state=open", "state=resolved", "state=x"],
    "GET /admin/errors": ["state=open", "state=resolved", "state=x"],
    "GET /api/v1/admin/people": ["search=a", "limit=3", "after=clara&limit=2", "limit=0"],
    "GET /admin/people": ["search=a", "after=clara"],
    "GET /api/v1/admin/teams": ["search=d", "limit=1"],
    "GET /admin/teams": ["search=d"],
    "GET /api/v1/admin/teams/{team}": ["name=Demo%20Team"],
    "GET /api/v1/admin/texts": ["language=de&search=Stimme", "language=en&own=true", "language=xx"],
    "GET /admin/texts": ["in=de&search=Stimme", "own=yes", "in=xx"],
    "GET /api/v1/teams/{team}/members": ["limit=50", "limit=x"],
    "GET /teams/{team}/manage/members": ["search=a", "after=clara"],
    "GET /api/v1/invitations": ["after=x"],
    "GET /admin/invitations/new": ["team=Demo%20Team"],
    "GET /admin/deliveries": ["team=Demo%20Team", "team=None"],
    "GET /login": ["next=/settings", "next=https://elsewhere.example", "done=log-out", "language=de"],
    "GET /login/{provider}": ["format=x"],
    "GET /login/{provider}/callback": ["code=x&state=y", "error=denied"],
    "GET /happiness/hasVoted": ["sprint=2026/24", "sprint=x"],
    "GET /happiness/sprints": ["sprintyear=2025", "sprintyear=x"],
    "GET /user/sendPasswordResetMail": ["email=greta@example.org", "email=x"],
    "GET /unsubscribe": ["token=x"],
    "GET /settings": ["language=de", "done=language"],
    "GET /shared/{token}": ["theme=dark"],
    "GET /own-password": ["next=/settings"],
}

# Routes whose answers list something in the order of random ids.
RANDOM_ORDER = (
    r"/me/export$|/me/sessions$|/settings/sessions|GET .*/sprints/\{year\}/\{number\}$|GET /happiness/sprints|deliveries"
    r"|/manage/messages|/search$|GET .*/members$|/shared/"
)
# A page with some of the feedback of a sprint: those with the smallest random ids.
RANDOM_CHOICE = r"GET /teams/\{team\}$"
# Routes with reminders, whose minute depends on the random id of the team.
RANDOM_MINUTE = r"reminders"
# Routes with numbers that were measured.
MEASURED = r"/admin/status|/admin/jobs$"


def rank(route: str) -> tuple[int, ...]:
    """Sorts routes: those that remove something come later, and those that remove what others need come last."""
    order = [
        r"", r"^DELETE |remove|withdraw|drop|unshare|/end|disabled|original", r"logout|password-reset$|own-password|email",
        r"/members/\{user\}$|members/remove|DELETE .*experiments|actions/\{action\}(/delete)?$",
        r"DELETE .*/admin/people/\{user\}$|people/\{user\}/delete", r"teams/\{team\}/delete|DELETE /api/v1/admin/teams",
        r"DELETE /api/v1/me$|POST /settings/delete|deleteAccount",
    ]
    return (max(number for number, pattern in enumerate(order) if re.search(pattern, route)),)
