"""Renders the standings: of the whole event with each session's points, or of one session with each deal's gains."""

from collections.abc import Mapping
from fractions import Fraction

from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.deals import charts
from dashboard.pages.deals.deal_pieces import averaged_words, left_out_words
from dashboard.pages.rendering import Fragments, Renderer
from twinwall.event.points import Gain, Points, RankedGroup
from twinwall.event.results import EntrantKind
from twinwall.game.documents import write_time

LEAST_SWING = {Points.IMP: Fraction(8), Points.RANK: Fraction(3, 2), Points.CROSS: Fraction(8)}
"""Least gain for the full height of a chart."""
MOST_CHARTS = 64
"""With more entrants, a page shows no charts and no single deals unless one group is requested."""


def standings(render: Renderer, scope: ViewerScope, words: Words, *, session: int | None, group: str | None) -> Fragments:
    """The page of the standings: of a session, of one of its groups, or of the event."""

    def piece() -> Markup:
        found = scope.results.standings(session, group)
        played = scope.progress
        hands = {name.n: name.hand for name in played.released_deals()}
        whole_event = session is None and len(found.sessions) > 1
        counted = played.planned if whole_event else (session or next(iter(found.sessions), played.session),)
        return render(
            "deals/standings.html",
            found=found,
            group=group,
            many=sum(len(each.ranking) for each in found.groups) > MOST_CHARTS,
            groups=[_ranked_group(each, hands, found.points, words) for each in found.groups],
            scale=None if found.points is Points.RANK else found.scale,
            team=found.kind is EntrantKind.TEAM,
            players={} if found.kind is EntrantKind.TEAM else scope.players.numbers(),
            released=played.released_of(counted),
            hands=played.hands_of(counted),
            points=found.points.value,
            left_out=[
                (out.n, words.hand(hands[out.n]), left_out_words(out, scope.results.groups_of(out.session), words))
                for out in found.left_out
            ],
            averaged=[(out.n, words.hand(hands[out.n]), averaged_words(out, words)) for out in found.averaged],
            entered_again=[(write_time(each.at), each.by, ", ".join(each.entrants)) for each in reversed(scope.entered_again())],
            corrections=found.corrections,
            hands_by_deal=hands,
            hand_name=words.hand,
            write_time=write_time,
        )

    yield render.part("standings", piece)


def _ranked_group(group: RankedGroup, hands: Mapping[int, int], points: Points, words: Words) -> Values:
    won: dict[str, list[tuple[int, Gain]]] = {standing.entrant: [] for standing in group.ranking}
    for n, gains in group.deals:
        for gain in gains:
            if gain.entrant in won:  # substitutes and phantom teams are in no ranking
                won[gain.entrant].append((n, gain))
    most = max((abs(gain.swing) for gains in won.values() for _, gain in gains), default=Fraction(0))

    def chart(entrant: str) -> Values:
        return charts.swing_chart([gain.swing for _, gain in won[entrant]], max(most, LEAST_SWING[points]), len(group.deals))

    ranks = [{"standing": at, "gains": won[at.entrant], "chart": chart(at.entrant)} for at in group.ranking]
    return {"name": group.name, "ranks": ranks, "deals": [(n, words.hand(hands.get(n, 0))) for n, _ in group.deals]}
