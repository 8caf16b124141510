"""The words of rulings in three languages: what a referee announces, and how the pages tell of it. Part of ``dashboard.i18n.catalogue``."""

from __future__ import annotations

from collections.abc import Mapping

RULING_WORDS: Mapping[str, tuple[str, str, str]] = {
    "phase.closed.ruled": ("The referee ended the hand.", "審判の裁定により終局しました。", "裁判裁定本副结束。"),
    "phase.closed.annulled": ("The hand is annulled.", "この局は無効になりました。", "本副作废。"),
    "alarm.halted": (
        "Play waits for a ruling: no gate opens, nothing is paid.",
        "裁定待ちです。ゲートは開かず、精算もされません。",
        "等待裁判裁定：不开闸，不结算。",
    ),
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
    # On the page of a released deal
    "deal.basis.adjusted": ("adjusted score", "調整点", "调整分"),
    "deal.basis.average": ("average: left out of the comparison", "平均点（比較から除外）", "平均分（不计入比较）"),
    "deal.penalty": ("penalty", "罰点", "罚分"),
    "how.seats": ("means of these seats:", "これらの席の平均：", "这些座位的平均："),
    "how.average": ("left out by ruling", "裁定により除外", "经裁定不计入"),
    # What is announced
    "rule.play-on": ("Play goes on.", "そのまま続けてください。", "继续进行。"),
    "rule.warning": ("Warning: {seat}. Play goes on.", "{seat}に警告。そのまま続けてください。", "警告{seat}，继续进行。"),
    "rule.dead-hand": (
        "{seat}: the hand is dead. Draw and discard, no claims, no win.",
        "{seat}は和了放棄です。ツモと打牌のみ、鳴きと和了はできません。",
        "{seat}死牌：只摸打，不得吃碰杠和。",
    ),
    "rule.false-win": (
        "{seat}: false win, {cost}. The hand is dead.",
        "{seat}は誤和了、{cost}。以後は和了放棄です。",
        "{seat}错和，{cost}，此后死牌。",
    ),
    "rule.penalty": ("{seat}: penalty, {cost}.", "{seat}に罰点、{cost}。", "{seat}受罚，{cost}。"),
    "rule.average": (
        "This table's result does not count: average for all four.",
        "この卓の結果は比較から除外し、4人とも平均点とします。",
        "本桌成绩不计入比较，四家均得平均分。",
    ),
    "rule.annulled": (
        "The hand is annulled: average for all four.",
        "この局は無効とし、4人とも平均点とします。",
        "本副作废，四家均得平均分。",
    ),
    "rule.adjusted": ("Adjusted score: {scores}.", "調整点：{scores}。", "调整分：{scores}。"),
    "rule.cost.imp": ("{imp} IMP", "{imp} IMP減点", "扣{imp} IMP"),
    "rule.cost.points": ("{points} points to each of the others", "他家へ{points}点ずつ支払い", "付其他各家{points}分"),
    "rule.cost.and": (" and ", "と", "，"),
    # The form
    "rule.title": ("Ruling", "裁定", "裁定"),
    "rule.deal": ("Hand {hand}, deal {n}", "{hand}・ディール{n}", "{hand}，第{n}副牌"),
    "rule.seat": ("About", "対象", "对象"),
    "rule.by": ("Referee's name", "審判の名前", "裁判姓名"),
    "rule.send": ("Rule and announce", "裁定して卓に知らせる", "裁定并通知"),
    "rule.read": ("The table will read", "卓での表示", "本桌将显示"),
    "rule.kept": (
        "Recorded with name and time. Nothing is erased.",
        "名前と時刻が記録され、消されることはありません。",
        "记录姓名与时间，不会删除。",
    ),
    "rule.imp": ("IMP", "IMP", "IMP"),
    "rule.points": ("points to each", "各家へ", "付各家"),
    "rule.history": ("Rulings at this table", "この卓の裁定", "本桌的裁定"),
    "rule.past": ("Rule on a hand that is over", "終了した局への裁定", "对已结束的一副裁定"),
    "rule.given": ("Rulings on this hand", "この局の裁定", "本副的裁定"),
    "rule.earlier": ("Rule on an earlier hand:", "以前の局への裁定：", "对之前一副裁定："),
    "rule.none": ("No rulings yet.", "裁定はまだありません。", "尚无裁定。"),
    "rule.sent": (
        "Sent to the table. It stands when it appears in the history.",
        "卓へ送りました。履歴に表示されれば有効です。",
        "已发送至该桌，出现在记录中即生效。",
    ),
    "rule.label.play-on": ("Play goes on", "続行", "继续进行"),
    "rule.label.warning": ("Warning", "警告", "警告"),
    "rule.label.dead-hand": ("Dead hand", "和了放棄", "死牌"),
    "rule.label.false-win": ("False win: {price}", "誤和了 {price}", "错和 {price}"),
    "rule.price.imp": ("{imp} IMP", "{imp} IMP", "{imp} IMP"),
    "rule.price.points": ("{points} points", "各{points}点", "各{points}分"),
    "rule.label.penalty": ("Penalty", "罰点", "罚分"),
    "rule.label.average": ("Average", "平均点", "平均分"),
    "rule.label.annulled": ("Hand annulled", "局を無効とする", "本副作废"),
    "rule.label.adjusted": ("Adjusted score", "調整点", "调整分"),
    "rule.problem.moved": (
        "The table has gone on to another hand. Look at it again before you rule.",
        "卓は次の局に進みました。もう一度確認してから裁定してください。",
        "该桌已进入下一副，请重新查看后再裁定。",
    ),
    "rule.problem.choice": ("Choose a ruling.", "裁定を選んでください。", "请选择裁定。"),
    "rule.problem.name": ("Write your name.", "名前を入力してください。", "请填写姓名。"),
    "rule.problem.seat": ("Choose the seat that it is about.", "対象の席を選んでください。", "请选择对象。"),
    "rule.problem.penalty": ("Say how many IMP or points the penalty is.", "罰点のIMPか点数を入力してください。", "请填写罚多少IMP或分。"),
    "rule.problem.number": ("That is not a number that can be ruled.", "入力できない数です。", "数字不在允许范围内。"),
    "rule.problem.offline": (
        "The broker is not reached, so the ruling was not sent. Try again when the line says live.",
        "ブローカーに接続できず、裁定は送信されていません。接続後にもう一度お試しください。",
        "无法连接消息服务器，裁定未发送。连接恢复后请再试。",
    ),
}
