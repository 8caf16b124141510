"""Lists of entrants: every line is read, or stays in its place with the reason why it cannot be entered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.management.entrant_list import MOST_LINES, EntrantList, LineProblem, ListColumn, ListTooLongError, read_entrants
from twinwall.event.management.list_encoding import ListEncoding, ListEncodingError, decode_list
from twinwall.wire.names import LONGEST_NAME, cleaned, looks_like, name_problem

NAMES = (
    *("Ida Moretti", "Jean Petit", "小林 芽衣", "吴敏", "李娜", "鈴木 一郎", "Jürgen Müller", "שרה לוי", "محمد علي"),
    *("🀄 Ota", "O'Neill Pat", "नेहा शर्मा", "김민준", "Łukasz Żak", "Nguyễn Thị Ánh", "Ana‑María Ñuñez", "👩‍🚀 Rae"),
)


def problems(found: EntrantList) -> list[tuple[int, LineProblem]]:
    return [(line.line, line.problem) for line in found.bad if line.problem is not None]


def read(text: str, **known: str) -> EntrantList:
    return read_entrants(text, teams=False, known=({number.strip("n"): name for number, name in known.items()}, {}))


@pytest.mark.parametrize("delimiter", ["\t", ";", ","])
@pytest.mark.parametrize(
    "order", [("number", "name", "team", "club"), ("club", "team", "name", "number"), ("team", "name", "club", "number")]
)
@pytest.mark.parametrize(
    "words",
    [
        {"number": "No.", "name": "Name", "team": "Team", "club": "Club"},
        {"number": "番号", "name": "氏名", "team": "チーム", "club": "所属"},
        {"number": "编号", "name": "姓名", "team": "队伍", "club": "俱乐部"},
        {},
    ],
)
def test_columns_are_found_in_any_order_by_heading_or_by_what_stands_in_them(
    delimiter: str, order: tuple[str, ...], words: dict[str, str]
) -> None:
    values = [{"number": str(30 + index), "name": name, "team": "AB"[index % 2], "club": "Lyon"} for index, name in enumerate([*NAMES[:8]])]
    if not words and order.index("club") < order.index("team"):
        return
    rows = ([words] if words else []) + values
    found = read_entrants("\r\n".join(delimiter.join(row[column] for column in order) for row in rows), teams=True)
    assert [column.value for column in found.columns] == list(order)
    assert [(line.number, line.name, line.team, line.club) for line in found.good] == [tuple(row.values()) for row in values]
    assert found.bad == ()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("x" * 200, LineProblem.NAME_LONG),
        ("Abe\u202eebA", LineProblem.NAME_UNSEEN),
        ("Abe\x07", LineProblem.NAME_UNSEEN),
        ("\u3164", LineProblem.NAME_UNSEEN),
        ("Abe\u2800", LineProblem.NAME_UNSEEN),
        ("…", LineProblem.NAME_MISSING),
        ('"Abe', LineProblem.QUOTE),
        ("TANAKA  ken", LineProblem.NAME_ALIKE),
        ("Ｔａｎａｋａ Ken", LineProblem.NAME_ALIKE),
        ("Ken Tanaka", LineProblem.NAME_ALIKE),
        ("Tañaka Ken", LineProblem.NAME_ALIKE),
        ("Ida", LineProblem.NAME_ENTERED),
    ],
)
def test_a_name_that_cannot_be_entered_has_its_reason(line: str, problem: LineProblem) -> None:
    found = read(f"Tanaka Ken\n{line}\nWeber", n7="Ida")
    assert problems(found) == [(2, problem)]
    assert [entered.name for entered in found.good] == ["Tanaka Ken", "Weber"]


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("0", LineProblem.NUMBER_WRONG),
        ("A7", LineProblem.NUMBER_WRONG),
        ("10000", LineProblem.NUMBER_WRONG),
        ("４", LineProblem.NUMBER_TWICE),
        ("4", LineProblem.NUMBER_TWICE),
        ("9", LineProblem.NUMBER_ENTERED),
    ],
)
def test_a_number_that_cannot_be_given_has_its_reason(number: str, problem: LineProblem) -> None:
    assert problems(read(f"no,name\n4,Abe\n{number},Weber", n9="Ida")) == [(3, problem)]


def test_a_name_from_a_file_of_results_is_the_name_without_its_apostrophe() -> None:
    assert [line.name for line in read("name,club\n'=1+1,A\n'Ota,B").good] == ["=1+1", "'Ota"]


def test_a_sign_stands_for_no_club() -> None:
    assert [line.club for line in read("name,club\nIda,-").good] == ["-"]


def test_a_team_in_other_forms_of_its_name_is_one_team() -> None:
    teams = ("Café ABC", "Cafe\u0301 ABC", "CAFÉ\u3000ABC", "Ｃａｆé\u200b ABC", "Caf\u034fé ABC\ufe0f")
    found = read_entrants("team,name\n" + "\n".join(f"{team},P{index}" for index, team in enumerate(teams)), teams=True)
    assert [line.team for line in found.good] == ["Café ABC"] * 5


def test_teams_have_four_to_twelve_players() -> None:
    rows = (
        [f"Plum,P{index}" for index in range(4)] + [f"Orchid,O{index}" for index in range(3)] + [f"Bamboo,B{index}" for index in range(13)]
    )
    found = read_entrants("\n".join(["team,name", *rows, "Rose,R", ",S"]), teams=True, known=({}, {"Rose": 4}))
    assert [(line.name, line.problem) for line in found.bad] == [
        *((f"O{index}", LineProblem.TEAM_SMALL) for index in range(3)),
        ("B12", LineProblem.TEAM_LARGE),
        ("S", LineProblem.TEAM_MISSING),
    ]
    assert found.bad[0].values == {"team": "Orchid", "count": "3"}


def test_columns_that_a_person_has_chosen_are_taken() -> None:
    found = read_entrants("Lyon,Ida\nKyoto,Ken", teams=False, columns=(ListColumn.CLUB, ListColumn.NAME))
    assert [(line.name, line.club) for line in found.good] == [("Ida", "Lyon"), ("Ken", "Kyoto")]


@pytest.mark.parametrize("delimiter", ["\t", ";", ","])
def test_a_name_or_club_may_have_the_separator_in_quotation_marks(delimiter: str) -> None:
    found = read(f'name{delimiter}club\n"Tanaka{delimiter} Ken"{delimiter}"A, ""B""; C"\nKen "K" Abe{delimiter}Kyoto')
    assert [(line.name, line.club) for line in found.good] == [(cleaned(f"Tanaka{delimiter} Ken"), 'A, "B"; C'), ('Ken "K" Abe', "Kyoto")]


def test_a_heading_that_is_repeated_or_unknown_is_left_out() -> None:
    assert read("Name,Phone,Name\nIda,123,x").columns == (ListColumn.NAME, ListColumn.IGNORED, ListColumn.IGNORED)


@pytest.mark.parametrize("text", ["\n" * (MOST_LINES + 1), "x" * 200_000])
def test_a_list_that_no_event_has_is_refused(text: str) -> None:
    with pytest.raises(ListTooLongError):
        read(text)


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_read_and_no_line_is_lost(text: str, teams: bool) -> None:
    found = read_entrants(text, teams=teams)
    listed = [line.line for line in found.lines]
    assert listed == sorted(set(listed))
    given_lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept = [line.text for line in found.lines] + ([] if found.heading is None else [found.heading])
    assert sorted(kept) == sorted(line for line in given_lines if line.strip(" \t\u3000;,\ufeff"))
    for line in found.good:
        assert name_problem(line.name) is None
        assert len(line.name) <= LONGEST_NAME
    assert len({looks_like(line.name) for line in found.good}) == len(found.good)


@given(st.lists(st.sampled_from(("Ida", "ida", "Ken Abe", "Abe Ken", "", "x" * 90)), max_size=8))
def test_lines_that_were_refused_are_good_once_they_are_edited(lines: list[str]) -> None:
    found = read("\n".join(lines))
    refused = {line.line for line in found.bad}
    mended = [f"Nova {number * 'o'}h" if number in refused else line for number, line in enumerate(lines, 1)]
    again = read("\n".join(mended))
    assert again.bad == ()
    assert {line.line for line in again.good} == {line.line for line in found.lines}


JAPANESE = "1,佐藤 健,東京\n2,鈴木 一郎,大阪\n3,高橋 さくら,京都\n4,田中 ゆい,名古屋\n"
CHINESE = "1,王芳,北京\n2,李娜,上海\n3,张伟,广州\n4,刘洋,成都\n"
WESTERN = "1,Jürgen Müller,Köln\n2,Zoë Lefèvre,Genève\n3,Ana Ñuñez,A Coruña\n"

JAPANESE_NAMES = "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 佐々木 山口 松本 斎藤 清水"


CHINESE_NAMES = "王伟 王芳 李娜 李秀英 张敏 刘洋 陈静 杨勇 赵磊 黄丽 周杰 吴强 徐军 孙艳 马超 朱平"


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (JAPANESE, "utf-8", ListEncoding.UTF_8),
        (CHINESE, "utf-8-sig", ListEncoding.UTF_8),
        (JAPANESE, "utf-16", ListEncoding.UTF_16),
        (WESTERN, "utf-16-be", ListEncoding.UTF_16),
        (JAPANESE, "cp932", ListEncoding.SHIFT_JIS),
        (CHINESE, "gb18030", ListEncoding.GB18030),
        (WESTERN, "cp1252", ListEncoding.WINDOWS_1252),
        ("1,Ida\n", "ascii", ListEncoding.UTF_8),
    ],
)
def test_a_list_is_read_in_the_encoding_in_which_it_was_written(text: str, codec: str, encoding: ListEncoding) -> None:
    assert decode_list(text.encode(codec)) == (text, encoding, False)


@pytest.mark.parametrize(("names", "codec"), [(JAPANESE_NAMES, "cp932"), (CHINESE_NAMES, "gb18030")])
@given(data=st.data())
def test_names_are_never_taken_for_others_in_silence(names: str, codec: str, data: st.DataObject) -> None:
    text = "\n".join(data.draw(st.lists(st.sampled_from(names.split()), min_size=1, unique=True)))
    found, _, doubtful = decode_list(text.encode(codec))
    assert found == text or doubtful


def test_bytes_that_say_too_little_are_doubtful_and_read_as_a_person_chooses() -> None:
    content = "ﾃﾅ".encode("cp932")
    _, _, doubtful = decode_list(content)
    read, others = ([*decode_list(content, each)] for each in (ListEncoding.SHIFT_JIS, ListEncoding.GB18030))
    assert doubtful
    assert "ﾃﾅ" in read
    assert "ﾃﾅ" not in others


@pytest.mark.parametrize(
    ("content", "chosen"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
        (b"PK\x03\x04\x14\0\x06\0", None),
        (b"\xff\xff\xff\x01", None),
        ("Müller".encode("cp1252"), ListEncoding.UTF_8),
    ],
)
def test_what_is_no_text_or_not_of_the_chosen_encoding_is_refused(content: bytes, chosen: ListEncoding | None) -> None:
    with pytest.raises(ListEncodingError):
        decode_list(content, chosen)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        text, _, _ = decode_list(content)
    except ListEncodingError:
        return
    assert all(char >= " " or char in "\t\r\n" for char in text)
