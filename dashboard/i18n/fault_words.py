"""The words for faults, a part of the catalogue: the sentence for each known code, and the names of the places where faults are."""

from __future__ import annotations

from collections.abc import Mapping

FAULT_WORDS: Mapping[str, tuple[str, str, str]] = {
    # Faults by their code
    "fault.foreign-tile": (
        "A tile that is none of the 34 kinds lies in the reject cell: take it out, then press CONFIRM.",
        "34種のどれでもない牌がリジェクトセルにあります。取り除いてから確認（CONFIRM）を押してください。",
        "剔除格中有一张不属于34种牌的牌：请取出，然后按确认键（CONFIRM）。",
    ),
    "fault.unreadable-tile": (
        "A tile cannot be read however it is shown; it lies in the reject cell: clean or replace it, then press CONFIRM.",
        "何度見ても読み取れない牌がリジェクトセルにあります。清掃または交換してから確認（CONFIRM）を押してください。",
        "剔除格中有一张始终无法识别的牌：请擦净或更换，然后按确认键（CONFIRM）。",
    ),
    "fault.extra-tile": (
        "A fifth copy lies in the reject cell: take it out, then press CONFIRM.",
        "5枚目の同じ牌がリジェクトセルにあります。取り除いてから確認（CONFIRM）を押してください。",
        "剔除格中有第五张相同的牌：请取出，然后按确认键（CONFIRM）。",
    ),
    "fault.missing-tiles": (
        "The set lacks tiles: put them into the well where it is open, else into the drum through the lid; then press CONFIRM.",
        "牌が不足しています。投入口が開いていれば投入口に、閉じていれば蓋からドラムに入れ、確認（CONFIRM）を押してください。",
        "缺牌：投牌口打开时放入投牌口，否则打开盖子放入滚筒，然后按确认键（CONFIRM）。",
    ),
    "fault.other-set": (
        "A tile of the other set lies in the reject cell: put it with its own set, then press CONFIRM.",
        "もう一方のセットの牌がリジェクトセルにあります。元のセットに戻してから確認（CONFIRM）を押してください。",
        "剔除格中有一张另一副的牌：请放回原来那副，然后按确认键（CONFIRM）。",
    ),
    "fault.wall-doubted": (
        "The two readers do not agree on tiles of the next wall: wipe the gate's window, look at its lamp, then press CONFIRM.",
        "次の壁牌の読み取り結果が二つの読み取り器で一致しません。ゲートの窓を拭き、照明を確かめてから、確認（CONFIRM）を押してください。",
        "两个识别器对下一副牌墙的识别不一致：请擦拭识别窗，检查灯光，然后按确认键（CONFIRM）。",
    ),
    "fault.well-count": (
        "The well has not counted as many tiles as the set has: look around the table, push in what is found, or press CONFIRM to go on.",
        "投入口で数えた枚数がセットの枚数と合いません。卓の周りを探して見つかった牌を入れるか、確認（CONFIRM）を押して続けてください。",
        "投牌口计数与整副牌数不符：请查看桌子四周，将找到的牌推入，或按确认键（CONFIRM）继续。",
    ),
    "fault.no-rear-gate": (
        "This feeder has no rear gates, which these rules need for tiles that are turned up: play other rules at this table.",
        "この配牌機には、表示牌をめくるための後部ゲートがありません。この卓では別のルールで対局してください。",
        "这台发牌机没有后门，无法翻开这套规则所需的指示牌：请在本桌使用其他规则。",
    ),
    "fault.unread-tile": (
        "A tile on the table cannot be read: lay it face up and straight, with nothing over it.",
        "卓上の牌を読み取れません。表向きにまっすぐ置き、上に何も重ねないでください。",
        "桌上有一张牌无法识别：请将其正面朝上摆正，不要遮挡。",
    ),
    "fault.not-a-feeder": (
        "What answers there is not this table's feeder: look which cable is in the port, and check [feeder] port in the settings.",
        "応答しているのはこの卓の配牌機ではありません。ポートのケーブルと、設定の [feeder] port を確認してください。",
        "该端口上的设备不是本桌的发牌机：请检查所插电缆和设置中的 [feeder] port。",
    ),
    "fault.wrong-feeder": (
        "Another feeder than this table's answers at the port: look whether two tables' cables have changed places, or enter its uid in "
        "the settings ([feeder] uid).",
        "この卓のものではない配牌機が応答しています。ほかの卓とケーブルが入れ替わっていないか確かめるか、"
        "設定の [feeder] uid を直してください。",
        "应答的不是本桌的发牌机：请检查两桌的电缆是否接反，或在设置中更正 [feeder] uid。",
    ),
    "fault.estop": (
        "The emergency stop is pressed: release it when the table is safe.",
        "非常停止が押されています。安全を確認してから解除してください。",
        "急停已按下：确认牌桌安全后再解除。",
    ),
    "fault.lid": (
        "The lid over the drum is open: take hands and tools out and close it.",
        "ドラムの蓋が開いています。手や道具を離して閉めてください。",
        "滚筒的盖子开着：请移开手和工具，关上盖子。",
    ),
    "fault.feeder-jam": (
        "A tile is jammed: free it, then press CONFIRM.",
        "牌が詰まっています。取り除いてから確認（CONFIRM）を押してください。",
        "卡牌：请清除，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-double-feed": (
        "Two tiles came at once: part them, then press CONFIRM.",
        "牌が2枚同時に送られました。分けてから確認（CONFIRM）を押してください。",
        "两张牌同时送出：请分开，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-shuttle": (
        "The shuttle does not move as it should: look there, then press CONFIRM.",
        "シャトルが正しく動きません。点検してから確認（CONFIRM）を押してください。",
        "梭车运动异常：请检查，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-sensors-disagree": (
        "Two sensors disagree: look there, then press CONFIRM.",
        "センサーの値が一致しません。点検してから確認（CONFIRM）を押してください。",
        "传感器读数不一致：请检查，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-estop": (
        "The emergency stop has stopped the feeder: make the table safe, then press CONFIRM.",
        "非常停止で配牌機が止まりました。安全を確認してから確認（CONFIRM）を押してください。",
        "急停使发牌机停止：确认安全后按确认键（CONFIRM）。",
    ),
    "fault.feeder-stop": (
        "The feeder was told to stop: make sure that no hand is in it, then press CONFIRM.",
        "停止の指示で配牌機が止まりました。中に手がないことを確かめてから確認（CONFIRM）を押してください。",
        "发牌机按指令停止：确认没有人把手伸在里面，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-lid": (
        "The lid has stopped the feeder: close it, then press CONFIRM.",
        "蓋が開いて配牌機が止まりました。閉めてから確認（CONFIRM）を押してください。",
        "盖子打开使发牌机停止：请关上，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-well": (
        "The door of the well does not open or shut: look there, then press CONFIRM.",
        "投入口の扉が開閉しません。点検してから確認（CONFIRM）を押してください。",
        "投牌口的门无法开合：请检查，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-lock": (
        "A lock does not move: look there, then press CONFIRM.",
        "ロックが動きません。点検してから確認（CONFIRM）を押してください。",
        "锁无法动作：请检查，然后按确认键（CONFIRM）。",
    ),
    "fault.feeder-internal": (
        "The feeder reports an internal fault: press CONFIRM, and call for service when it comes again.",
        "配牌機の内部故障です。確認（CONFIRM）を押し、再発する場合は修理を依頼してください。",
        "发牌机内部故障：请按确认键（CONFIRM），若再次出现请报修。",
    ),
    # Places of faults
    "where.reject cell": ("Reject cell", "リジェクトセル", "剔除格"),
    "where.serial port": ("Serial port", "シリアルポート", "串口"),
    "where.gate": ("Gate", "ゲート", "入口"),
    "where.diverter": ("Diverter", "振分部", "分流器"),
    "where.drum": ("Drum", "ドラム", "滚筒"),
    "where.well": ("Well", "投入口", "投牌口"),
    "where.table": ("Table", "卓", "牌桌"),
    "part.shuttle": ("Shuttle {number}", "シャトル{number}", "梭车{number}"),
    "part.tray": ("Tray {number}", "トレイ{number}", "牌盘{number}"),
    "part.magazine": ("Magazine {number}", "マガジン{number}", "牌仓{number}"),
    "part.other-gate": ("Gate {number}", "ゲート{number}", "入口{number}"),
    "part.other-diverter": ("Diverter {number}", "振分部{number}", "分流器{number}"),
    "part.exchanger": ("Exchanger {number}", "交換部{number}", "交换器{number}"),
    "part.draw-gate": ("Draw gate of place {number}", "席{number}のゲート", "{number}号位的门"),
    "part.rear-gate": ("Rear gate of place {number}", "席{number}の後部ゲート", "{number}号位的后门"),
    "part.cell": ("Cell {number}", "セル{number}", "格位{number}"),
    "slot.river": ("Place {place}, river, tile {number}", "席{place}の河、{number}枚目", "{place}号位牌河第{number}张"),
    "slot.meld": ("Place {place}, meld {group}", "席{place}の副露{group}", "{place}号位第{group}组副露"),
    "slot.hand": ("Place {place}, shown hand, tile {number}", "席{place}の公開手牌、{number}枚目", "{place}号位亮牌第{number}张"),
    "slot.win": ("Place {place}, winning tile", "席{place}の和了牌", "{place}号位和牌张"),
}
