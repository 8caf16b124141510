// The overlay: plays a table's newest released deal step by step, and goes on to the next one when it is released.
// ?seconds= is the time of a step.
"use strict";
(() => {
  const { find, fill } = ReplayPanels;
  const LOOK_MS = 10000;
  const HOLD_STEPS = 8;
  const shownDeal = Number(document.body.dataset.deal);
  const clock = () => {
    find("overlay-clock").textContent = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  };

  async function look() {
    try {
      const answer = await fetch(document.body.dataset.feed);
      if (answer.ok && (await answer.json()).n !== shownDeal) location.reload();
    } catch {
      // The server is away: what is shown stays, and the next look asks again.
    }
  }

  function play() {
    const overlay = JSON.parse(find("overlay-document").textContent);
    const words = JSON.parse(find("overlay-words").textContent);
    const [table] = overlay.replay.tables;
    const moments = ReplayTable.moments(overlay.replay.walls, table.steps);
    const board = new ReplayBoard.Board(find("overlay-board"), words);
    const panels = new ReplayPanels.Panels([{ ...table, moments }], words, board.tiles);
    const seconds = Number(new URLSearchParams(location.search).get("seconds"));
    let at = 0;

    function show() {
      const moment = moments[Math.min(at, moments.length - 1)];
      const over = at >= moments.length - 1;
      board.draw(moment, "E", () => true, [["centre-hand", words.hand_name], ["centre-small", fill(words.table, { table: overlay.table })]]);
      find("overlay-now").textContent = panels.told(moment.step);
      document.querySelectorAll("[data-seat]").forEach((row) => {
        const score = row.querySelector(".score");
        score.textContent = ReplayPanels.signed(Number(over ? score.dataset.after : score.dataset.before));
        row.classList.toggle("turn", !over && row.dataset.seat === moment.turn);
      });
      at = at >= moments.length - 1 + HOLD_STEPS ? 0 : at + 1;
    }

    show();
    setInterval(show, (seconds >= 0.2 && seconds <= 60 ? seconds : 1.6) * 1000);
    clock();
    setInterval(clock, 1000);
  }

  if (shownDeal) play();
  setInterval(look, LOOK_MS);
})();
