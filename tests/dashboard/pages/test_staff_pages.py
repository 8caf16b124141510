"""Staff texts: each fault, raised at the real controller, and the page's advice in three languages."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import pytest

from controller.state import faults
from controller.state.messages import Message, PartLost
from controller.state.playing import PlayStage
from controller.state.waits import Wait, stands
from dashboard.i18n.words import Words
from dashboard.pages.table.troubles import trouble
from firmware_bridge import messages as wire
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import FaultCode, Where
from tests.support.controller.doubts import ScriptedModels, contradicting
from tests.support.controller.feeder import Face, OtherBack
from tests.support.controller.fixtures import make_rig
from tests.support.controller.rigs import MakeRig, Rig, a_set_with, a_set_without
from tests.support.controller.seigo_hands import seated
from tests.support.controller.sessions import hand_is, seat_session
from tests.support.dashboard.hall import Hall
from tests.support.tiers import one_in
from twinwall.art.names import LANGUAGES
from twinwall.game.tiles import Tile
from twinwall.wire.ledger import parse
from vision.cameras.port import CameraFault

__all__ = ["make_rig"]
Raise = Callable[[MakeRig], Rig]
NUMBER: Final = 1000
"""An event of the feeder that no rig has come to."""


def told(message: Message) -> Raise:
    """A message to a table that builds."""

    def happen(make: MakeRig) -> Rig:
        rig = make()
        rig.settle()
        rig.post(message)
        rig.settle()
        return rig

    return happen


def machine(code: FaultCode, where: int) -> Raise:
    """The feeder reports a fault."""
    return told(wire.Fault(code, where, 7, number=NUMBER))


def with_faces(faces: list[Face], code: str) -> Raise:
    """A build from a set that is not the deal's."""

    def happen(make: MakeRig) -> Rig:
        rig = make(faces=faces)
        rig.run(lambda: code in rig.fault_codes())
        return rig

    return happen


def unreadable(make: MakeRig) -> Rig:
    rig = make(faces=[Tile.M1])
    rig.look = lambda face, showing: (None, "glare")
    rig.run(lambda: "unreadable-tile" in rig.fault_codes())
    return rig


def line_cut(make: MakeRig) -> Rig:
    rig = make()
    rig.settle()
    rig.feeder.disconnect()
    rig.settle()
    return rig


def power_cut(make: MakeRig) -> Rig:
    rig = make()
    rig.settle()
    rig.feeder.power_cut()
    rig.feeder.disconnect()
    rig.settle()
    return rig


def short_count(make: MakeRig) -> Rig:
    session, _ = seat_session(make, 2, 3, raised=True)
    session.rig.run(hand_is(session.rig, 1, PlayStage.CLOSED))
    session.drop_under_the_table(1)
    session.rig.run(lambda: session.rig.state.has_fault("well-count"))
    return session.rig


def of_the_other_set(make: MakeRig) -> Rig:
    session, _ = seat_session(make, 2, 4)
    session.rig.feeder.drum.insert(50, OtherBack(Tile.M1))
    session.rig.run(lambda: session.rig.state.has_fault("other-set"))
    return session.rig


def doubted_wall(make: MakeRig) -> Rig:
    rig = make()
    ScriptedModels(rig, contradicting)
    rig.run(lambda: rig.state.has_fault("wall-doubted"))
    return rig


def unread_discard(make: MakeRig) -> Rig:
    session, _ = seat_session(make, 2, 3, raised=True)
    rig = session.rig

    def unread() -> bool:
        rig.mat.blurred.update(rig.mat.tiles)
        return rig.state.has_fault("unread-tile")

    rig.run(unread)
    return rig


def no_rear_gate(make: MakeRig) -> Rig:
    rig, _ = seated(make, 6)
    nak = rig.feeder.nak
    rig.feeder.nak = lambda command: wire.NakCode.NO_SUCH_PLACE if getattr(command, "seat", 0) >= wire.REAR_GATE else nak(command)
    rig.run(lambda: "no-rear-gate" in rig.fault_codes())
    return rig


def in_each_language(key: str) -> tuple[str, str, str]:
    return Words("en")(key), Words("ja")(key), Words("zh-Hans")(key)


FAULTS: dict[str, tuple[Raise, tuple[str, str, str]]] = {
    "jam at the gate": (machine(FaultCode.JAM, Where.GATE), ("over the camera's window", "カメラの窓", "摄像窗")),
    "jam at the diverter": (machine(FaultCode.JAM, Where.DIVERTER), ("the flap behind the gate", "羽根", "拨片")),
    "jam in the drum": (machine(FaultCode.JAM, Where.DRUM), ("look into the drum", "ドラムの中を見て", "查看滚筒")),
    "jam at a cell": (machine(FaultCode.JAM, Where.CELL + 2), ("cell 2 is one of", "セル2は", "格位2是")),
    "jam in a tray": (machine(FaultCode.JAM, Where.TRAY + 3), ("At place 3, look along the tray", "席3で、次の山", "3号位下一副")),
    "jam in a magazine": (
        machine(FaultCode.JAM, Where.MAGAZINE + 1),
        ("look along the wall", "席1で、使用中", "1号位正在使用"),
    ),
    "jam while walls rise": (machine(FaultCode.JAM, Where.TABLE), ("look along all four seats", "四席とも", "查看四家")),
    "double feed": (machine(FaultCode.DOUBLE_FEED, Where.GATE), ("Two tiles came at once", "2枚同時", "两张牌同时")),
    "shuttle": (machine(FaultCode.SHUTTLE, Where.SHUTTLE + 2), ("shuttle 2 runs behind the tray", "シャトル2は席2", "梭车2在2号位")),
    "sensors disagree": (machine(FaultCode.SENSORS_DISAGREE, Where.TRAY), ("At place 0, look along the tray", "席0で", "0号位")),
    "hand in the well": (machine(FaultCode.WELL, Where.WELL), ("Take hands, sleeves and tiles", "手や袖", "手、衣袖")),
    "lock": (machine(FaultCode.LOCK, Where.MAGAZINE + 1), ("At place 1, the bolt", "席1のゲートの掛け金", "1号位门闩")),
    "stopped": (machine(FaultCode.STOP, Where.TABLE), ("make sure that no hand is in it", "中に手がない", "没有人把手伸在里面")),
    "stopped by hand": (machine(FaultCode.ESTOP, Where.TABLE), ("make the table safe", "安全を確認", "确认安全")),
    "stopped by the lid": (machine(FaultCode.LID, Where.DRUM), ("close it, then press CONFIRM", "閉めてから", "请关上")),
    "internal": (machine(FaultCode.INTERNAL, Where.TABLE), ("call for service", "修理を依頼", "报修")),
    "emergency stop": (told(wire.Estop(True, number=NUMBER)), ("The emergency stop is pressed", "非常停止が押され", "急停已按下")),
    "lid": (told(wire.Lid(True, number=NUMBER)), ("take hands and tools out and close it", "手や道具", "移开手和工具")),
    "foreign tile": (with_faces(a_set_with("plum"), "foreign-tile"), ("none of the 34 kinds", "34種のどれでもない", "不属于34种牌")),
    "extra tile": (with_faces(a_set_with(Tile.P7), "extra-tile"), ("It is the box at the end", "端にある箱", "末端")),
    "missing tile": (with_faces(a_set_without(Tile.EAST), "missing-tiles"), ("Look under the table", "卓の下", "桌下")),
    "unreadable tile": (unreadable, ("clean or replace it", "清掃または交換", "擦净或更换")),
    "tile of the other set": (of_the_other_set, ("put it with its own set", "元のセット", "放回原来那副")),
    "count at the well": (short_count, ("look around the table", "卓の周り", "桌子四周")),
    "wall in doubt": (doubted_wall, ("wipe the gate's window", "ゲートの窓を拭き", "擦拭识别窗")),
    "unread discard": (unread_discard, ("lay it face up and straight", "まっすぐ", "摆正")),
    "no rear gates": (no_rear_gate, ("play other rules", "別のルール", "其他规则")),
    "link lost": (line_cut, ("at its cable at both ends", "ケーブルの両端", "电缆两端")),
    "power lost": (power_cut, ("look whether it has power", "電源", "是否有电")),
    "no feeder there": (told(feeder.NotAFeeder("it is a modem")), ("look which cable is in the port", "ポートのケーブル", "所插电缆")),
    "wrong feeder": (told(feeder.NotAFeeder("it is 02", another=True)), ("cables have changed places", "入れ替わって", "接反")),
    **{
        f"{what} {why.value}": (told(PartLost(what, why.value)), in_each_language(f"camera.{why.value}"))
        for what, why in (("table-camera", CameraFault.NO_MAT), ("gate-camera", CameraFault.FROZEN))
    },
    "network lost": (told(PartLost("broker")), ("look at its network cable", "ネットワークケーブル", "网线")),
}


@pytest.fixture(params=one_in(3, FAULTS))
def fault(request: pytest.FixtureRequest, make_rig: MakeRig) -> Iterator[tuple[Rig, tuple[str, str, str]]]:
    happen, said = FAULTS[request.param]
    yield happen(make_rig), said


def alarms(hall: Hall, language: str) -> str:
    page = hall.client.get(f"/table/1?lang={language}").text
    start = page.index('id="alarms"')
    return html.unescape(re.sub(r"<[^>]+>", "", page[page.index(">", start) + 1 : page.index("</ul>", start)]))


def test_a_table_in_trouble_tells_staff_where_to_put_a_hand_in_each_language(
    fault: tuple[Rig, tuple[str, str, str]], entered: Hall
) -> None:
    rig, sentences = fault
    entered.store.connection(True)
    entered.store.begin("1")
    entered.add(parse(line) for line in rig.ledgers[0].lines)
    for language, sentence in zip(LANGUAGES, sentences, strict=True):
        said = alarms(entered, language)
        assert sentence in said
        if language != "en":
            foreign = set(re.findall(r"[A-Za-z]{3,}", said)) - {"CONFIRM", "feeder", "port", "uid"}
            assert not foreign, f"words of another language: {foreign} in {said}"
    assert "Table 1: Fault" in entered.client.get("/?lang=en").text


def test_no_report_of_the_feeder_and_no_wait_is_without_a_sentence_in_the_pages_language(
    entered: Hall,
) -> None:
    reported = [faults.feeder_fault(code, where) for code in set(FaultCode) - {FaultCode.NONE} for where in Where]
    for event in [*reported, *(faults.overdue(stands(wait)) for wait in Wait)]:
        fault = replace(event, sentence="only the table's own words")
        for language in LANGUAGES:
            shown = trouble(fault, Words(language))
            assert "only" not in shown.sentence
            assert "0x" not in shown.where
            if fault.code == "feeder-jam":
                assert shown.hand, f"nobody is told how to reach {event.where}"
