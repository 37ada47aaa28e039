"""Fingers on a page, as the browser receives them from a touch screen."""

from __future__ import annotations

from visitor import Visitor

# One point per finger, in pixels of the window.
Fingers = list[tuple[float, float]]


class Hand:
    """One or more fingers."""

    def __init__(self, visitor: Visitor) -> None:
        self._session = visitor.context.new_cdp_session(visitor.page)

    def drag(self, start: Fingers, end: Fingers, steps: int = 8) -> None:
        """Puts fingers down, moves all of them evenly, and lifts them."""
        self.put(start)
        for step in range(1, steps + 1):
            share = step / steps
            self.move([
                (x + (to_x - x) * share, y + (to_y - y) * share)
                for (x, y), (to_x, to_y) in zip(start, end, strict=True)
            ])
        self.lift()

    def put(self, fingers: Fingers) -> None:
        """Touches with all fingers at once."""
        self._send("touchStart", fingers)

    def move(self, fingers: Fingers) -> None:
        """Moves every finger to its next point."""
        self._send("touchMove", fingers)

    def lift(self) -> None:
        """Lifts all fingers."""
        self._send("touchEnd", [])

    def _send(self, kind: str, fingers: Fingers) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
