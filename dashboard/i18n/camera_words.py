"""The words for cameras that give nothing to see, a part of the catalogue: what is wrong with each, and where to put a hand."""

from __future__ import annotations

from collections.abc import Mapping

CAMERA_WORDS: Mapping[str, tuple[str, str, str]] = {
    "camera.absent": (
        "There is no such camera: plug it in, or look at its address in the settings.",
        "カメラが見つかりません。接続を確かめるか、設定のアドレスを確認してください。",
        "找不到摄像头：请检查连接，或检查设置中的地址。",
    ),
    "camera.silent": (
        "No pictures come any more: look at its plug, its cable and its power.",
        "映像が届きません。コネクタ、ケーブル、電源を確認してください。",
        "不再有图像：请检查插头、线缆和电源。",
    ),
    "camera.broken": (
        "Its pictures come cut short: look at its cable, then unplug it and plug it in again.",
        "映像が途中で切れています。ケーブルを確認し、カメラを差し直してください。",
        "图像不完整：请检查线缆，然后重新插拔摄像头。",
    ),
    "camera.stale": (
        "Its pictures are too old: unplug it and plug it in again.",
        "古い映像が届いています。カメラを差し直してください。",
        "图像已过时：请重新插拔摄像头。",
    ),
    "camera.frozen": (
        "It shows the same picture again and again: unplug it and plug it in again.",
        "同じ映像が繰り返されています。カメラを差し直してください。",
        "反复显示同一画面：请重新插拔摄像头。",
    ),
    "camera.size": (
        "Its pictures have another size than before: set the size back, or calibrate the camera again.",
        "映像の大きさが以前と違います。大きさを元に戻すか、カメラを校正し直してください。",
        "图像尺寸与之前不同：请恢复尺寸，或重新校准摄像头。",
    ),
    "camera.dark": (
        "It sees only darkness: look at the lamp, and whether something covers the lens.",
        "真っ暗です。照明を確かめ、レンズが覆われていないか確認してください。",
        "画面全黑：请检查灯光，以及镜头是否被遮住。",
    ),
    "camera.glare": (
        "It sees only glare: keep sun and lamps out of the lens, and look for a reflection.",
        "光で白くなっています。日光や照明がレンズに入っていないか、反射がないか確認してください。",
        "画面过亮：请避免阳光和灯光直射镜头，并检查反光。",
    ),
    "camera.no-mat": (
        "It does not see the mat's markers: take away what covers them, and look whether the camera or the mat was moved.",
        "マットのマーカーが見えません。覆っているものを取り除き、カメラやマットが動いていないか確認してください。",
        "看不到桌垫的标记：请移开遮挡物，并检查摄像头或桌垫是否被移动。",
    ),
    "camera.failed": (
        "The reader came to grief over its pictures: start the table's controller again, and keep its log for whoever mends it.",
        "映像を処理できませんでした。卓の制御プログラムを再起動し、修理のためにログを保存してください。",
        "处理图像时出错：请重新启动本桌的控制程序，并保存日志以便修复。",
    ),
}
