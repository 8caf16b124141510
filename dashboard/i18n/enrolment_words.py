"""What the page of an enrolment says: key → (English, Japanese, simplified Chinese)."""

from __future__ import annotations

from collections.abc import Mapping

ENROLMENT_WORDS: Mapping[str, tuple[str, str, str]] = {
    "enrol.title": ("Which tile is this?", "この牌は何ですか", "这是哪张牌？"),
    "enrol.progress": ("{number} of {count}", "{count}枚中{number}枚目", "第{number}张，共{count}张"),
    "enrol.picture": ("Picture of the tile in question", "確認する牌の写真", "待确认的牌的照片"),
    "enrol.likely": (
        "It looks most like one of these. Keys 1 to 3 choose.",
        "この中のどれかに近いようです。キー1〜3で選べます。",
        "看起来最像这几张。可按键1到3选择。",
    ),
    "enrol.other": ("It is another tile", "別の牌です", "是别的牌"),
    "enrol.out": ("None of the set: leave it out", "このセットの牌ではない：除外", "不属于这副牌：不采用"),
    "enrol.done": (
        "Thank you. The profile is being written; you can close this page.",
        "完了しました。プロファイルを書き込んでいます。このページは閉じて構いません。",
        "完成。正在写入档案，可以关闭此页。",
    ),
}
