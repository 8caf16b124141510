// The table of a replay at every moment, from the steps of the document (docs/reference/replay.md). It knows no rules.
"use strict";
const ReplayTable = (() => {
  const SEATS = ["E", "S", "W", "N"];

  function tiles(text) {
    return text ? text.split(" ") : [];
  }

  function without(held, gone) {
    const left = [...held];
    for (const tile of gone) left.splice(left.indexOf(tile), 1);
    return left;
  }

  // The table before the first draw; `drawn` is a tile that stands apart from the hand.
  function beginning(walls) {
    const seats = SEATS.map((seat) => [
      seat,
      { hand: tiles(walls[seat].hand), drawn: null, wall: tiles(walls[seat].draws), taken: 0, river: [], melds: [], ready: walls[seat].ready, shown: false },
    ]);
    return { seats: Object.fromEntries(seats), turn: "", last: null, won: [], step: null, discards: 0 };
  }

  function withSeat(table, name, changes) {
    return { ...table, seats: { ...table.seats, [name]: { ...table.seats[name], ...changes } } };
  }

  function held(seat) {
    return seat.drawn === null ? seat.hand : [...seat.hand, seat.drawn];
  }

  function drawn(table, step) {
    const wall = [...table.seats[step.seat].wall];
    if (step.from_end) wall.pop();
    else wall.shift();
    return { ...withSeat(table, step.seat, { wall, taken: table.seats[step.seat].taken + 1, drawn: step.tile }), turn: step.seat, last: null };
  }

  function discarded(table, step) {
    const seat = table.seats[step.seat];
    const hand = step.drawn ? seat.hand : without(held(seat), [step.tile]);
    const laid = { tile: step.tile, place: step.place ?? 0, drawn: step.drawn ?? false, riichi: step.riichi ?? false, claimed: "" };
    const next = withSeat(table, step.seat, { hand, drawn: null, river: [...seat.river, laid] });
    return { ...next, turn: step.seat, last: step.seat, discards: table.discards + 1 };
  }

  // The last tile of a river goes to another seat; its place stays empty.
  function taken(table, source, seat) {
    const river = [...table.seats[source].river];
    river.push({ ...river.pop(), claimed: seat });
    return withSeat(table, source, { river });
  }

  function melded(table, step) {
    const seat = table.seats[step.seat];
    const laid = { meld: step.meld, tiles: tiles(step.tiles), taken: step.taken ?? "", source: step.source ?? "", down: step.down ?? false };
    let melds = [...seat.melds, laid];
    if (step.meld === "added_kong") {
      const same = (one) => one.meld === "pung" && one.tiles[0] === laid.tiles[0];
      melds = seat.melds.map((one) => (same(one) ? { ...laid, taken: one.taken, source: one.source } : one));
    }
    let next = withSeat(table, step.seat, { hand: without(held(seat), tiles(step.own)), drawn: null, melds });
    if (laid.taken) next = taken(next, step.source, step.seat);
    return { ...next, turn: step.seat, last: null };
  }

  // A hand is laid open; one that was not seen until then has its tiles from here on.
  function laidOpen(table, step) {
    const { hand, drawn } = table.seats[step.seat];
    const seen = hand.includes("back") ? { hand: tiles(step.tiles), drawn: drawn && step.winning ? step.winning : null } : {};
    return withSeat(table, step.seat, { ...seen, shown: true });
  }

  // The table after a step.
  function after(table, step) {
    let next = table;
    if (step.do === "draw") next = drawn(table, step);
    else if (step.do === "discard") next = discarded(table, step);
    else if (step.do === "meld") next = melded(table, step);
    else if (step.do === "win") next = { ...table, won: [...table.won, step.seat] };
    else if (step.do === "show") next = laidOpen(table, step);
    if (step.took) next = taken(next, step.took, step.seat);
    if (step.ready) next = withSeat(next, step.seat, { ready: step.ready });
    return { ...next, step };
  }

  // Every moment of a hand: the beginning, and the table after each step.
  function moments(walls, steps) {
    const all = [beginning(walls)];
    for (const step of steps) all.push(after(all[all.length - 1], step));
    return all;
  }

  // Where the copies of a kind lie that the seat does not hold: [[place, seat, count], …].
  function whereabouts(table, own, kind) {
    const places = [];
    const count = (list) => list.filter((tile) => tile === kind).length;
    const note = (place, seat, number) => number && places.push([place, seat, number]);
    for (const seat of SEATS) {
      const there = table.seats[seat];
      if (seat !== own) note("hand", seat, count(held(there)));
      note("wall", seat, count(there.wall));
      note("river", seat, count(there.river.filter((laid) => !laid.claimed).map((laid) => laid.tile)));
      note("meld", seat, count(there.melds.flatMap((meld) => meld.tiles)));
    }
    return places;
  }

  return { SEATS, tiles, held, moments, whereabouts };
})();
