// The page of a replay: moves through the moments of a released hand. The moment stands in the address, so that a link
// shows the same moment; the page works from a disk as well.
"use strict";
(() => {
  const { SEATS } = ReplayTable;
  const { find, fill, made, wind, sameMoment } = ReplayPanels;
  const SPEEDS_MS = [3000, 1600, 900, 450, 200];
  const PAIR_MS = 1500;
  const MARGIN = 30;
  const read = (id) => JSON.parse(find(id).textContent);
  const replay = read("replay-document");
  const words = read("replay-words");
  const plays = replay.tables.map((table) => ({ ...table, moments: ReplayTable.moments(replay.walls, table.steps) }));
  const board = new ReplayBoard.Board(find("replay-board"), words);
  const timeline = find("replay-timeline");
  const panels = new ReplayPanels.Panels(plays, words, board.tiles);
  const again = new ReplayAgain.Again(plays, words, panels, (at) => go(at));
  const shown = { play: 0, at: 0, view: "E", all: true, speed: 2 };
  let timer = null;
  let pair = 0;

  const play = () => plays[shown.play];
  const moment = () => play().moments[shown.at];
  const last = () => play().moments.length - 1;
  const clamp = (at) => Math.max(0, Math.min(last(), at));
  const seen = (seat) => shown.all || seat === shown.view;

  // The turn of a moment: how often the seat has discarded, the discard that it is about to make counted.
  function turnOf(table) {
    const seat = table.seats[table.turn];
    return seat ? seat.river.length + (table.last === table.turn || table.won.length ? 0 : 1) : 0;
  }

  function address() {
    return `?table=${encodeURIComponent(play().table)}&at=${shown.at}&view=${shown.view}${shown.all ? "" : "&one=1"}`;
  }

  function fromAddress() {
    const asked = new URLSearchParams(location.search);
    const found = plays.findIndex((one) => one.table === (asked.get("table") ?? find("replay").dataset.table));
    shown.play = Math.max(0, found);
    shown.at = clamp(Number.parseInt(asked.get("at") ?? "0", 10) || 0);
    if (SEATS.includes(asked.get("view"))) shown.view = asked.get("view");
    shown.all = asked.get("one") !== "1";
  }

  function drawBoard() {
    const table = moment();
    const turn = turnOf(table);
    const title = [
      ["centre-hand", words.hand_name],
      ["centre-small", fill(words.table, { table: play().table }) + (turn ? ` · ${fill(words.turn, { turn })}` : "")],
    ];
    board.draw(table, shown.view, (seat) => seen(seat) || table.seats[seat].shown, title);
  }

  function drawLog() {
    const list = find("replay-log");
    if (list.dataset.play !== String(shown.play)) {
      list.dataset.play = String(shown.play);
      list.replaceChildren(
        ...play().moments.map((table, index) => {
          const button = made("button", "", table.step?.seat ? wind(table.step.seat) : "", panels.told(table.step));
          button.type = "button";
          button.dataset.at = String(index);
          return made("li", "", button);
        }),
      );
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const here = list.children[shown.at].firstElementChild;
    here.setAttribute("aria-current", "step");
    requestAnimationFrame(() => {
      list.scrollTop = Math.max(0, here.offsetTop - list.clientHeight / 2);
    });
  }

  // A step's mark on the timeline: a dot for a discard, a diamond for a meld or a win.
  function mark(step, x) {
    if (!step?.seat || !["discard", "meld", "win"].includes(step.do)) return null;
    const y = 16 + SEATS.indexOf(step.seat) * 24;
    const [name, place] = step.do === "discard" ? ["circle", { cx: x, cy: y, r: 4 }] : ["path", { d: `M${x} ${y - 8}l8 8-8 8-8-8z` }];
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries({ ...place, class: step.do })) made.setAttribute(key, value);
    return made;
  }

  function across(at) {
    return MARGIN + (at / Math.max(1, last())) * (timeline.clientWidth - 2 * MARGIN);
  }

  function drawTimeline() {
    const drawn = `${shown.play} ${timeline.clientWidth}`;
    if (timeline.dataset.drawn !== drawn) {
      timeline.dataset.drawn = drawn;
      timeline.querySelector(".marks").replaceChildren(...play().moments.map((table, at) => mark(table.step, across(at))).filter(Boolean));
    }
    timeline.querySelector(".hand").setAttribute("d", `M${across(shown.at)} 2v104`);
    const values = { "aria-valuemax": last(), "aria-valuenow": shown.at, "aria-valuetext": panels.told(moment().step) };
    for (const [key, value] of Object.entries(values)) timeline.setAttribute(key, value);
  }

  function show() {
    shown.at = clamp(shown.at);
    drawBoard();
    panels.seats(play(), moment(), seen, shown.view);
    panels.ready(play(), moment(), seen);
    panels.chances(moment(), play().steps[shown.at]);
    panels.end(play(), moment());
    panels.others(shown.play, moment());
    drawLog();
    drawTimeline();
    find("replay-now").textContent = panels.told(moment().step);
    find("replay-count").textContent = fill(words.count, { at: shown.at, of: last() });
    document.querySelectorAll("[data-table]").forEach((one) => one.matches("button") && one.setAttribute("aria-pressed", String(one.dataset.table === play().table)));
    document.querySelectorAll("[data-view]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === (shown.all ? "all" : shown.view))));
    find("replay-play").setAttribute("aria-pressed", String(timer !== null));
    find("replay-speed").textContent = fill(words.speed, { seconds: SPEEDS_MS[shown.speed] / 1000 });
    history.replaceState(null, "", address());
    document.querySelectorAll(".languages a").forEach((link) => link.setAttribute("href", `${address()}&lang=${link.lang}`));
  }

  function go(at) {
    shown.at = clamp(at);
    show();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
  }

  function start() {
    stop();
    if (shown.at === last()) shown.at = 0;
    timer = setInterval(() => {
      if (shown.at === last()) stop();
      go(shown.at + 1);
    }, SPEEDS_MS[shown.speed]);
  }

  function nextClaim() {
    const found = play().steps.findIndex((step, index) => index >= shown.at && (step.do === "meld" || step.do === "win"));
    go(found < 0 ? last() : found + 1);
  }

  // The previous or next moment in which the seat at the bottom discarded.
  function ownTurn(by) {
    let at = shown.at + by;
    while (at > 0 && at < last() && !(play().steps[at - 1].do === "discard" && play().steps[at - 1].seat === shown.view)) at += by;
    go(at);
  }

  function chooseTable(index) {
    if (index < 0 || index >= plays.length) return;
    const at = sameMoment(plays[index], moment().discards);
    shown.play = index;
    go(at);
  }

  function view(seat) {
    if (seat === "all") shown.all = true;
    else [shown.view, shown.all] = [seat, false];
    show();
  }

  function turn() {
    shown.view = SEATS[(SEATS.indexOf(shown.view) + 1) % 4];
    show();
  }

  function speed(by) {
    shown.speed = Math.max(0, Math.min(SPEEDS_MS.length - 1, shown.speed + by));
    if (timer !== null) start();
    show();
  }

  async function copy() {
    const link = find("replay-link");
    link.hidden = false;
    link.value = location.href;
    try {
      await navigator.clipboard.writeText(location.href);
      find("replay-copied").textContent = words.copied;
    } catch {
      find("replay-copied").textContent = words.copy_by_hand;
      link.select();
    }
  }

  // Asks for the discards of the seat at the bottom from this moment on, or leaves that again.
  function playAgain() {
    if ("unseen" in find("replay").dataset) return;
    if (again.on) {
      again.leave();
      show();
      return;
    }
    stop();
    shown.all = false;
    again.start(shown.play, shown.view, shown.at === last() ? 0 : shown.at);
  }

  const ACTS = {
    again: playAgain,
    "again-next": () => again.next(),
    first: () => go(0),
    back: () => go(shown.at - 1),
    play: () => (timer === null ? start() : stop(), show()),
    next: () => go(shown.at + 1),
    last: () => go(last()),
    claim: nextClaim,
    turn,
    copy,
    slower: () => speed(-1),
    faster: () => speed(1),
  };
  const KEYS = {
    Home: ACTS.first, ArrowLeft: ACTS.back, " ": ACTS.play, ArrowRight: ACTS.next, End: ACTS.last, c: nextClaim, r: turn, u: copy,
    ArrowUp: () => ownTurn(-1), ArrowDown: () => ownTurn(1), a: () => view("all"), "[": ACTS.slower, "]": ACTS.faster,
    p: playAgain, Escape: () => again.on && playAgain(), e: () => view("E"), s: () => view("S"), w: () => view("W"), n: () => view("N"),
  };

  function key(event) {
    if (event.key === "Escape" && event.target.id === "replay-link") return void event.target.blur();
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const second = Date.now() - pair < PAIR_MS;
    pair = pressed === "g" ? Date.now() : 0;
    if (second) return;
    if (again.on && !["p", "Escape"].includes(pressed)) {
      if (again.key(pressed)) event.preventDefault();
      if (pressed !== "Tab") event.stopPropagation();
      return;
    }
    const act = /^[1-9]$/.test(pressed) ? () => chooseTable(Number(pressed) - 1) : KEYS[pressed];
    if (!act || (pressed === " " && event.target.closest("button, a, summary"))) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  document.addEventListener("keydown", key, true);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.discard) return void again.answer(button.dataset.discard);
    if (button.dataset.act) ACTS[button.dataset.act]();
    else if (button.dataset.view) view(button.dataset.view);
    else if (button.dataset.table) chooseTable(plays.findIndex((one) => one.table === button.dataset.table));
    else if (button.dataset.play) [shown.play, shown.at] = [Number(button.dataset.play), Number(button.dataset.at)];
    else if (button.dataset.at) shown.at = Number(button.dataset.at);
    else return;
    show();
  });
  timeline.addEventListener("click", (event) => {
    const along = event.clientX - timeline.getBoundingClientRect().left - MARGIN;
    go(Math.round((along / (timeline.clientWidth - 2 * MARGIN)) * last()));
  });
  addEventListener("resize", drawTimeline);
  fromAddress();
  show();
})();
