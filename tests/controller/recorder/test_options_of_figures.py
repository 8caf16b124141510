"""The options of the recorder's benchmark: counts of which none is left are refused before a hand is played."""

import pytest

from benchmarks import recorder


@pytest.mark.parametrize("option", ["--hands", "--frames-per-s", "--processes"])
@pytest.mark.parametrize("count", ["0", "-1"])
def test_none_or_fewer_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, count: str) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.recorder", "--json", option, count])
    with pytest.raises(SystemExit) as ended:
        recorder.main()
    assert ended.value.code == 2
    assert f"{option} {count}: one or more" in capsys.readouterr().err
