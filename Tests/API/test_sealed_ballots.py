"""A sealed ballot by a client that shares no code with the server, checked as plain RSASSA-PSS."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from harness.papers import SALT
from installation import Installation
from sealed_voter import SealedVoter


def test_a_paper_is_a_plain_pss_signature_and_counts_once(installation: Installation) -> None:
    person = installation.add_person("voter", installation.add_team(threshold="2"))
    voter = SealedVoter(installation, person)
    assert voter.key_id == hashlib.sha256(voter.der).hexdigest()

    signature = voter.unblinded(voter.ask_for_paper())
    voter.key.verify(signature, voter.paper, padding.PSS(padding.MGF1(hashes.SHA384()), SALT), hashes.SHA384())

    ballot = voter.ballot(signature, 7.5)
    assert voter.cast(ballot).status == 201
    assert voter.cast(ballot).refusal == (409, "already-counted")
    assert installation.api(person, "GET", voter.current)["hasVoted"] is True
