"""Training command of the finder: ``python -m tools.train.finder --out FILE [--photos FOLDER]``; it needs ``uv sync --group train``.

Frames are drawn while the network is trained on those before. ``FILE.pt`` keeps the training, from which ``--resume`` goes on. Without
``--minutes`` it ends after ``--samples``; on a computer with a CUDA device it trains there.
"""

import argparse
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Queue

import torch

from tools.train.finder.network import FinderNetwork, average, begin_from, loss, save
from tools.train.finder.stream import Chunk, FrameStore, Source, chunks

_NOTES = Path(__file__).parents[1] / "photographs.json"
_SAY_EVERY_S = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when the weights were written."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not 0 < options.share <= 1:
        parser.error("--share is above 0 and at most 1")
    if options.share < 1 and (options.begin is None or options.begin.resolve() == options.out.resolve()):
        parser.error("--share wants --begin with another file than --out: the rest are the weights that training began from")
    bank = options.bank or options.out.with_suffix(".faces.npz")
    if not bank.is_file():
        from tools.train.finder.faces import make_own_bank  # noqa: PLC0415  # a bank that is there needs no drawing

        bank.parent.mkdir(parents=True, exist_ok=True)
        make_own_bank(options.photos, options.sets, options.seed).save(bank)
    network = train(Source(bank, options.photos, _NOTES, options.seed, options.traced), options)
    notes = {"seed": str(options.seed), "samples": str(options.samples), "photographs": str(bool(options.photos)).lower()}
    save(network, options.out, notes)
    if options.share < 1:
        average(options.begin, options.out, options.share)
    return 0


def train(source: Source, options: argparse.Namespace) -> FinderNetwork:
    """The trained network."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    torch.set_flush_denormal(True)  # numbers that small make a processor slow
    network = FinderNetwork().to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.02)
    kept_path, done, first = options.out.with_suffix(".pt"), 0, 0
    if options.resume and kept_path.is_file():
        kept = torch.load(kept_path, map_location=device, weights_only=True)
        network.load_state_dict(kept["network"])
        first = int(kept["drawn"]) // 16 + 1
        if not options.again:
            optimiser.load_state_dict(kept["optimiser"])
            done = int(kept["done"])
    store, generator = FrameStore(options.store, device), torch.Generator().manual_seed(options.seed + first)
    begun, said, sums = time.monotonic(), 0.0, dict[str, float]()
    before = done
    with chunks(source, options.processes, first) as drawn:
        coming: Queue[Chunk | Exception] = Queue(8)
        threading.Thread(target=_carry, args=(drawn, coming), daemon=True).start()
        while store.drawn < options.batch * 4:
            store.take(_next(coming))
        if options.begin and not options.resume:
            begin_from(network, options.begin, store.batch(options.batch * 2, generator)[0])
            network.train()
        while (share := _progress(done, begun, options)) < 1:
            while not coming.empty() or done - before > options.reuse * store.drawn:
                store.take(_next(coming))
            for group in optimiser.param_groups:
                group["lr"] = options.rate * (min(share / 0.04, 1.0) * (1 - share) ** 1.2 + 0.004)
            pictures, labels, covering, whole = store.batch(options.batch, generator)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):  # six times as slow on a processor
                answers = network(pictures)
            total, parts = loss(answers, labels, covering, whole)
            optimiser.zero_grad(set_to_none=True)
            total.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            done += options.batch
            sums = {name: 0.99 * sums.get(name, value) + 0.01 * value for name, value in parts.items()}
            now = time.monotonic()
            if now - said > _SAY_EVERY_S:
                said = now
                told = " ".join(f"{name} {value:.3f}" for name, value in sums.items())
                print(f"{now - begun:.0f} s, {share:.0%}: {done} samples of {store.drawn} frames; {told}", file=sys.stderr, flush=True)
                _keep(network, optimiser, done, store.drawn + 16 * first, kept_path)
    _keep(network, optimiser, done, store.drawn + 16 * first, kept_path)
    trained: FinderNetwork = network.eval().cpu()
    return trained


def _progress(done: int, begun: float, options: argparse.Namespace) -> float:
    by_time = (time.monotonic() - begun) / (60 * options.minutes) if options.minutes else 0.0
    return max(float(done / options.samples), by_time)


def _next(coming: Queue[Chunk | Exception]) -> Chunk:
    chunk = coming.get()
    if isinstance(chunk, Exception):
        raise chunk
    return chunk


def _carry(drawn: Iterator[Chunk], coming: Queue[Chunk | Exception]) -> None:
    try:
        for chunk in drawn:
            coming.put(chunk)
    except Exception as error:  # whatever ends the drawing ends the training
        coming.put(error)


def _keep(network: FinderNetwork, optimiser: torch.optim.Optimizer, done: int, drawn: int, path: Path) -> None:
    aside = path.with_suffix(".aside")
    torch.save({"network": network.state_dict(), "optimiser": optimiser.state_dict(), "done": done, "drawn": drawn}, aside)
    aside.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.train.finder", description="Train the finder of tiles and write it as ONNX.")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write; FILE.pt keeps the training")
    parser.add_argument("--photos", type=Path, help="folder with labels.json and photographs, to train on those that are not held back")
    parser.add_argument("--traced", type=Path, help="folder of pictures that tools.train.finder.path_traced has made, to train on as well")
    parser.add_argument("--bank", type=Path, help="file of faces; made where it is missing (default: beside --out)")
    parser.add_argument("--sets", type=int, default=48, help="drawn sets in the bank")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=120_000, help="frames to train on, each one counted as often as it is used")
    parser.add_argument("--reuse", type=float, default=3.0, help="how often a frame is used at most, on average")
    parser.add_argument("--minutes", type=float, default=0.0, help="end after so many minutes at the latest")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--store", type=int, default=4000, help="frames to keep for drawing batches from")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--resume", action="store_true", help="go on from FILE.pt")
    parser.add_argument("--begin", type=Path, help="an ONNX file of an earlier training to begin with")
    parser.add_argument("--share", type=float, default=1.0, help="share of the trained weights in those that are written, with --begin")
    parser.add_argument("--again", action="store_true", help="with --resume: keep the weights and begin a new course of training")
    return parser


if __name__ == "__main__":
    sys.exit(main())
