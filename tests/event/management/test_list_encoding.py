"""Encodings of uploaded lists: told apart by their bytes, and asked about where they cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.management.list_encoding import ListEncoding, ListEncodingError, decode_list

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
    found = decode_list(text.encode(codec))
    assert (found.text, found.encoding, found.doubtful) == (text, encoding, False)


@pytest.mark.parametrize(("names", "codec"), [(JAPANESE_NAMES, "cp932"), (CHINESE_NAMES, "gb18030")])
@given(data=st.data())
def test_names_are_never_taken_for_others_in_silence(names: str, codec: str, data: st.DataObject) -> None:
    text = "\n".join(data.draw(st.lists(st.sampled_from(names.split()), min_size=1, unique=True)))
    found = decode_list(text.encode(codec))
    assert found.text == text or found.doubtful


def test_bytes_that_say_too_little_are_doubtful_and_read_as_a_person_chooses() -> None:
    content = "ﾃﾅ".encode("cp932")
    assert decode_list(content).doubtful
    assert decode_list(content, ListEncoding.SHIFT_JIS).text == "ﾃﾅ"
    assert decode_list(content, ListEncoding.GB18030).text != "ﾃﾅ"


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
        found = decode_list(content)
    except ListEncodingError:
        return
    assert all(char >= " " or char in "\t\r\n" for char in found.text)
