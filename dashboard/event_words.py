"""The words for the hall, calls, deals and standings, a part of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping

EVENT_WORDS: Mapping[str, tuple[str, str, str]] = {
    # Pages
    "standings": ("Standings", "順位", "排名"),
    "calls": ("Calls", "呼び出し", "呼叫"),
    "login.name": ("Your name", "お名前", "姓名"),
    "login.name.why": (
        "Optional. It stands beside the calls you take and the tables you open.",
        "任意。対応した呼び出しと開いた卓に記録されます。",
        "可不填。会记在您处理的呼叫和打开的牌桌旁。",
    ),
    "jump": ("Go to table", "卓へ移動", "前往牌桌"),
    "jump.go": ("Go", "移動", "前往"),
    "jump.keys": (
        "Keys: / or a number for a table, g h hall, g s standings, g c calls.",
        "キー：/ または数字で卓、g h 会場、g s 順位、g c 呼び出し。",
        "按键：/ 或数字前往牌桌，g h 赛场，g s 排名，g c 呼叫。",
    ),
    # The session
    "session": ("Session", "セッション", "本节"),
    "session.hand": ("Hand {number} of {of}", "{of}局中第{number}局", "第{number}副，共{of}副"),
    "session.clock": ("On this hand", "この局", "本副用时"),
    "session.forecast": ("Session forecast: ends", "終了予想：", "预计结束："),
    "session.slowest": (
        "table {table} is slowest and costs the hall {cost}",
        "最も遅い{table}卓が全体を{cost}遅らせています",
        "{table}号桌最慢，使全场晚{cost}",
    ),
    "session.noforecast": (
        "Session forecast: after a few released hands",
        "終了予想：数局が公開されると表示されます",
        "预计结束：公布数副牌后显示",
    ),
    "session.released": ("{released} of {of} deals released", "{of}ディール中{released}公開済み", "已公布{released}副，共{of}副"),
    "session.waiting": ("The session has not begun.", "セッションはまだ始まっていません。", "本节尚未开始。"),
    "group": ("Group {name}", "{name}組", "第{name}组"),
    "group.finished": ("{hand}: {done} of {of} tables finished", "{hand}：{of}卓中{done}卓終了", "{hand}：{of}桌中{done}桌已结束"),
    "group.playing": ("{hand} is played", "{hand}を対局中", "正在进行{hand}"),
    "group.compared": ("{hand} compared", "{hand} 比較済み", "{hand}已比较"),
    "state.clearing": ("Clearing", "回収中", "收牌中"),
    "phase.clearing": (
        "The hand is over: push everything that lies on the table into the well.",
        "局が終わりました。卓上の牌をすべて投入口に入れてください。",
        "本副结束：请将桌上的牌全部推入投牌口。",
    ),
    "phase.clearing.counted": (
        "Push everything on the table into the well: {counted} of {of} tiles are in.",
        "卓上の牌をすべて投入口に入れてください（{of}枚中{counted}枚）。",
        "请将桌上的牌全部推入投牌口：{of}张中已有{counted}张。",
    ),
    "state.finished": ("Finished", "終了", "已结束"),
    "hall.fault": ("A fault: {code}.", "故障：{code}。", "故障：{code}。"),
    "hall.refused": (
        "Deal {n} was refused before a tile moved.",
        "ディール{n}は牌を動かす前に拒否されました。",
        "第{n}副牌在动牌之前被拒绝。",
    ),
    "hall.complaint": (
        "A message of this table was refused; its page says why.",
        "この卓の通信を拒否しました。理由は卓のページにあります。",
        "本桌的一条消息被拒绝；原因见该桌页面。",
    ),
    # Calls
    "calls.open": ("{count} open", "未対応{count}件", "{count}个未处理"),
    "calls.none": ("No calls.", "呼び出しはありません。", "没有呼叫。"),
    "calls.longest": ("Longest hand: table {table},", "最長の局：{table}卓", "最久的一副：{table}号桌"),
    "calls.called": ("The referee is called.", "審判が呼ばれています。", "有人叫裁判。"),
    "calls.refused": (
        "The deal was refused before a tile moved; the table's page says why.",
        "ディールは牌を動かす前に拒否されました。理由は卓のページにあります。",
        "副牌在动牌之前被拒绝；原因见该桌页面。",
    ),
    "calls.take": ("I am on the way", "向かいます", "我这就过去"),
    "calls.taken": ("{by} is on the way", "{by}が向かっています", "{by}正在过去"),
    "calls.silent": (
        "Not heard. The table plays on and keeps its journal; it catches up by itself.",
        "受信がありません。卓は進行を続け、記録も残ります。自動的に追いつきます。",
        "未收到消息。牌桌继续进行并保存记录，会自动补上。",
    ),
    # Deals
    "deal.title": ("Deal {n}", "ディール{n}", "第{n}副牌"),
    "deal.of": ("Deal {hand}", "{hand}のディール", "{hand}副牌"),
    "deal.table": ("Table", "卓", "桌"),
    "deal.tables": ("The same deal at the tables", "各卓の同じ配牌", "各桌同一副牌"),
    "deal.others": ("Other deals", "他のディール", "其他副牌"),
    "deal.comparison": ("Comparison", "比較", "比较"),
    "deal.seats": ("Each seat at the tables", "席ごとの各卓の得点", "各家在各桌的得分"),
    "deal.mean": ("Mean", "平均", "平均"),
    "deal.imp": ("IMP on {hand}", "{hand}のIMP", "{hand}的IMP"),
    "deal.seat": ("Seat", "席", "座位"),
    "deal.score": ("Score", "得点", "得分"),
    "deal.difference": ("Difference", "差", "差"),
    "deal.how": ("How this came about", "計算の過程", "计算过程"),
    "deal.walls": ("The four walls: hand, then draws in their order", "四つの山：配牌と、ツモの順", "四家牌墙：起手牌与依次摸牌"),
    "deal.self": ("{seat} self-drawn, {total} fan", "{seat}のツモ和了、{total}点", "{seat}自摸，{total}番"),
    "deal.off": ("{seat} off {source}, {total} fan", "{seat}の和了（{source}から）、{total}点", "{seat}和牌（{source}点炮），{total}番"),
    "deal.drawn": ("Drawn hand", "流局", "荒庄"),
    "deal.won": ("Won", "和了", "和牌"),
    "deal.ruled": ("Ended by the referee", "審判の裁定で終了", "裁判判定结束"),
    "deal.annulled": ("Annulled by the referee", "審判により無効", "被裁判判定无效"),
    "deal.unfinished": ("No result", "結果なし", "无结果"),
    "deal.and": (" and ", "・", "、"),
    "deal.leftout": (
        "Not in the comparison: {reason}.",
        "比較から除外：{reason}。",
        "未计入比较：{reason}。",
    ),
    "deal.verified": ("Verified", "検証済み", "已验证"),
    "deal.differs": (
        "Table {tables} published another check: it did not play this deal.",
        "{tables}卓の検査値が異なります。同じディールではありませんでした。",
        "{tables}号桌公布的校验值不同：该桌打的不是这副牌。",
    ),
    "deal.verify": ("Verify this deal", "この配牌を検証", "验证此牌"),
    "deal.verify.how": (
        "This server re-made the walls from the released slip: key, path, digest and check agree with plan and root. Check it yourself:",
        "このサーバーは公開された検証票から山を再現し、鍵・経路・要約値・検査値が公表済みの計画と根に一致しました。ご自身でも確かめられます：",
        "本服务器用公布的验证单重现了牌墙，密钥、路径、摘要和校验值与公布的计划和根一致。您可自行验证：",
    ),
    "deal.slip": ("Download the slip", "検証票をダウンロード", "下载验证单"),
    # Before release
    "sealed.more": ("Opens when {count} more tables have finished.", "あと{count}卓が終わると公開されます。", "再有{count}桌结束后公布。"),
    "sealed.all": (
        "Opens when all {of} tables have finished.",
        "{of}卓すべてが終わると公開されます。",
        "{of}桌全部结束后公布。",
    ),
    "sealed.slip": (
        "All tables have finished. It opens when the vault releases the slip.",
        "全卓が終了しました。保管庫が検証票を公開すると表示されます。",
        "各桌均已结束，等待保管库公布验证单。",
    ),
    "sealed.waiting": ("Still to finish:", "未終了：", "尚未结束："),
    "sealed.why": (
        "Until then nobody but the table itself sees its tiles and scores, so that those who have yet to play it are not told anything.",
        "それまで牌と得点はその卓以外の誰にも見えません。これから打つ人に何も伝わらないためです。",
        "在此之前，除本桌外任何人都看不到牌和得分，以免尚未打这副牌的人得知任何信息。",
    ),
    "sealed.play": (
        "The play of this table is shown when every table has finished the deal.",
        "この卓の内容は、全卓がこのディールを終えると公開されます。",
        "各桌都打完这副牌后，本桌内容才会公布。",
    ),
    # Standings and scales
    "rank": ("Rank", "順位", "名次"),
    "team": ("Team", "チーム", "队"),
    "player": ("Player", "選手", "选手"),
    "entrant": ("Entrant", "参加者", "参赛方"),
    "swings": ("IMP deal by deal", "ディールごとのIMP", "逐副IMP"),
    "standings.deals": ("Every deal", "全ディール", "各副明细"),
    "standings.none": (
        "No deal has been released yet. Standings appear when every table has finished the first one.",
        "公開されたディールはまだありません。全卓が最初のディールを終えると順位が表示されます。",
        "尚未公布任何一副牌。各桌打完第一副后显示排名。",
    ),
    "scale.provisional": ("provisional scale", "暫定換算表", "暂用换算表"),
    "scale.official": ("official scale", "公式換算表", "正式换算表"),
    "scale.named": ("Scale: {name}, digest {digest}…", "換算表：{name}、要約値 {digest}…", "换算表：{name}，摘要 {digest}…"),
    "how.mean": ("Mean of {seat}:", "{seat}の平均：", "{seat}平均："),
    "how.teams": ("mean of the teams:", "チームの平均：", "各队平均："),
    # Errors
    "error.deal": ("Deal {n} has not begun here.", "ディール{n}はまだ始まっていません。", "第{n}副牌尚未开始。"),
    "error.slip": ("Deal {n} has no released slip.", "ディール{n}の検証票は公開されていません。", "第{n}副牌的验证单尚未公布。"),
}
