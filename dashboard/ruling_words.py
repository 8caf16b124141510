"""The words of rulings in three languages: what a referee announces, and how the pages tell of it. Part of ``dashboard.catalogue``."""

from __future__ import annotations

from collections.abc import Mapping

RULING_WORDS: Mapping[str, tuple[str, str, str]] = {
    "phase.closed.ruled": ("The referee ended the hand.", "審判の裁定により終局しました。", "裁判裁定本副结束。"),
    "phase.closed.annulled": ("The hand is annulled.", "この局は無効になりました。", "本副作废。"),
    "log.play-halted": ("play waits for the referee", "審判の裁定待ち", "等待裁判裁定"),
    "log.ruling": ("{by} rules: {text}", "{by} 裁定：{text}", "{by}裁定：{text}"),
    "log.ruling-refused": ("a ruling has no effect: {sentence}", "裁定は無効：{sentence}", "裁定未生效：{sentence}"),
    "log.hand-ruled-dead": ("{seat}: the hand is dead", "{seat}：和了放棄", "{seat}：死牌"),
    "log.penalty-ruled": (
        "{seat}: penalty {imp} IMP, {points} points to each",
        "{seat}：罰点 {imp} IMP、各家へ{points}点",
        "{seat}：罚{imp} IMP，付各家{points}分",
    ),
    "log.result-excluded": ("this result does not count: average", "この結果は比較から除外（平均点）", "本桌成绩不计入比较（平均分）"),
}
