"""The words for where to put a hand, a part of the catalogue: by the part of the table, and by fault and part where that is not enough."""

from __future__ import annotations

from collections.abc import Mapping

HAND_WORDS: Mapping[str, tuple[str, str, str]] = {
    "hand.gate": (
        "Open the lid: at the gate tiles leave the drum one by one, over the camera's window. Lift out what lies across it and put it "
        "into the drum; shut the lid.",
        "蓋を開けてください。ゲートは、牌が一枚ずつドラムを出てカメラの窓を通る所です。引っかかった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：入口是牌逐张离开滚筒、经过摄像窗的地方。取出卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.diverter": (
        "Open the lid: the diverter is the flap behind the gate that sends each tile its way. Take out what sticks there and put it into "
        "the drum; shut the lid.",
        "蓋を開けてください。振分部は、ゲートの後ろで牌の行き先を切り替える羽根です。詰まった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：分流器是入口后面给牌分路的拨片。取出卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.other-gate": (
        "Open the lid: gate {number} is one of the places where tiles leave the drum, each over a camera's window. Lift out what lies "
        "across it and put it into the drum; shut the lid.",
        "蓋を開けてください。ゲート{number}は、牌がドラムを出てカメラの窓を通る所の一つです。引っかかった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：入口{number}是牌离开滚筒、经过摄像窗的地方之一。取出卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.other-diverter": (
        "Open the lid: diverter {number} is the flap behind gate {number}. Take out what sticks there and put it into the drum; shut "
        "the lid.",
        "蓋を開けてください。振分部{number}は、ゲート{number}の後ろの羽根です。詰まった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：分流器{number}是入口{number}后面的拨片。取出卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.exchanger": (
        "Open the lid: exchanger {number} carries tiles from one gate's side to another's. Take out what sticks on its way and put it "
        "into the drum; shut the lid.",
        "蓋を開けてください。交換部{number}は、牌をあるゲートの側から別のゲートの側へ運びます。途中で詰まった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：交换器{number}把牌从一个入口一侧送到另一侧。取出途中卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.drum": (
        "Open the lid and look into the drum: part tiles that are wedged, and take out what is no tile; shut the lid.",
        "蓋を開けてドラムの中を見てください。かみ合った牌を離し、牌以外の物を取り除いて、蓋を閉めてください。",
        "请打开盖子查看滚筒：分开互相卡住的牌，取出不是牌的东西，再关上盖子。",
    ),
    "hand.well": (
        "Take hands, sleeves and tiles out of the gap of the well's door, so that it moves freely.",
        "投入口の扉のすき間から手や袖、牌を離し、扉が自由に動くようにしてください。",
        "请把手、衣袖和牌移开投牌口的门缝，使门能自由开合。",
    ),
    "hand.shuttle": (
        "Open the lid: shuttle {number} runs behind the tray of place {place}. Push it by hand from end to end, take out what blocks it "
        "and put tiles into the drum; shut the lid.",
        "蓋を開けてください。シャトル{number}は席{place}のトレイの後ろを走ります。手で端から端まで動かし、妨げる物を取り除き、牌はドラムに戻して、蓋を閉めてください。",
        "请打开盖子：梭车{number}在{place}号位牌盘后面移动。用手从一端推到另一端，取出卡住的东西，牌放回滚筒，再关上盖子。",
    ),
    "hand.tray": (
        "At place {number}, look along the tray of the next wall: press down tiles that stand askew, and put loose ones into the drum, "
        "their faces unseen.",
        "席{number}で、次の山のトレイを端まで見てください。傾いた牌を押し込み、外れた牌は表を見ずにドラムに戻してください。",
        "请查看{number}号位下一副牌墙的牌盘：压平歪斜的牌，散落的牌不看牌面放回滚筒。",
    ),
    "hand.magazine": (
        "At place {number}, look along the wall that is played from: set tiles straight without seeing their faces, and call the "
        "referee if one has fallen out.",
        "席{number}で、使用中の山を端まで見てください。表を見ずに牌をまっすぐ直し、落ちた牌があれば審判を呼んでください。",
        "请查看{number}号位正在使用的牌墙：不看牌面把牌摆正；若有牌掉出，请叫裁判。",
    ),
    "hand.cell": (
        "Open the lid: cell {number} is one of the single boxes beside the diverter. Take out the tile that sticks in it and put it into "
        "the drum; shut the lid.",
        "蓋を開けてください。セル{number}は振分部の脇にある一枚用の箱です。詰まった牌を取り出してドラムに戻し、蓋を閉めてください。",
        "请打开盖子：格位{number}是分流器旁的单张小格。取出卡住的牌放回滚筒，再关上盖子。",
    ),
    "hand.reject cell": (
        "It is the box at the end of the diverter; at a table without a feeder, the box beside the frame.",
        "振分部の端にある箱です。配牌機のない卓では、読み取り枠の脇の箱です。",
        "它在分流器末端；没有发牌机的牌桌，是识别框旁边的盒子。",
    ),
    "hand.feeder-jam.table": (
        "The walls were not raised: look along all four seats, press down tiles that stand askew between tray and table top, and take out "
        "what is in the way.",
        "山が上がりませんでした。四席とも、トレイと天板の間で傾いた牌を押し込み、妨げる物を取り除いてください。",
        "牌墙没有升起：请查看四家，压平牌盘与桌面之间歪斜的牌，取出挡住的东西。",
    ),
    "hand.feeder-lock.magazine": (
        "At place {number}, the bolt of a gate does not move: take out what pinches it. Nobody draws a tile meanwhile.",
        "席{number}のゲートの掛け金が動きません。挟まった物を取り除いてください。その間、牌を引かないでください。",
        "{number}号位门闩不动：请取出夹住的东西，其间不要摸牌。",
    ),
    "hand.missing-tiles.drum": (
        "Look under the table and about the players' places. At a table without a feeder they go onto the heap.",
        "卓の下や各席の周りを探してください。配牌機のない卓では、まだ積んでいない牌の中に戻してください。",
        "请在桌下和各家周围寻找。没有发牌机的牌桌，放回牌堆即可。",
    ),
    "hand.missing-tiles.well": (
        "Look under the table and about the players' places. At a table without a feeder they go onto the heap.",
        "卓の下や各席の周りを探してください。配牌機のない卓では、まだ積んでいない牌の中に戻してください。",
        "请在桌下和各家周围寻找。没有发牌机的牌桌，放回牌堆即可。",
    ),
    # Parts of the table that are not heard
    "alarm.link.feeder": (
        "The feeder is not heard: look whether it has power, and at its cable at both ends. It is tried again by itself; what was on its "
        "way is looked at again, so nobody need clear anything away.",
        "配牌機から応答がありません。電源が入っているか、ケーブルの両端を確認してください。自動的に再試行し、途中だった牌は調べ直すので、片付ける必要はありません。",
        "收不到发牌机的应答：请检查是否有电，以及电缆两端。系统会自动重试，途中的牌会重新核对，无需清理。",
    ),
    "alarm.link.gate-camera": (
        "The gate camera gives no picture: look at its cable and at the window's lamp. It is tried again by itself; nothing is built "
        "meanwhile.",
        "ゲートカメラの映像がありません。ケーブルと窓の照明を確認してください。自動的に再試行し、その間は山を作りません。",
        "入口摄像头没有图像：请检查电缆和摄像窗的灯。系统会自动重试，其间不砌牌。",
    ),
    "alarm.link.table-camera": (
        "The table camera gives no picture of the mat: look at its cable, and uncover the four markers at the mat's corners. It is tried "
        "again by itself; discards wait.",
        "卓上カメラにマットが映りません。ケーブルを確認し、マット四隅のマーカーを覆う物をどけてください。自動的に再試行し、その間、打牌は待ちます。",
        "桌面摄像头看不到牌垫：请检查电缆，并露出牌垫四角的标记。系统会自动重试，其间出牌需等待。",
    ),
    "alarm.link.panel": (
        "The panel with keys and lamps is not reached: look at its cable to the table's computer. It is tried again by itself.",
        "キーとランプのパネルに接続できません。卓のコンピューターへのケーブルを確認してください。自動的に再試行します。",
        "无法连接按键和指示灯面板：请检查通往牌桌电脑的电缆。系统会自动重试。",
    ),
    "alarm.link.broker": (
        "The table is not heard in the hall: look at its network cable or wireless. It plays on and keeps its journal.",
        "会場との通信が切れています。卓のネットワークケーブルまたは無線を確認してください。卓は進行を続け、記録も残ります。",
        "与赛场的网络中断：请检查牌桌的网线或无线。牌桌照常进行并保存记录。",
    ),
}
